/** Drives one run over its step table: forward until a step fails or somebody cancels, then back over the undos, then its end. */
import { idsOf } from '@slipway/contract/kinds.ts';
import type { StepMessage } from '@slipway/contract/pipeline/pipeline.ts';
import { transaction } from '#db/database.ts';
import { inSpan, spanFailed } from '#kernel/telemetry/tracing.ts';
import { notifyFailedRun } from '#modules/notifications/index.ts';
import type { Outcome } from './definition.ts';
import { LeaseLost } from './lease.ts';
import { durably, isPassing } from './outage.ts';
import { advance, beginEnding, endRun, type StepEnd } from './run.sql.ts';
import { runStep, type StepDone } from './run-step.ts';
import { runUndos } from './run-undos.ts';
import type { RunWork, Step } from './run-work.ts';

/** How often `onFinished` is tried before the run ends without it. */
const FINISH_ATTEMPTS = 3;

/** Resolves when the run has ended. Throws LeaseLost when this replica has to let go of it. */
export async function runPipeline(work: RunWork): Promise<void> {
  const ending = work.ending ?? (await forwardSafely(work));
  if (ending === 'COMPLETED') return;
  work.ending = ending;
  await runUndos(work);
  await finish(work, ending, undefined);
}

/** Ends a run that must not be tried again. Runs no undo, because the undo may be what kills the replica. */
export async function endAsFailed(work: RunWork): Promise<void> {
  const step = work.steps.find(({ state }) => state === 'RUNNING') ?? work.steps[0];
  const message = work.unforeseen(new Error('A pipeline run was given up after too many crashes'), step, 'Gave up a pipeline run');
  const ending = work.ending ?? (step && (await fail(work, step, message)));
  await finish(work, ending ?? 'FAILED', undefined);
}

/** Fails the run on an error of the engine itself (for example, a result that is not JSON), as on a step's own error. */
async function forwardSafely(work: RunWork): Promise<Outcome> {
  try {
    return await forward(work);
  } catch (error) {
    const step = work.steps.findLast(({ attempt }) => attempt > 0) ?? work.steps[0];
    if (error instanceof LeaseLost || !step) throw error;
    return fail(work, step, work.unforeseen(error, step, 'A pipeline run failed unexpectedly'));
  }
}

async function forward(work: RunWork): Promise<Outcome> {
  const start = work.steps.findIndex(({ state }) => state === 'RUNNING' || state === 'PENDING');
  if (work.row.cancel_requested_at && work.steps[start]?.state !== 'RUNNING') return cancel(work);
  for (const step of start < 0 ? [] : work.steps.slice(start)) {
    step.state = 'RUNNING';
    step.attempt = Math.max(step.attempt, 1);
    const ended = await inSpan(`step ${step.code}`, { attributes: { 'slipway.attempt': step.attempt } }, () => runStep(work, step));
    if (ended.kind === 'failed') return fail(work, step, ended.message);
    if (ended.kind === 'cancelled') return cancel(work, step);
    const ending = await endStep(work, step, ended);
    if (ending) return ending;
  }
  return complete(work, undefined);
}

/** Returns undefined if the run continues with the next step. */
async function endStep(work: RunWork, step: Step, done: StepDone): Promise<Outcome | undefined> {
  step.state = done.state;
  work.bag = { ...work.bag, ...done.bag };
  const end = { index: step.index, state: done.state, message: done.message, bag: done.bag };
  const next = work.steps[work.steps.indexOf(step) + 1];
  if (!next) return complete(work, end);
  const { isCancelled } = await work.write(() => advance(work.lease, end, next));
  return isCancelled ? cancel(work) : undefined;
}

async function complete(work: RunWork, last: StepEnd | undefined): Promise<Outcome> {
  const outcome = await finish(work, 'COMPLETED', last);
  if (outcome === 'cancelled') return cancel(work);
  const step = work.steps.at(-1);
  // The work is done, but the platform cannot record it. The undos remove the results, so that nothing is left without rows.
  if (typeof outcome === 'object' && step) return fail(work, step, outcome);
  return 'COMPLETED';
}

async function fail(work: RunWork, step: Step, message: StepMessage): Promise<Outcome> {
  spanFailed(message.code);
  step.state = 'FAILED';
  work.failure = { step: step.code, message };
  await work.write(() => beginEnding(work.lease, 'FAILED', { index: step.index, code: step.code, message }));
  return 'FAILED';
}

/** Cancels the run. `step` is a step that was stopped in the middle. */
async function cancel(work: RunWork, step?: Step): Promise<Outcome> {
  const { lease } = work;
  const row = lease.db.selectFrom('pipeline_run').select('cancel_requested_by_name as by').where('run_id', '=', lease.runId);
  const by = (await durably(lease, () => row.executeTakeFirst()))?.by ?? '';
  if (step) step.state = 'CANCELED';
  const stopped = step && { index: step.index, code: step.code, message: { code: 'Canceled', context: { by } } };
  await work.write(() => beginEnding(lease, 'CANCELED', stopped));
  return 'CANCELED';
}

/**
 * Writes the last step's end, the run's end, and the module's part in one transaction. Returns a message if the module's part failed
 * repeatedly and left the completed run open. A failed or cancelled run ends without the module's part.
 */
async function finish(work: RunWork, outcome: Outcome, last: StepEnd | undefined): Promise<'ended' | 'cancelled' | StepMessage> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work.write(() => tryFinish(work, outcome, last, true));
    } catch (error) {
      if (error instanceof LeaseLost || isPassing(error)) throw error;
      if (attempt < FINISH_ATTEMPTS) continue;
      const message = work.unforeseen(error, undefined, `Could not finish a pipeline run that is ${outcome}`);
      if (outcome === 'COMPLETED') return message;
      return work.write(() => tryFinish(work, outcome, last, false));
    }
  }
}

async function tryFinish(
  work: RunWork,
  outcome: Outcome,
  last: StepEnd | undefined,
  withModule: boolean,
): Promise<'ended' | 'cancelled' | undefined> {
  const { lease, row, definition } = work;
  const isEnded = await transaction(lease.db, async (trx) => {
    if (!(await endRun(trx, lease, outcome, last))) return false;
    if (withModule) {
      if (outcome === 'FAILED') await notifyFailedRun(trx, row.pipeline_id, row.run_id);
      await definition.onFinished?.(trx, {
        pipelineId: row.pipeline_id,
        runId: row.run_id,
        ids: idsOf(row.subject_keys),
        input: row.input,
        state: work.bag,
        outcome,
        failure: outcome === 'FAILED' ? work.failure : undefined,
        createdBy: { id: row.created_by, displayName: row.created_by_name },
      });
    }
    return true;
  });
  if (isEnded) return 'ended';
  const advanced = last && (await advance(lease, last, undefined));
  return advanced?.isCancelled ? 'cancelled' : undefined;
}
