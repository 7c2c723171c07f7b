/** Inserts the rows of a new run in the caller's transaction. The rows are also the run's place in the queue. */
import { pipelineHint } from '@slipway/contract/hint.ts';
import { subjectKey } from '@slipway/contract/kinds.ts';
import { sql, type Kysely } from 'kysely';
import type { DB } from '#db/types.ts';
import { CHANGE_CHANNEL } from '#kernel/changes.ts';
import { newId } from '#kernel/ids.ts';
import { traceparentNow } from '#kernel/telemetry/tracing.ts';
import { subjectColumns } from '#modules/activity/index.ts';
import { PipelineActive, type AnyPipeline, type Person } from './definition.ts';
import { announceStart } from './queue.sql.ts';
import type { Started, StartOptions } from './start-options.ts';

export interface NewRun {
  readonly runId: string;
  readonly pipelineId: string;
  readonly number: number;
  readonly type: string;
  /** Key that allows one active run at a time. */
  readonly lock: string;
  readonly input: object;
  readonly bag: object;
  readonly createdBy: Person;
  readonly hint: string;
  readonly steps: readonly NewStep[];
}
/** `from` is the run whose step of the same code is kept. */
export interface NewStep {
  readonly code: string;
  readonly isPointOfNoReturn: boolean;
  readonly from: string | null;
}

/** Throws PipelineActive if the subject has an active run. The caller's transaction is still usable afterwards. */
export async function insertPipeline(trx: Kysely<DB>, definition: AnyPipeline, options: StartOptions<object>): Promise<Started> {
  const pipelineId = newId('pl');
  const runId = newId('run');
  const { subject, createdBy } = options;
  const lock = subjectKey(options.lock ?? subject);
  await trx
    .insertInto('pipeline')
    .values({
      id: pipelineId,
      type: definition.type,
      subject: lock,
      ...subjectColumns(subject),
      trigger: options.trigger,
      facts: JSON.stringify(options.facts ?? {}),
      created_by: createdBy.id,
      created_by_name: createdBy.displayName,
      latest_run_id: runId,
    })
    .execute();
  const steps = definition.steps.map((step) => ({ code: step.code, isPointOfNoReturn: step.isPointOfNoReturn === true, from: null }));
  const hint = JSON.stringify(pipelineHint(subject, pipelineId));
  const run = {
    runId,
    pipelineId,
    number: 1,
    type: definition.type,
    lock,
    input: options.input,
    bag: {},
    createdBy,
    hint,
    steps,
  };
  if (await insertRun(trx, run)) return { pipelineId, runId: run.runId };
  await trx.deleteFrom('pipeline').where('id', '=', pipelineId).execute();
  throw new PipelineActive(lock);
}

/** Returns false if the subject has an active run. The partial unique index decides, also between concurrent transactions. */
export async function insertRun(trx: Kysely<DB>, run: NewRun): Promise<boolean> {
  const { rows } = await sql`
    with run as (
      insert into pipeline_run (run_id, pipeline_id, number, type, subject, state, input, bag, created_by, created_by_name, trace_context)
      values (${run.runId}, ${run.pipelineId}, ${run.number}, ${run.type}, ${run.lock}, 'QUEUED', ${JSON.stringify(run.input)},
        ${JSON.stringify(run.bag)}, ${run.createdBy.id}, ${run.createdBy.displayName}, ${traceparentNow()})
      on conflict (subject) where state in ('QUEUED', 'PENDING', 'RUNNING') do nothing
      returning run_id
    ), step as (
      insert into pipeline_step (run_id, index, code, is_point_of_no_return, state, message, attempt, started_at, ended_at)
      select run.run_id, new.ordinality - 1, new.code, new.is_point, coalesce(kept.state, 'PENDING'), kept.message,
        coalesce(kept.attempt, 0), kept.started_at, kept.ended_at
      from run, unnest(${run.steps.map(({ code }) => code)}::text[], ${run.steps.map((step) => step.isPointOfNoReturn)}::boolean[],
          ${run.steps.map(({ from }) => from)}::text[]) with ordinality as new (code, is_point, kept_from, ordinality)
        left join pipeline_step as kept on kept.run_id = new.kept_from and kept.code = new.code
    ) select ${announceStart}, pg_notify(${CHANGE_CHANNEL}, ${run.hint}) from run`.execute(trx);
  return rows.length > 0;
}
