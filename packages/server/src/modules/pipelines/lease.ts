/** One replica's hold on a run: who writes its rows, and the signals that tell its steps to stop. */
import type pg from 'pg';
import type { Db } from '#db/database.ts';

/** This replica may write no more: another one took the run over, or this process is closing. Nothing is undone. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

export class Lease {
  readonly db: Db;
  /** The engine's own sessions, for the statements that every step makes. */
  readonly pool: pg.Pool;
  readonly runId: string;
  readonly pipelineId: string;
  /** Stands in pipeline_run.owner while this hold is good; every write asks for it, so a thawed zombie writes nothing. */
  readonly token: string;
  /** ChangeHint as JSON, sent with every change of the run's rows. */
  readonly hint: string;
  readonly #cancel = new AbortController();
  readonly #lost = new AbortController();
  /** Aborted when the run is cancelled, and when the lease is lost. For steps. */
  readonly signal: AbortSignal;
  /** Aborted when the lease is lost. For undos, which a cancellation must not stop. */
  readonly lost: AbortSignal;

  constructor(fields: { db: Db; pool: pg.Pool; runId: string; pipelineId: string; token: string; hint: string }) {
    this.db = fields.db;
    this.pool = fields.pool;
    this.runId = fields.runId;
    this.pipelineId = fields.pipelineId;
    this.token = fields.token;
    this.hint = fields.hint;
    this.lost = this.#lost.signal;
    this.signal = AbortSignal.any([this.#cancel.signal, this.lost]);
  }

  cancel(): void {
    this.#cancel.abort(new Error('The pipeline was cancelled'));
  }

  lose(why: string): void {
    this.#lost.abort(new LeaseLost(why));
  }

  get isCancelled(): boolean {
    return this.#cancel.signal.aborted;
  }

  /** Throws LeaseLost when the hold is gone. */
  check(): void {
    this.lost.throwIfAborted();
  }
}
