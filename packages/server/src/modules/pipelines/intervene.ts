/** Cancels and re-runs pipelines for people, in the transaction of their request. */
import { pipelineHint } from '@slipway/contract/hint.ts';
import { idsOf } from '@slipway/contract/kinds.ts';
import {
  pipelineCancelRule,
  pipelineRerunRule,
  pipelineStopWaitingRule,
  type PipelineState,
  type StepState,
} from '@slipway/contract/pipeline/pipeline.ts';
import { pipelineKind } from '@slipway/contract/kinds/pipeline.kind.ts';
import type { Subject } from '@slipway/contract/kernel/subject.ts';
import { sql, type Transaction } from 'kysely';
import type { DB } from '#db/types.ts';
import { notifyChange } from '#kernel/changes.ts';
import { newId } from '#kernel/ids.ts';
import { Problem } from '#kernel/problem.ts';
import { subjectOfRow } from '#modules/activity/index.ts';
import { PipelineActive, type AnyPipeline, type Person } from './definition.ts';
import { PIPELINE_CHANNEL } from './queue.sql.ts';
import type { Started } from './start-options.ts';
import { insertRun, type NewStep } from './start.sql.ts';

export type DefinitionOf = (type: string) => AnyPipeline;

/**
 * Requests the cancellation: the replica that drives the run stops its step and undoes the others. Ends a run that no replica has begun.
 * Throws PipelineDoesNotExist or PipelineUncancellableState.
 */
export async function cancelPipeline(
  trx: Transaction<DB>,
  definitionOf: DefinitionOf,
  { pipelineId, by }: { pipelineId: string; by: Person },
): Promise<void> {
  const { run, steps, hint, ids } = await lockLatestRun(trx, pipelineId);
  if (pipelineCancelRule(asStatus(run.state, steps)) !== true) throw new Problem('PipelineUncancellableState');
  await trx
    .updateTable('pipeline_run')
    .set({
      cancel_requested_at: sql`coalesce(cancel_requested_at, now())`,
      cancel_requested_by: sql`coalesce(cancel_requested_by, ${by.id})`,
      cancel_requested_by_name: sql`coalesce(cancel_requested_by_name, ${by.displayName})`,
    })
    .where('run_id', '=', run.run_id)
    .execute();
  if (run.state === 'QUEUED' && steps.every(({ state }) => state === 'PENDING')) await endUntouched(trx, definitionOf(run.type), run, ids);
  else await sql`select pg_notify(${PIPELINE_CHANNEL}, ${`cancel ${run.run_id}`})`.execute(trx);
  await notifyChange(trx, hint);
}

/** Ends the waiting of the step Start instances. Throws PipelineDoesNotExist or PipelineStepNotWaiting. */
export async function stopWaiting(trx: Transaction<DB>, pipelineId: string): Promise<void> {
  const { run, steps } = await lockLatestRun(trx, pipelineId);
  const rule = pipelineStopWaitingRule(asStatus(run.state, steps));
  if (rule !== true) throw new Problem(rule);
  await trx
    .updateTable('pipeline_run')
    .set({ stop_waiting_at: sql`coalesce(stop_waiting_at, now())` })
    .where('run_id', '=', run.run_id)
    .execute();
}

async function endUntouched(
  trx: Transaction<DB>,
  definition: AnyPipeline,
  run: LockedRun,
  ids: Readonly<Record<string, string>>,
): Promise<void> {
  await trx
    .updateTable('pipeline_run')
    .set({ state: 'CANCELED', ended_at: sql`now()` })
    .where('run_id', '=', run.run_id)
    .execute();
  await trx.updateTable('pipeline_step').set({ state: 'CANCELED' }).where('run_id', '=', run.run_id).execute();
  await definition.onFinished?.(trx, {
    pipelineId: run.pipeline_id,
    runId: run.run_id,
    ids,
    input: run.input,
    state: run.bag,
    outcome: 'CANCELED',
    failure: undefined,
    createdBy: { id: run.created_by, displayName: run.created_by_name },
  });
}

