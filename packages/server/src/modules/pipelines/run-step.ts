/** Runs one step until it ends. An engine that is away is waited for, visibly and for as long as it takes. */
import type { StepMessage } from '@slipway/contract/pipeline/pipeline.ts';
import { stepMessageOf } from '@slipway/contract/pipeline/steps.ts';
import { spanFailed } from '#kernel/telemetry/tracing.ts';
import { LeaseLost } from './lease.ts';
import { outageOf, wait, waitMs, type EngineOutage } from './outage.ts';
import { recordAttempt } from './run.sql.ts';
import type { RunWork, Step } from './run-work.ts';
import { StepLog } from './step-log.ts';

export interface StepDone {
  readonly kind: 'done';
  readonly state: 'COMPLETED' | 'SKIPPED';
  readonly message: StepMessage | undefined;
  readonly bag: object;
}
export type StepEnding = StepDone | { readonly kind: 'failed'; readonly message: StepMessage } | { readonly kind: 'cancelled' };
interface Outage extends EngineOutage {
  readonly kind: 'outage';
}

/** Throws LeaseLost when this replica has to let go of the run. */
export async function runStep(work: RunWork, step: Step): Promise<StepEnding> {
  const log = new StepLog(work.lease, step.index, work.log);
  try {
    for (let tries = 1; ; tries++) {
      const ended = await tryStep(work, step, log);
      if (ended.kind === 'failed') spanFailed(ended.message.code);
      if (ended.kind === 'failed') log.add(stepMessageOf(step.code, ended.message) || ended.message.code, 'ERROR');
      if (ended.kind !== 'outage') return ended;
      await waitForEngine(work, step, { ...ended, tries }, log);
      if (work.lease.isCancelled) return { kind: 'cancelled' };
    }
  } finally {
    await log.flush();
  }
}

async function tryStep(work: RunWork, step: Step, log: StepLog): Promise<StepEnding | Outage> {
  const { lease } = work;
  try {
    const definition = work.definitionOf(step);
    if (!definition) throw new Error(`This version knows no step ${step.code} of ${work.definition.type}`);
    const result = (await definition.run(work.context(step, log, lease.signal))) ?? {};
    lease.check();
    return { kind: 'done', state: result.skipped ? 'SKIPPED' : 'COMPLETED', message: result.message, bag: result.state ?? {} };
  } catch (error) {
    lease.check();
    if (error instanceof LeaseLost) throw error;
    if (lease.isCancelled) return { kind: 'cancelled' };
    const outage = outageOf(error);
    return outage ? { kind: 'outage', ...outage } : { kind: 'failed', message: work.messageOf(error, step) };
  }
}

async function waitForEngine(work: RunWork, step: Step, outage: Outage & { tries: number }, log: StepLog): Promise<void> {
  const { lease } = work;
  step.attempt += 1;
  const message = { code: outage.code, context: { engine: outage.engine, attempt: String(step.attempt) } };
  log.add(`${outage.reason.charAt(0).toUpperCase()}${outage.reason.slice(1)}: ${outage.detail}`, 'WARNING');
  await work.write(() => recordAttempt(lease, step.index, step.attempt, message));
  await wait(waitMs(outage.tries, work.timing.outage), lease.signal).catch(() => lease.check());
}
