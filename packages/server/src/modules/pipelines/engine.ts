/** Starts, cancels and re-runs pipelines, and works on them when this replica is a worker. */
import { randomBytes } from 'node:crypto';
import os from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Transaction } from 'kysely';
import type { DatabaseConfig, Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { Problem } from '#kernel/problem.ts';
import type { Log } from '#ports/log.ts';
import { DbosQueue, PIPELINE_CHANNEL } from './dbos-queue.ts';
import type { AnyPipeline, Person, PipelineDefinition } from './definition.ts';
import { cancelPipeline, rerunPipeline } from './intervene.ts';
import { Lease, LeaseLost } from './lease.ts';
import { durably } from './outage.ts';
import { declareRights } from './pipeline-rights.ts';
import { Presence } from './presence.ts';
import { endAsFailed, runPipeline } from './run-pipeline.ts';
import { RunWork, type Timing } from './run-work.ts';
import { claimRun, hasEnded, stepRows } from './run.sql.ts';
import type { Started, StartOptions } from './start-options.ts';
import { insertPipeline } from './start.sql.ts';
import { Sweeper } from './sweeper.ts';

export interface PipelineEngineOptions {
  /** For the queue and the presence session: a direct connection, not PgBouncer in transaction mode (locks and LISTEN). */
  readonly connection: DatabaseConfig;
  readonly db: Db;
  readonly log: Log;
  /** Unique per process; made up when left out. */
  readonly executorId?: string;
  /** Without `worker` the engine only enqueues. */
  readonly roles?: readonly string[];
  /** How many runs this replica works on at once; most of the time they wait for an engine. */
  readonly concurrency?: number;
  readonly timing?: Partial<Timing>;
}

const CONCURRENCY = 100;
const TIMING: Timing = { outage: { firstMs: 1000, longestMs: 30_000 }, undoAttempts: 8 };
/** How long `close` waits for steps to notice that they are to stop. */
const GRACE_MS = 3000;
/** How long a replica that does not know a type of pipeline (an older version, in a rolling deploy) leaves it to others. */
const UNKNOWN_TYPE_MS = 1000;

export class PipelineEngine {
  readonly #options: PipelineEngineOptions;
  readonly #executorId: string;
  readonly #definitions = new Map<string, AnyPipeline>();
  readonly #leases = new Map<string, Lease>();
  readonly #working = new Set<Promise<void>>();
  readonly #queue: DbosQueue;
  #presence: Presence | undefined;
  readonly #closing = new AbortController();
  #isReady = false;

  constructor(options: PipelineEngineOptions) {
    this.#options = options;
    this.#executorId = options.executorId ?? `${os.hostname()}-${process.pid}-${randomBytes(4).toString('hex')}`;
    this.#queue = new DbosQueue({
      connection: options.connection,
      executorId: this.#executorId,
      concurrency: options.concurrency ?? CONCURRENCY,
      log: options.log,
      execute: (runId, type) => this.#execute(runId, type),
    });
  }

  /** Every replica registers every pipeline, before `launch`; a re-run needs it on replicas that are no workers, too. */
  register<I extends object, S extends object>(definition: PipelineDefinition<I, S>): void {
    if (this.#definitions.has(definition.type)) throw new Error(`The pipeline ${definition.type} is registered already`);
    this.#definitions.set(definition.type, definition);
    declareRights(definition.type, definition.rights);
  }

  /** Makes the queue's tables, and, as a worker, begins to work. One launched engine per process. */
  async launch(): Promise<void> {
    await this.#queue.prepare();
    const isWorker = (this.#options.roles ?? ['worker']).includes('worker');
    if (isWorker) await this.#beginWork();
    this.#isReady = true;
  }

  /** Pipelines can be started: for the readiness check. */
  get isReady(): boolean {
    return this.#isReady && !this.#isClosing;
  }

  async #beginWork(): Promise<void> {
    const { connection, log } = this.#options;
    const executorId = this.#executorId;
    const sweeper = new Sweeper({
      executorId,
      queue: this.#queue,
      leases: this.#leases,
      log,
      giveUp: (runId, type) => this.#giveUp(runId, type),
    });
    const presence = new Presence({
      connection,
      executorId,
      channel: PIPELINE_CHANNEL,
      log,
      onAnnouncement: (text) => this.#hear(text),
      onTick: (client, aliveForMs) => sweeper.sweep(client, aliveForMs),
    });
    // The lock comes first: work without it would be taken for a dead replica's.
    await presence.open();
    this.#presence = presence;
    await this.#queue.launch();
    void this.#queue.claim();
  }

  /** Stops the steps at work, without undoing anything, and leaves their runs to other replicas, or to the next start. */
  async close({ graceMs = GRACE_MS } = {}): Promise<void> {
    this.#closing.abort();
    for (const lease of this.#leases.values()) lease.lose('This replica is closing');
    await Promise.race([Promise.allSettled(this.#working), delay(graceMs, undefined, { ref: false })]);
    await this.#queue.stop(graceMs);
    await this.#queue.handOver().catch((error: unknown) => this.#options.log.warn({ err: error }, 'Could not hand over the pipelines'));
    await this.#presence?.close();
    await this.#queue.close();
  }

  /**
   * Rows and queue entry in the caller's transaction; work begins when it commits. Throws PipelineActive when the subject has an
   * active run.
   */
  start<I extends object, S extends object>(
    trx: Transaction<DB>,
    definition: PipelineDefinition<I, S>,
    options: StartOptions<I>,
  ): Promise<Started> {
    return insertPipeline(trx, definition, options);
  }

  /** Throws PipelineDoesNotExist or PipelineUncancellableState. The run ends as CANCELED when its undos are through. */
  async cancel(trx: Transaction<DB>, pipelineId: string, by: Person): Promise<void> {
    await cancelPipeline(trx, (type) => this.#definitionOf(type), { pipelineId, by });
  }

  /** Throws PipelineDoesNotExist, PipelineNotFailed or PipelineActive. The pipeline keeps its id, the run is new. */
  async rerun(trx: Transaction<DB>, pipelineId: string, from: 'failedStep' | 'start', by: Person): Promise<Started> {
    return rerunPipeline(trx, (type) => this.#definitionOf(type), { pipelineId, from, by });
  }

  #definitionOf(type: string): AnyPipeline {
    const definition = this.#definitions.get(type);
    // A run of another version of the platform, which knew more, or less.
    if (!definition) throw new Problem('PipelineTypeNotSupported');
    return definition;
  }

  #hear(text: string): void {
    const [verb, runId = ''] = text.split(' ');
    if (verb === 'start') void this.#queue.claim();
    if (verb === 'cancel') this.#leases.get(runId)?.cancel();
  }

  get #isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  /** While the database is away a run waits where it is: an error would end it in the queue, and then for good. */
  #patiently<Result>(work: () => Promise<Result>): Promise<Result> {
    const check = (): void => {
      if (this.#isClosing) throw new LeaseLost('This replica is closing');
    };
    return durably({ check, lost: this.#closing.signal }, work);
  }

  /** Called by the queue, at least once per run. */
  async #execute(runId: string, type: string): Promise<void> {
    const work = this.#work(runId, type);
    this.#working.add(work);
    try {
      await work;
    } finally {
      this.#working.delete(work);
    }
  }

  async #work(runId: string, type: string): Promise<void> {
    const definition = this.#definitions.get(type);
    if (this.#isClosing) throw new LeaseLost('This replica is closing');
    if (!definition) return this.#leaveToOthers(runId, type);
    const held = await this.#patiently(() => this.#claim(runId, definition));
    if (!held) return;
    const { lease, work } = held;
    try {
      await runPipeline(work);
    } catch (error) {
      if (!(error instanceof LeaseLost) || this.#isClosing) throw error;
      // A write whose answer was lost, and that had ended the run.
      if (await this.#patiently(() => hasEnded(this.#options.db, runId))) return;
      // Nobody took it over: the database forgot the last steps. They are read again, and repeated.
      if (this.#leases.get(runId) === lease) await this.#patiently(() => this.#queue.putBack([runId]));
      throw error;
    } finally {
      if (this.#leases.get(runId) === lease) this.#leases.delete(runId);
    }
  }

  async #claim(runId: string, definition: AnyPipeline): Promise<{ lease: Lease; work: RunWork } | undefined> {
    const { db, log, timing } = this.#options;
    const { pool } = this.#queue;
    const token = `${this.#executorId}:${randomBytes(6).toString('hex')}`;
    const row = await claimRun(pool, runId, token);
    if (!row) return undefined;
    const lease = new Lease({ db, pool, runId, pipelineId: row.pipeline_id, token, hint: row.hint });
    this.#leases.get(runId)?.lose('The same replica began the run anew');
    this.#leases.set(runId, lease);
    if (this.#isClosing) lease.lose('This replica is closing');
    if (row.cancel_requested_at) lease.cancel();
    const steps = await stepRows(db, runId);
    return { lease, work: new RunWork({ lease, definition, row, steps, log, timing: { ...TIMING, ...timing } }) };
  }

  async #leaveToOthers(runId: string, type: string): Promise<never> {
    this.#options.log.warn({ runId, type }, 'This version does not know the type of a pipeline: leaving it to other replicas');
    await delay(UNKNOWN_TYPE_MS, undefined, { ref: false });
    await this.#patiently(() => this.#queue.putBack([runId]));
    throw new LeaseLost('The run is left to other replicas');
  }

  /** The queue has given the run up, since too many replicas died of it: it ends as failed, without its undos. */
  async #giveUp(runId: string, type: string): Promise<void> {
    const definition = this.#definitions.get(type);
    const held = definition && (await this.#claim(runId, definition));
    if (!held) return;
    try {
      await endAsFailed(held.work);
    } finally {
      this.#leases.delete(runId);
    }
  }
}
