/** Use cases of teams: each checks its rules, writes rows and activity, and starts the pipeline, in one transaction. */
import type { Transaction } from 'kysely';
import type * as z from 'zod/mini';
import { subjectOf, type Subject } from '@slipway/contract/subject.ts';
import { teamKind } from '@slipway/contract/team.kind.ts';
import type { Team, TeamCreate, TeamUpdate } from '@slipway/contract/team.ts';
import { transaction, type Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { notifyChange } from '#kernel/changes.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { recordWrite } from '#modules/activity/index.ts';
import { PipelineActive, type PipelineDefinition, type PipelineEngine, triggerBy } from '#modules/pipelines/index.ts';
import type { TeamInput, TeamPipelines } from './teams.pipeline.ts';
import { lockTeam, teamById, unknownIdentities, writeMembers, type Members } from './teams.sql.ts';

export interface TeamDeps {
  readonly db: Db;
  readonly engine: PipelineEngine;
  readonly pipelines: TeamPipelines;
}

const teamSubject = (team: string): Subject => subjectOf(teamKind, { team }, { team });

/** Specification §5: valid users, and the caller among them. */
const checkMembers = async (trx: Db, caller: Caller, { ownerIds, memberIds }: Members): Promise<void> => {
  const unknown = await unknownIdentities(trx, [...ownerIds, ...memberIds]);
  if (unknown.length > 0) {
    const field = unknown.some((id) => ownerIds.includes(id)) ? 'ownerIds' : 'memberIds';
    throw new Problem('TeamMustIncludeValidUsers', { field, context: { ids: unknown.join(', ') } });
  }
  if (caller.isAdministrator || ownerIds.includes(caller.id) || memberIds.includes(caller.id)) return;
  const code = caller.type === 'SERVICE_ACCOUNT' ? 'TeamMustContainCurrentServicePrincipal' : 'TeamMustContainCurrentUser';
  throw new Problem(code, { field: 'ownerIds' });
};

const start = async (
  { engine }: TeamDeps,
  trx: Transaction<DB>,
  definition: PipelineDefinition<TeamInput, object>,
  input: TeamInput,
  caller: Caller,
): Promise<string> => {
  const { team } = input;
  try {
    const started = await engine.start(trx, definition, {
      input,
      subject: teamSubject(team),
      createdBy: caller,
      trigger: triggerBy(caller),
    });
    await trx.updateTable('team').set({ pipeline_id: started.pipelineId }).where('id', '=', team).execute();
    await notifyChange(trx, { kind: 'team', team });
    return started.pipelineId;
  } catch (error) {
    if (error instanceof PipelineActive) throw new Problem('WorkflowExecutionAlreadyStarted', { cause: error });
    throw error;
  }
};

const lockedTeam = async (trx: Db, id: string, caller: Caller): Promise<Team> => {
  await lockTeam(trx, id);
  const team = await teamById(trx, id, caller);
  if (!team) throw new Problem('TeamDoesNotExist');
  return team;
};

export const createTeam = (deps: TeamDeps, caller: Caller, wanted: TeamCreate): Promise<string> =>
  transaction(deps.db, async (trx) => {
    const row = await trx
      .insertInto('team')
      .values({ id: wanted.id, display_name: wanted.displayName, state: 'CREATING', created_by: caller.id })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst();
    if (!row) throw new Problem('TeamAlreadyExists', { field: 'id' });
    await checkMembers(trx, caller, wanted);
    await writeMembers(trx, wanted.id, wanted);
    const pipelineId = await start(deps, trx, deps.pipelines.create, { team: wanted.id, stateBefore: 'NOT_CREATED' }, caller);
    await recordWrite(trx, caller, {
      type: 'teamCreate',
      reason: 'Created',
      message: `${caller.displayName} created the team ${wanted.displayName}`,
      subject: teamSubject(wanted.id),
      pipelineId,
      after: wanted,
    });
    return pipelineId;
  });

export const updateTeam = (deps: TeamDeps, caller: Caller, id: string, wanted: z.infer<typeof TeamUpdate>): Promise<string> =>
  transaction(deps.db, async (trx) => {
    const before = await lockedTeam(trx, id, caller);
    await checkMembers(trx, caller, wanted);
    await trx.updateTable('team').set({ display_name: wanted.displayName }).where('id', '=', id).execute();
    await writeMembers(trx, id, wanted);
    const pipelineId = await start(deps, trx, deps.pipelines.update, { team: id, stateBefore: before.state }, caller);
    await recordWrite(trx, caller, {
      type: 'teamUpdate',
      reason: 'Updated',
      message: `${caller.displayName} changed the team ${wanted.displayName}`,
      subject: teamSubject(id),
      pipelineId,
      before: { displayName: before.displayName, ownerIds: before.ownerIds, memberIds: before.memberIds },
      after: wanted,
    });
    return pipelineId;
  });

export const deleteTeam = (deps: TeamDeps, caller: Caller, id: string): Promise<string> =>
  transaction(deps.db, async (trx) => {
    const before = await lockedTeam(trx, id, caller);
    if (before.applicationCount > 0) throw new Problem('TeamExistingApplications');
    await trx.updateTable('team').set({ state: 'DELETING' }).where('id', '=', id).execute();
    const pipelineId = await start(deps, trx, deps.pipelines.remove, { team: id, stateBefore: before.state }, caller);
    await recordWrite(trx, caller, {
      type: 'teamDelete',
      reason: 'Deleted',
      message: `${caller.displayName} deleted the team ${before.displayName}`,
      subject: teamSubject(id),
      pipelineId,
      before: { displayName: before.displayName, ownerIds: before.ownerIds, memberIds: before.memberIds },
    });
    return pipelineId;
  });
