/**
 * A pipeline can be re-run when its service was deleted, and the name given to another one: that is none of its business. It must
 * neither be deleted, nor stopped, nor get the settings of the former.
 */
import { sql } from 'kysely';
import type { Db } from '#db/database.ts';
import { StepFailure, type PipelineDefinition } from '#modules/pipelines/index.ts';
import { recordOutcome } from '../record-outcome.ts';
import type { ServiceKey } from '../services.sql.ts';

/** Whether the service of the name was made after the pipeline was started. */
const isAnother = async (db: Db, { app, environment, service }: ServiceKey, pipelineId: string): Promise<boolean> => {
  const { rows } = await sql`select 1 from service join pipeline on pipeline.id = ${pipelineId}
    where service.app_id = ${app} and service.environment = ${environment} and service.name = ${service}
      and service.created_at > pipeline.created_at`.execute(db);
  return rows.length > 0;
};

export const sameService = <I extends ServiceKey, S extends object>(
  db: Db,
  definition: PipelineDefinition<I, S>,
): PipelineDefinition<I, S> => ({
  ...definition,
  steps: definition.steps.map(({ run, undo, ...step }) => ({
    ...step,
    run: async (c) => {
      if (await isAnother(db, c.input, c.pipelineId)) throw new StepFailure('Discarded');
      return run(c);
    },
    ...(undo && {
      undo: async (c) => {
        if (!(await isAnother(db, c.input, c.pipelineId))) await undo(c);
      },
    }),
  })),
  onFinished: async (trx, run) => {
    const finish = (await isAnother(trx, run.input, run.pipelineId)) ? recordOutcome(definition.type) : definition.onFinished;
    await finish?.(trx, run);
  },
});
