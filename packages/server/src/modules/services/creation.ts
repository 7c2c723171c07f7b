/** A service that is being made: its name is reserved first, and its pipeline touches it only while it is the one that makes it. */
import type { Transaction } from 'kysely';
import type { ServiceSpec } from '@slipway/contract/service-spec.ts';
import type { Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { newId } from '#kernel/ids.ts';
import { Problem } from '#kernel/problem.ts';
import { StepFailure, type PipelineDefinition, type StepDefinition } from '#modules/pipelines/index.ts';
import { policySeen } from './repository/image-policy.ts';
import { recordOutcome } from './record-outcome.ts';
import { serviceRow, type ServiceKey } from './services.sql.ts';

export interface Reservation {
  readonly key: ServiceKey;
  readonly spec: ServiceSpec;
  readonly active?: boolean;
  readonly createdBy: string;
  /** Where a name that is taken is told. */
  readonly field: string;
}

/** Throws ServiceAlreadyExists at the field. */
export const reserveService = async (trx: Transaction<DB>, { key, spec, active = true, createdBy, field }: Reservation): Promise<void> => {
  const row = await trx
    .insertInto('service')
    .values({
      id: newId('svc'),
      app_id: key.app,
      environment: key.environment,
      name: key.service,
      spec: JSON.stringify(spec),
      active,
      ...policySeen(undefined, spec),
      state: 'CREATING',
      created_by: createdBy,
    })
    .onConflict((conflict) => conflict.columns(['app_id', 'environment', 'name']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!row) throw new Problem('ServiceAlreadyExists', { field });
};

const update = async (db: Db, key: ServiceKey, change: { state?: string; creation_pipeline_id?: string }): Promise<void> => {
  await db
    .updateTable('service')
    .set(change)
    .where('app_id', '=', key.app)
    .where('environment', '=', key.environment)
    .where('name', '=', key.service)
    .execute();
};
export const rememberCreation = (trx: Transaction<DB>, key: ServiceKey, pipelineId: string): Promise<void> =>
  update(trx, key, { creation_pipeline_id: pipelineId });
export const setServiceState = (db: Db, key: ServiceKey, state: string): Promise<void> => update(db, key, { state });

export const isCurrentCreation = async (db: Db, key: ServiceKey, pipelineId: string): Promise<boolean> =>
  (await serviceRow(db, key))?.creation_pipeline_id === pipelineId;

/** A pipeline can be re-run when what it made was discarded, and the name given to another: it must not touch that one. */
export const whileCurrent =
  <I extends ServiceKey, S extends object>(db: Db) =>
  (step: StepDefinition<I, S>): StepDefinition<I, S> => ({
    ...step,
    run: async (c) => {
      if (!(await isCurrentCreation(db, c.input, c.pipelineId))) throw new StepFailure('Discarded');
      return step.run(c);
    },
    ...(step.undo && {
      undo: async (c) => {
        if (await isCurrentCreation(db, c.input, c.pipelineId)) await step.undo?.(c);
      },
    }),
  });

/** What was made is there from now on; what was not stays as "not created", with Re-run and Discard. */
export const creationFinished =
  <I extends ServiceKey, S extends object>(type: string): NonNullable<PipelineDefinition<I, S>['onFinished']> =>
  async (trx, run) => {
    if (await isCurrentCreation(trx, run.input, run.pipelineId))
      await setServiceState(trx, run.input, run.outcome === 'COMPLETED' ? 'ACTIVE' : 'NOT_CREATED');
    await recordOutcome(type)(trx, run);
  };
