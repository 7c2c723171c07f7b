/** Use cases of apps. */
import type { Transaction } from 'kysely';
import type * as z from 'zod/mini';
import type { Application, ApplicationCreate, ApplicationUpdate } from '@slipway/contract/application.ts';
import { appKind } from '@slipway/contract/application.kind.ts';
import { memberRule } from '@slipway/contract/kernel/rights.ts';
import { subjectOf, type Subject } from '@slipway/contract/kernel/subject.ts';
import { transaction, type Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { hasCode } from '#kernel/caught.ts';
import { notifyChange } from '#kernel/changes.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { recordWrite } from '#modules/activity/index.ts';
import { PipelineActive, type PipelineEngine, type StartOptions, type PipelineDefinition, triggerBy } from '#modules/pipelines/index.ts';
import type { AppPipelines } from './apps.pipeline.ts';
import { appById } from './apps.sql.ts';

export interface AppDeps {
  readonly db: Db;
  readonly engine: PipelineEngine;
  readonly pipelines: AppPipelines;
}

export const appSubject = (app: string, team: string): Subject => subjectOf(appKind, { app }, { team });

/** Starts a pipeline that works on an app, whatever it is about; a second one at the same time is the specification's conflict. */
export const startAppPipeline = async <I extends object, S extends object>(
  engine: PipelineEngine,
  trx: Transaction<DB>,
  definition: PipelineDefinition<I, S>,
  { app, ...options }: StartOptions<I> & { app: string },
): Promise<string> => {
  try {
    const { pipelineId } = await engine.start(trx, definition, options);
    await trx.updateTable('app').set({ pipeline_id: pipelineId }).where('id', '=', app).execute();
    await notifyChange(trx, { kind: 'app', app, ...(options.subject.team ? { team: options.subject.team } : {}) });
    return pipelineId;
  } catch (error) {
    if (error instanceof PipelineActive) throw new Problem('WorkflowExecutionAlreadyStarted', { cause: error });
    throw error;
  }
};

const checkTeam = async (trx: Db, caller: Caller, teamId: string): Promise<void> => {
  // Shared, so that the team is not deleted meanwhile.
  const team = await trx.selectFrom('team').select(['display_name', 'state']).where('id', '=', teamId).forShare().executeTakeFirst();
  if (!team || team.state === 'DELETING' || team.state === 'NOT_CREATED') throw new Problem('TeamDoesNotExist', { field: 'teamId' });
  if (memberRule(caller, teamId) !== true) throw new Problem('NotAMember', { field: 'teamId', context: { team: team.display_name } });
};

const checkMacId = async (trx: Db, macId: string, app: string): Promise<void> => {
  const entry = await trx.selectFrom('catalogue_entry').select('id').where('id', '=', macId).executeTakeFirst();
  if (!entry) throw new Problem('MacIdDoesNotExist', { field: 'macId' });
  const other = await trx.selectFrom('app').select('id').where('mac_id', '=', macId).where('id', '!=', app).executeTakeFirst();
  if (other) throw new Problem('MacIdInUse', { field: 'macId' });
};

/** The app's row, reserved by its name. `state` CREATING until its pipeline is through. */
export const insertApp = async (trx: Transaction<DB>, caller: Caller, wanted: ApplicationCreate): Promise<void> => {
  await checkTeam(trx, caller, wanted.teamId);
  if (wanted.macId) await checkMacId(trx, wanted.macId, wanted.id);
  const row = await trx
    .insertInto('app')
    .values({
      id: wanted.id,
      display_name: wanted.displayName,
      team_id: wanted.teamId,
      mac_id: wanted.macId ?? null,
      state: 'CREATING',
      created_by: caller.id,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst()
    .catch(macIdTaken);
  if (!row) throw new Problem('ApplicationAlreadyExists', { field: 'id' });
  // An earlier app of this name may have been another team's: nobody of it may re-run its pipelines here.
  await trx.updateTable('pipeline').set({ team_id: null }).where('app_id', '=', wanted.id).execute();
};

/** Two apps asked for one macId at the same time. */
const macIdTaken = (error: unknown): never => {
  if (hasCode(error, '23505') && error instanceof Error && 'constraint' in error && error.constraint === 'app_mac_id_key')
    throw new Problem('MacIdInUse', { field: 'macId', cause: error });
  throw error;
};

export const createApp = (deps: AppDeps, caller: Caller, wanted: ApplicationCreate): Promise<string> =>
  transaction(deps.db, async (trx) => {
    await insertApp(trx, caller, wanted);
    const pipelineId = await startAppPipeline(deps.engine, trx, deps.pipelines.create, {
      input: { app: wanted.id, team: wanted.teamId },
      subject: appSubject(wanted.id, wanted.teamId),
      app: wanted.id,
      createdBy: caller,
      trigger: triggerBy(caller),
    });
    await recordWrite(trx, caller, {
      type: 'applicationCreate',
      reason: 'Created',
      message: `${caller.displayName} created the app ${wanted.id}`,
      subject: appSubject(wanted.id, wanted.teamId),
      pipelineId,
      after: wanted,
    });
    return pipelineId;
  });

/** Takes turns with everything else that changes the app or makes something in it. */
export const lockApp = (trx: Db, id: string) =>
  trx.selectFrom('app').select(['id', 'state']).where('id', '=', id).forUpdate().executeTakeFirst();

const existing = async (db: Db, id: string, caller: Caller): Promise<Application> => {
  const app = await appById(db, id, caller);
  if (!app) throw new Problem('ApplicationDoesNotExists');
  return app;
};

export const updateApp = (deps: AppDeps, caller: Caller, id: string, wanted: z.infer<typeof ApplicationUpdate>): Promise<Application> =>
  transaction(deps.db, async (trx) => {
    await lockApp(trx, id);
    const before = await existing(trx, id, caller);
    if (before.teamId !== wanted.teamId) await checkTeam(trx, caller, wanted.teamId);
    await trx.updateTable('app').set({ display_name: wanted.displayName, team_id: wanted.teamId }).where('id', '=', id).execute();
    // Who may step into its pipelines moves with the app.
    await trx
      .updateTable('pipeline')
      .set({ team_id: wanted.teamId })
      .where('app_id', '=', id)
      .where('team_id', '=', before.teamId)
      .execute();
    await recordWrite(trx, caller, {
      type: 'applicationUpdate',
      reason: before.teamId === wanted.teamId ? 'Renamed' : 'TeamChanged',
      message:
        before.teamId === wanted.teamId
          ? `${caller.displayName} renamed ${id}`
          : `${caller.displayName} moved ${id} to the team ${wanted.teamId}`,
      subject: appSubject(id, wanted.teamId),
      before: { displayName: before.displayName, teamId: before.teamId },
      after: wanted,
    });
    await notifyChange(trx, { kind: 'app', app: id, team: wanted.teamId });
    return existing(trx, id, caller);
  });

/** Once set it stays (specification 2, §4). */
export const setMacId = (deps: AppDeps, caller: Caller, id: string, macId: string): Promise<Application> =>
  transaction(deps.db, async (trx) => {
    await lockApp(trx, id);
    const before = await existing(trx, id, caller);
    if (before.macId !== null) throw new Problem('MacIdAlreadySet', { field: 'macId' });
    await checkMacId(trx, macId, id);
    await trx.updateTable('app').set({ mac_id: macId }).where('id', '=', id).execute().catch(macIdTaken);
    await recordWrite(trx, caller, {
      type: 'applicationMacIdSet',
      reason: 'MacIdSet',
      message: `${caller.displayName} set the macId of ${id} to ${macId}`,
      subject: appSubject(id, before.teamId),
      after: { macId },
    });
    await notifyChange(trx, { kind: 'app', app: id });
    return existing(trx, id, caller);
  });

const repositoryNames = async (trx: Db, app: string): Promise<string[]> => {
  const rows = await trx.selectFrom('service').select('repository_name as name').where('app_id', '=', app).execute();
  return rows.flatMap(({ name }) => name ?? []);
};

export const deleteApp = (deps: AppDeps, caller: Caller, id: string): Promise<string> =>
  transaction(deps.db, async (trx) => {
    await lockApp(trx, id);
    const before = await existing(trx, id, caller);
    if (before.serviceCount > 0 && before.state !== 'NOT_CREATED') throw new Problem('ExistingServices');
    await trx.updateTable('app').set({ state: 'DELETING' }).where('id', '=', id).execute();
    const pipelineId = await startAppPipeline(deps.engine, trx, deps.pipelines.remove, {
      input: { app: id, team: before.teamId, stateBefore: before.state, leftOver: await repositoryNames(trx, id) },
      subject: appSubject(id, before.teamId),
      app: id,
      createdBy: caller,
      trigger: triggerBy(caller),
    });
    await recordWrite(trx, caller, {
      type: 'applicationDelete',
      reason: 'Deleted',
      message: `${caller.displayName} deleted the app ${id}`,
      subject: appSubject(id, before.teamId),
      pipelineId,
      before: { displayName: before.displayName, teamId: before.teamId, macId: before.macId },
    });
    return pipelineId;
  });
