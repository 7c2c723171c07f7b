/** Starts, cancels and re-runs pipelines, and works on them when this replica is a worker. */
import { randomBytes } from 'node:crypto';
import os from 'node:os';
import type { Transaction } from 'kysely';
import type { DatabaseConfig, Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { Problem } from '#kernel/problem.ts';
import type { Log } from '#ports/log.ts';
import type { AnyPipeline, Person, PipelineDefinition } from './definition.ts';
import { cancelPipeline, rerunPipeline, stopWaiting } from './intervene.ts';
import { declareRights } from './pipeline-rights.ts';
import type { Timing } from './run-work.ts';
import type { Started, StartOptions } from './start-options.ts';
import { insertPipeline } from './start.sql.ts';
import { Worker } from './worker.ts';

export interface PipelineEngineOptions {
  /** For the worker's sessions: a direct connection, not PgBouncer in transaction mode (locks and LISTEN). */
  readonly connection: DatabaseConfig;
  readonly db: Db;
  readonly log: Log;
  /** Unique per process; made up when left out. */
  readonly executorId?: string;
  /** Without `worker` the engine only starts pipelines. */
  readonly roles?: readonly string[];
  /** How many runs this replica works on at once; most of the time they wait for an engine. */
  readonly concurrency?: number;
  readonly timing?: Partial<Timing>;
}

const CONCURRENCY = 100;
const TIMING: Timing = { outage: { firstMs: 1000, longestMs: 30_000 }, undoAttempts: 8 };
/** How long `close` waits for steps to notice that they are to stop. */
const GRACE_MS = 3000;

export class PipelineEngine {
  readonly #options: PipelineEngineOptions;
  readonly #definitions = new Map<string, AnyPipeline>();
  #worker: Worker | undefined;
  #isReady = false;

  constructor(options: PipelineEngineOptions) {
    this.#options = options;
  }

  /** Every replica registers every pipeline, before `launch`; a re-run needs it on replicas that are no workers, too. */
  register<I extends object, S extends object>(definition: PipelineDefinition<I, S>): void {
    if (this.#definitions.has(definition.type)) throw new Error(`The pipeline ${definition.type} is registered already`);
    this.#definitions.set(definition.type, definition);
    declareRights(definition.type, definition.rights);
  }

  /** As a worker, begins to work. */
  async launch(): Promise<void> {
    const { connection, db, log, roles = ['worker'], concurrency = CONCURRENCY, timing } = this.#options;
    const { executorId = `${os.hostname()}-${process.pid}-${randomBytes(4).toString('hex')}` } = this.#options;
    if (roles.includes('worker')) {
      const definitions = this.#definitions;
      this.#worker = new Worker({ connection, db, log, executorId, definitions, concurrency, timing: { ...TIMING, ...timing } });
      await this.#worker.open();
    }
    this.#isReady = true;
  }

  /** Pipelines can be started: for the readiness check. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Stops the steps at work, without undoing anything, and leaves their runs to other replicas, or to the next start. */
  async close({ graceMs = GRACE_MS } = {}): Promise<void> {
    this.#isReady = false;
    await this.#worker?.close(graceMs);
  }

  /** Rows in the caller's transaction; work begins when it commits. Throws PipelineActive when the subject has an active run. */
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

  /** Throws PipelineDoesNotExist or PipelineStepNotWaiting. The step ends with what it has seen, and the run fails. */
  async stopWaiting(trx: Transaction<DB>, pipelineId: string): Promise<void> {
    await stopWaiting(trx, pipelineId);
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
}