/**
 * Starts a new run of the same pipeline, from the start or from the earliest step that is not done or no longer done. Throws
 * PipelineDoesNotExist, PipelineNotFailed, or PipelineActive if another pipeline works on the subject.
 */
export async function rerunPipeline(
  trx: Transaction<DB>,
  definitionOf: DefinitionOf,
  request: { pipelineId: string; from: 'failedStep' | 'start'; by: Person },
): Promise<Started> {
  const { run, steps, hint } = await lockLatestRun(trx, request.pipelineId);
  const rule = pipelineRerunRule(asStatus(run.state, steps));
  if (rule !== true) throw new Problem(rule);
  await definitionOf(run.type).beforeRerun?.(trx, { pipelineId: run.pipeline_id, input: run.input });
  const isFromStart = request.from === 'start';
  const runId = newId('run');
  const isInserted = await insertRun(trx, {
    runId,
    pipelineId: request.pipelineId,
    number: run.number + 1,
    type: run.type,
    lock: run.subject,
    input: run.input,
    // The steps need their earlier state to find half-made resources again.
    bag: isFromStart ? {} : run.bag,
    createdBy: request.by,
    hint: JSON.stringify(hint),
    steps: isFromStart ? plan(definitionOf(run.type), [], run.run_id) : plan(definitionOf(run.type), steps, run.run_id),
  });
  if (!isInserted) throw new PipelineActive(run.subject);
  return { pipelineId: request.pipelineId, runId };
}

/** Returns the steps of the new run. Keeps the steps before the earliest step that has to be done (again). */
function plan(definition: AnyPipeline, steps: readonly LockedStep[], runId: string): NewStep[] {
  const isKept = (code: string) => {
    const step = steps.find((item) => item.code === code);
    return (
      step !== undefined &&
      (step.state === 'COMPLETED' || step.state === 'SKIPPED') &&
      !step.undone_at &&
      !step.undo_failed_at &&
      step.ended_at
    );
  };
  const first = definition.steps.findIndex(({ code }) => !isKept(code));
  return definition.steps.map(({ code, isPointOfNoReturn = false }, index) => ({
    code,
    isPointOfNoReturn,
    from: index < first ? runId : null,
  }));
}

/** Subject of a pipeline whose row has no subject. Only viewers of pipelines receive its change hints. */
const NOTHING: Subject = { kind: pipelineKind.kind, names: {} };

type LockedRun = Awaited<ReturnType<typeof lockLatestRun>>['run'];
type LockedStep = Awaited<ReturnType<typeof lockLatestRun>>['steps'][number];

/**
 * Locks the latest run, so that this transaction and the replica that advances the run take turns, see `advance`. Uses NO KEY locks: a
 * second update of a run in one transaction checks its foreign key again. A full lock on the pipeline's row would deadlock with that check.
 */
async function lockLatestRun(trx: Transaction<DB>, pipelineId: string) {
  const pipeline = await trx.selectFrom('pipeline').selectAll().where('id', '=', pipelineId).forNoKeyUpdate().executeTakeFirst();
  const run = await trx
    .selectFrom('pipeline_run')
    .selectAll()
    .where('pipeline_id', '=', pipelineId)
    .orderBy('number', 'desc')
    .limit(1)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!run || !pipeline) throw new Problem('PipelineDoesNotExist');
  const steps = await trx.selectFrom('pipeline_step').selectAll().where('run_id', '=', run.run_id).orderBy('index').execute();
  return { run, steps, hint: pipelineHint(subjectOfRow(pipeline) ?? NOTHING, pipelineId), ids: idsOf(pipeline.subject_keys) };
}

const asStatus = (state: PipelineState, steps: readonly { code: string; state: StepState; is_point_of_no_return: boolean }[]) => ({
  status: {
    state,
    steps: steps.map((step) => ({
      name: '',
      code: step.code,
      state: step.state,
      message: null,
      startedAt: null,
      endedAt: null,
      usualMs: null,
      isPointOfNoReturn: step.is_point_of_no_return,
    })),
  },
});
