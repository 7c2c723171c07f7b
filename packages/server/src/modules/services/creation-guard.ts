/** Creation of services: a row reserves the name first, and the creation pipeline works on that row. */
import type { Transaction } from 'kysely';
import type { ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { newId } from '#kernel/ids.ts';
import { Problem } from '#kernel/problem.ts';
import type { PipelineDefinition } from '#modules/pipelines/index.ts';
import { rowAt } from '#modules/resources/index.ts';
import { policySeen } from './repository/image-policy.ts';
import { recordOutcome, serviceOf } from './pipelines/service-pipeline.ts';
import type { ServiceKey, ServiceRef } from './services.sql.ts';

export interface Reservation {
  readonly key: ServiceKey;
  readonly spec: ServiceSpec;
  readonly active?: boolean;
  readonly createdBy: string;
  /** Field at which a taken name is reported. */
  readonly field: string;
}

/** Inserts the service's row. Throws ServiceAlreadyExists at the field. */
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

export const rememberCreation = async (trx: Transaction<DB>, key: ServiceKey, pipelineId: string): Promise<void> => {
  await trx
    .updateTable('service')
    .set({ creation_pipeline_id: pipelineId })
    .where(({ and }) => and(rowAt(key, key.service)))
    .execute();
};
export const setServiceState = async (db: Db, { id }: Pick<ServiceRef, 'id'>, state: 'ACTIVE' | 'NOT_CREATED'): Promise<void> => {
  await db.updateTable('service').set({ state }).where('id', '=', id).execute();
};

/** Marks the service as active if its creation completed, otherwise as not created, which offers Re-run and Discard. */
export const creationFinished =
  <I extends ServiceKey, S extends object>(type: string): NonNullable<PipelineDefinition<I, S>['onFinished']> =>
  async (trx, run) => {
    await setServiceState(trx, serviceOf(run), run.outcome === 'COMPLETED' ? 'ACTIVE' : 'NOT_CREATED');
    await recordOutcome<I, S>(type)(trx, run);
  };
