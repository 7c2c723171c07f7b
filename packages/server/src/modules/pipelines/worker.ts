/** Takes waiting runs, and drives each until it ends or this replica loses it. */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { createPool } from '#db/connections.ts';
import type { DatabaseConfig, Db } from '#db/database.ts';
import type { KeptConnection } from '#db/kept-connection.ts';
import { inSpan } from '#kernel/telemetry/tracing.ts';
import type { Log } from '#ports/log.ts';
import type { AnyPipeline } from './definition.ts';
import { Lease, LeaseLost } from './lease.ts';
import { durably } from './outage.ts';
import { openPresence } from './presence.ts';
import { claimRun, giveBack, handOver, tokenOf, type ClaimedRun } from './queue.sql.ts';
import { endAsFailed, runPipeline } from './run-pipeline.ts';
import { RunWork, type Timing } from './run-work.ts';
import { stepRows } from './run.sql.ts';
import { Sweeper } from './sweeper.ts';

export interface WorkerOptions {
  readonly connection: DatabaseConfig;
  readonly db: Db;
  readonly log: Log;
  /** Unique per process. */
  readonly executorId: string;
  readonly definitions: ReadonlyMap<string, AnyPipeline>;
  /** How many runs this replica works on at once. */
  readonly concurrency: number;
  readonly timing: Timing;
}

/** A run that crashed so many workers in a row is probably the cause, and is not tried again. */
const MOST_CRASHES = 20;
const POOL_SIZE = 10;
/** Runs queue for the few connections; none of them is somebody who waits for an answer. */
const PATIENCE_MS = 15_000;

export class Worker {
  readonly #options: WorkerOptions;
  /** For what every step writes. Its commits do not wait for the disk, see `advance`. */
  readonly #pool: pg.Pool;
  readonly #leases = new Map<string, Lease>();
  /** Tokens of claims that PostgreSQL has not answered yet. */
  readonly #asked = new Set<string>();
  readonly #drives = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #presence: KeptConnection | undefined;
  /** The presence session: a worker without its lock takes no runs. */
  #session: pg.ClientBase | undefined;
  #isClaimWanted = false;
  #isClaiming = false;
  #claims: Promise<void> = Promise.resolve();

  constructor(options: WorkerOptions) {
    this.#options = options;
    const settings = '-c synchronous_commit=off';
    const pool = { max: POOL_SIZE, connectionTimeoutMillis: PATIENCE_MS, application_name: 'slipway queue', options: settings };
    this.#pool = createPool({ ...pool, ...options.connection }, options.log);
  }

