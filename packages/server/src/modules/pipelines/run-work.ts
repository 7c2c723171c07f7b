/** Shared state of the parts that drive a run: its rows as this replica knows them, and helpers for writes and messages. */
import type { StepMessage } from '@slipway/contract/pipeline/pipeline.ts';
import { idsOf } from '@slipway/contract/kinds.ts';
import { traceIdNow } from '#kernel/telemetry/tracing.ts';
import { isPortFailure } from '#ports/failure.ts';
import type { Log } from '#ports/log.ts';
import { StepFailure, type AnyPipeline, type FinishedRun, type StepContext, type StepDefinition } from './definition.ts';
import { LeaseLost, type Lease } from './lease.ts';
import { durably, type Backoff } from './outage.ts';
import { addFacts, type RunRow, type StepRow } from './run.sql.ts';
import type { StepLog } from './step-log.ts';

export interface Timing {
  /** Backoff between tries of a step whose engine is unavailable. */
  readonly outage: Backoff;
  /** Number of times that an undo tries an unavailable engine before giving up, because somebody waits for the outcome. */
  readonly undoAttempts: number;
}

/** A step's row, updated with every write. */
export type Step = { -readonly [K in keyof StepRow]: StepRow[K] };

export class RunWork {
  readonly lease: Lease;
  readonly definition: AnyPipeline;
  readonly row: RunRow;
  readonly steps: readonly Step[];
  readonly log: Log;
  readonly timing: Timing;
  bag: object;
  /** Set once the run can no longer complete. */
  ending: 'FAILED' | 'CANCELED' | undefined;
  failure: FinishedRun<object, object>['failure'];

  constructor(work: { lease: Lease; definition: AnyPipeline; row: RunRow; steps: readonly StepRow[]; log: Log; timing: Timing }) {
    this.lease = work.lease;
    this.definition = work.definition;
    this.row = work.row;
    this.steps = work.steps.map((step) => ({ ...step }));
    this.log = work.log;
    this.timing = work.timing;
    this.bag = work.row.bag;
    this.ending = work.row.ending ?? undefined;
    if (work.row.ending === 'FAILED' && work.row.status_message) {
      const { step, ...message } = work.row.status_message;
      this.failure = { step, message };
    }
  }

  definitionOf(step: Step): StepDefinition<object, object> | undefined {
    return this.definition.steps.find(({ code }) => code === step.code);
  }

  context(step: Step, log: StepLog, signal: AbortSignal): StepContext<object, object> {
    return {
      pipelineId: this.row.pipeline_id,
      runId: this.row.run_id,
      runNumber: this.row.number,
      ids: idsOf(this.row.subject_keys),
      input: this.row.input,
      state: this.bag,
      attempt: step.attempt,
      signal,
      createdBy: { id: this.row.created_by, displayName: this.row.created_by_name },
      ...(this.ending ? { ending: this.ending } : {}),
      log: (line, level) => log.add(line, level),
      setFacts: async (facts) => {
        await this.write(() => addFacts(this.lease, facts));
      },
    };
  }

  /** Returns a message for users. Users see only texts of the catalogue. Unexpected errors go to the log under a trace id. */
  messageOf(error: unknown, step: Step): StepMessage {
    if (error instanceof StepFailure) return { code: error.code, context: error.context };
    if (isPortFailure(error, 'rejected') && error.code) return { code: error.code, context: error.context };
    return this.unforeseen(error, step, 'A pipeline step failed unexpectedly');
  }

  unforeseen(error: unknown, step: Step | undefined, text: string): StepMessage {
    const traceId = traceIdNow();
    const { pipelineId, runId } = this.lease;
    this.log.error({ err: error, traceId, pipelineId, runId, step: step?.code }, text);
    return { code: 'INTERNAL_APPLICATION_ERROR', context: { traceId } };
  }

  /**
   * Runs a write under the lease and repeats it while the database is unavailable. Throws LeaseLost if this replica no longer holds the
   * lease.
   */
  async write<Result>(write: () => Promise<Result | undefined | false>): Promise<Result> {
    const result = await durably(this.lease, write);
    if (result !== undefined && result !== false) return result;
    throw new LeaseLost(`Another replica took over the pipeline run ${this.lease.runId}`);
  }
}
