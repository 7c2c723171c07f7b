/** Takes back what a failed or cancelled run made: the steps' undos in reverse. One that fails is recorded and stops no other. */
import type { StepMessage } from '@slipway/contract/pipeline/pipeline.ts';
import { stepMessageOf } from '@slipway/contract/pipeline/steps.ts';
import { inSpan } from '#kernel/telemetry/tracing.ts';
import { LeaseLost } from './lease.ts';
import { outageOf, wait, waitMs } from './outage.ts';
import { recordUndo } from './run.sql.ts';
import type { RunWork, Step } from './run-work.ts';
import { StepLog } from './step-log.ts';

/**
 * Newest first over everything that was begun. What lies at or before a completed point of no return stays: a run that shifted the
 * traffic must not stop the instances that serve it.
 */
export async function runUndos(work: RunWork): Promise<void> {
  for (const step of work.steps.toReversed()) {
    if (step.state === 'COMPLETED' && step.is_point_of_no_return) return;
    const isBegun = step.state === 'COMPLETED' || step.state === 'FAILED' || (step.state === 'CANCELED' && step.attempt > 0);
    const isPending = isBegun && !step.undone_at && !step.undo_failed_at;
    if (isPending && work.definitionOf(step)?.undo) await inSpan(`undo ${step.code}`, {}, () => runUndo(work, step));
  }
}

async function runUndo(work: RunWork, step: Step): Promise<void> {
  const log = new StepLog(work.lease, step.index, work.log);
  const reason = await tryUndo(work, step, log);
  log.add(reason === undefined ? 'This step was rolled back' : `Undo failed: ${reason}`, reason === undefined ? 'INFO' : 'ERROR');
  await log.flush();
  const message: StepMessage = reason === undefined ? { code: 'Undone', context: {} } : { code: 'UndoFailed', context: { reason } };
  await work.write(() => recordUndo(work.lease, step.index, reason === undefined, message));
}

/** Undefined when it worked, else the reason in words for users. */
async function tryUndo(work: RunWork, step: Step, log: StepLog): Promise<string | undefined> {
  const { lease, timing } = work;
  for (let tries = 1; ; tries++) {
    try {
      await work.definitionOf(step)?.undo?.(work.context(step, log, lease.lost));
      lease.check();
      return undefined;
    } catch (error) {
      lease.check();
      if (error instanceof LeaseLost) throw error;
      const outage = outageOf(error);
      if (!outage) return reasonOf(work, step, error);
      if (tries >= timing.undoAttempts) return outage.reason;
      log.add(`Undo: ${outage.reason}: ${outage.detail}`, 'WARNING');
      await wait(waitMs(tries, timing.outage), lease.lost).catch(() => lease.check());
    }
  }
}

function reasonOf(work: RunWork, step: Step, error: unknown): string {
  const { code, context } = work.messageOf(error, step);
  return code === 'INTERNAL_APPLICATION_ERROR' ? `trace id ${context.traceId}` : stepMessageOf(step.code, { code, context }) || code;
}