  /** Resolves when this replica is seen to be alive, and takes runs. Throws when another process has its id. */
  async open(): Promise<void> {
    const { connection, executorId, log } = this.#options;
    const sweeper = new Sweeper({
      executorId,
      pool: this.#pool,
      log,
      leases: () => this.#leases.values(),
      isKnown: (token) => this.#asked.has(token) || [...this.#leases.values()].some((lease) => lease.token === token),
    });
    this.#presence = await openPresence({
      connection,
      executorId,
      log,
      onAnnouncement: (text) => this.#hear(text),
      onTick: async (client, aliveForMs) => {
        this.#session = client;
        await sweeper.sweep(client, aliveForMs);
        this.#claim();
      },
    });
  }

  /** Stops the steps at work, without undoing anything, and leaves their runs to other replicas, or to the next start. */
  async close(graceMs: number): Promise<void> {
    this.#closing.abort();
    for (const lease of this.#leases.values()) lease.lose('This replica is closing');
    // oxlint-disable-next-line slipway/fan-out -- waits for work that is under way, and starts none
    await Promise.race([Promise.allSettled([this.#claims, ...this.#drives]), delay(graceMs, undefined, { ref: false })]);
    if (this.#presence) await this.#leave(this.#presence);
    await this.#pool.end();
  }

  async #leave(presence: KeptConnection): Promise<void> {
    const { executorId, log } = this.#options;
    await handOver(this.#pool, executorId).catch((error: unknown) => log.warn({ err: error }, 'Could not hand over the pipelines'));
    await presence.stop();
  }

  #hear(text: string): void {
    const [verb, runId = ''] = text.split(' ');
    if (verb === 'start') this.#claim();
    if (verb === 'cancel') this.#leases.get(runId)?.cancel();
  }

  get #isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Takes what waits now, one after the other. */
  #claim(): void {
    this.#isClaimWanted = true;
    if (!this.#isClaiming) this.#claims = this.#claimAll();
  }

  async #claimAll(): Promise<void> {
    const { concurrency, log } = this.#options;
    this.#isClaiming = true;
    while (this.#isClaimWanted && this.#drives.size < concurrency && !this.#isClosing) {
      this.#isClaimWanted = false;
      try {
        if (await this.#claimOne()) this.#isClaimWanted = true;
      } catch (error) {
        log.warn({ err: error }, 'Could not look for pipelines that wait');
      }
    }
    this.#isClaiming = false;
  }

  /** False when none waits. */
  async #claimOne(): Promise<boolean> {
    if (!this.#session) return false;
    const { definitions, executorId } = this.#options;
    const token = tokenOf(executorId, randomBytes(6).toString('hex'));
    this.#asked.add(token);
    try {
      const run = await claimRun(this.#session, token, [...definitions.keys()]);
      if (run) this.#begin(run, token);
      return run !== undefined;
    } finally {
      this.#asked.delete(token);
    }
  }

  #begin(run: ClaimedRun, token: string): void {
    const { db } = this.#options;
    const { run_id: runId, pipeline_id: pipelineId, hint } = run;
    const lease = new Lease({ db, pool: this.#pool, runId, pipelineId, token, hint });
    this.#leases.get(runId)?.lose('The same replica began the run anew');
    this.#leases.set(runId, lease);
    if (this.#isClosing) lease.lose('This replica is closing');
    if (run.cancel_requested_at) lease.cancel();
    const drive = this.#drive(run, lease).finally(() => {
      if (this.#leases.get(runId) === lease) this.#leases.delete(runId);
      this.#drives.delete(drive);
      // A run waits for this slot.
      if (this.#isClaimWanted) this.#claim();
    });
    this.#drives.add(drive);
  }

  async #drive(run: ClaimedRun, lease: Lease): Promise<void> {
    const { db, definitions, log, timing } = this.#options;
    const definition = definitions.get(run.type);
    try {
      if (!definition) throw new Error(`A run of an unknown type was claimed: ${run.type}`);
      const steps = await durably(lease, () => stepRows(db, run.run_id));
      const work = new RunWork({ lease, definition, row: run, steps, log, timing });
      const attributes = { 'slipway.pipeline': run.pipeline_id, 'slipway.run': run.run_id };
      await inSpan(`pipeline ${run.type}`, { parent: run.trace_context, attributes }, () =>
        run.crashes < MOST_CRASHES ? runPipeline(work) : endAsFailed(work),
      );
    } catch (error) {
      // After a fault of the engine itself the next sweep frees the run, and it is tried again.
      if (!(error instanceof LeaseLost)) log.error({ err: error, ...identityOf(lease) }, 'Could not drive a pipeline run');
      else if (!this.#isClosing) await this.#release(lease);
    }
  }

  /** If no other worker has the run, the database lost the last steps in a crash: the run is taken anew, and repeats them. */
  async #release({ token }: Lease): Promise<void> {
    const check = (): void => {
      if (this.#isClosing) throw new LeaseLost('This replica is closing');
    };
    await durably({ check, lost: this.#closing.signal }, () => giveBack(this.#pool, token)).catch(() => {});
    this.#claim();
  }
}

const identityOf = ({ runId, pipelineId }: Lease) => ({ runId, pipelineId });
