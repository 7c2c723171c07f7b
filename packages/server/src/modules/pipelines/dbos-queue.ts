/**
 * Everything that is DBOS's: which replica works on which run, durably. A run is one DBOS workflow without DBOS steps; what the
 * run has done stands in our own rows, so that there is one truth, written when a step begins and fenced by the lease.
 * The internals used here are why package.json pins 5.3.0; take-over.test.ts tells when another version breaks them.
 */
import { DBOS, Error as errors, type DLogger, type WorkflowQueue } from '@dbos-inc/dbos-sdk';
import { DBOSExecutor } from '@dbos-inc/dbos-sdk/internal/dbos-executor';
import { ensureSystemDatabase } from '@dbos-inc/dbos-sdk/internal/system_database';
import { GlobalLogger } from '@dbos-inc/dbos-sdk/internal/telemetry/logs';
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type pg from 'pg';
import { createPool } from '#db/connections.ts';
import type { DatabaseConfig } from '#db/database.ts';
import type { Log } from '#ports/log.ts';
import { LeaseLost } from './lease.ts';
import { pollLock } from './poll-lock.ts';

const APPLICATION = 'slipway';
const WORKFLOW = 'pipeline';
const QUEUE = 'pipelines';
/** DBOS's default is a hash of the code, with which a rolling deploy strands the older version's runs. */
const VERSION = 'slipway';
const SCHEMA = 'dbos';
/** The safety net only: a start is announced by NOTIFY, and looked for at once. */
const POLL_MS = 1000;
const POOL_SIZE = 10;
/** Runs queue for the few connections; none of them is somebody who waits for an answer. */
const PATIENCE_MS = 15_000;
/** Channel that announces starts (`start`) and cancellations (`cancel {runId}`) to every replica. */
export const PIPELINE_CHANNEL = 'slipway_pipeline';

export interface DbosQueueOptions {
  readonly connection: DatabaseConfig;
  readonly executorId: string;
  /** How many runs this replica works on at once; most of them wait for an engine. */
  readonly concurrency: number;
  readonly log: Log;
  /** Throws LeaseLost to leave the run to whoever holds it. */
  execute(runId: string, type: string): Promise<void>;
}

/** DBOS is one per process, and so is its queue. */
let current: { execute: DbosQueueOptions['execute']; ended(runId: string): void } | undefined;

const workflow = async (runId: string, type: string): Promise<void> => {
  try {
    if (!current) throw new LeaseLost('The pipeline engine is closed');
    await current.execute(runId, type);
  } catch (error) {
    // DBOS then records no outcome: the run's new owner does.
    if (error instanceof LeaseLost) throw new errors.DBOSWorkflowConflictError(runId);
    throw error;
  } finally {
    current?.ended(runId);
  }
};
let isRegistered = false;

/** In the transaction of the run's rows: either both are there, or neither. */
export const enqueueAndAnnounce = (runId: string, type: string) => sql`
  ${sql.raw(SCHEMA)}.enqueue_workflow(workflow_name => ${WORKFLOW}, queue_name => ${QUEUE}, workflow_id => ${runId},
    positional_args => array[to_json(${runId}::text), to_json(${type}::text)], app_version => ${VERSION},
    application_name => ${APPLICATION}), pg_notify(${PIPELINE_CHANNEL}, 'start')`;

export class DbosQueue {
  readonly #options: DbosQueueOptions;
  /** Sessions of the engine's own; their commits do not wait for the disk. */
  readonly pool: pg.Pool;
  #executor: DBOSExecutor | undefined;
  #queue: WorkflowQueue | undefined;
  #isClosing = false;
  #claiming: Promise<void> | undefined;
  #isClaimWanted = false;

  readonly #face: NonNullable<typeof current>;

  constructor(options: DbosQueueOptions) {
    this.#options = options;
    this.#face = { execute: (runId, type) => options.execute(runId, type), ended: (runId) => this.#claimAfter(runId) };
    // Who works on what may be forgotten when the database crashes: leases and sweepers sort it out.
    const settings = '-c synchronous_commit=off';
    const pool = { max: POOL_SIZE, connectionTimeoutMillis: PATIENCE_MS, application_name: 'slipway queue', options: settings };
    this.pool = createPool({ ...pool, ...options.connection }, options.log);
  }

  /** Makes or updates DBOS's tables; enough for a replica that only enqueues. */
  async prepare(): Promise<void> {
    const logger = new GlobalLogger(undefined, { logger: dbosLogger(this.#options.log, () => this.#isClosing) });
    // Replicas that launch on an empty database at once fail; and the blocking lock would hang them all, since a session that
    // waits for it holds a snapshot that CREATE INDEX CONCURRENTLY waits for.
    await pollLock(this.pool, 'slipway:dbos', () => ensureSystemDatabase('', logger, this.pool, SCHEMA, false));
  }

  /** Begins to take runs. */
  async launch(): Promise<void> {
    if (current) throw new Error('This process runs a pipeline engine already');
    current = this.#face;
    if (!isRegistered) DBOS.registerWorkflow(workflow, { name: WORKFLOW });
    isRegistered = true;
    DBOS.setConfig({
      name: APPLICATION,
      systemDatabasePool: this.pool,
      systemDatabaseSchemaName: SCHEMA,
      // Equal ids would put each other's live runs back into the queue.
      executorID: this.#options.executorId,
      applicationVersion: VERSION,
      enablePatching: true,
      useListenNotify: false,
      runMigrations: false,
      schedulerPollingIntervalMs: 3_600_000,
      logger: dbosLogger(this.#options.log, () => this.#isClosing),
    });
    await pollLock(this.pool, 'slipway:dbos', () => DBOS.launch());
    this.#executor = DBOSExecutor.globalInstance;
    this.#queue = await DBOS.registerQueue(QUEUE, {
      workerConcurrency: this.#options.concurrency,
      minPollingIntervalMs: POLL_MS,
      onConflict: 'always_update',
    });
  }

  /** Takes what waits in the queue now. One claim at a time, or two would share the same free slots. */
  claim(): Promise<void> {
    this.#isClaimWanted = true;
    this.#claiming ??= this.#claimAll().finally(() => (this.#claiming = undefined));
    return this.#claiming;
  }

  /** When DBOS has noted the outcome a slot is free; whoever waits for it must not wait for the next poll. */
  #claimAfter(runId: string): void {
    const entries = this.#executor?.systemDatabase.runningWorkflowMap.get(runId) ?? [];
    const again = () => setImmediate(() => void this.claim());
    for (const entry of entries) void entry.promise.then(again, again);
  }

  async #claimAll(): Promise<void> {
    while (this.#isClaimWanted && !this.#isClosing) {
      this.#isClaimWanted = false;
      await this.#claimOnce().catch((error: unknown) => this.#options.log.warn({ err: error }, 'Could not look for pipelines that wait'));
    }
  }

  async #claimOnce(): Promise<void> {
    const executor = this.#executor;
    if (!executor || !this.#queue) return;
    const database = executor.systemDatabase;
    const ownerXid = randomUUID();
    const running = database.countRunningWorkflowsForQueue(QUEUE);
    const ids = await database.findAndMarkStartableWorkflows(this.#queue, executor.executorID, VERSION, undefined, running, 0, ownerXid);
    if (ids.length > 0) await executor.dispatchDequeuedWorkflows(ids, ownerXid);
  }

  isRunningHere(runId: string): boolean {
    return this.#executor?.systemDatabase.checkForRunningWorkflow(runId) ?? false;
  }

  /** Puts the runs of a replica that is dead for sure back into the queue; answers how many. */
  async recover(executorId: string): Promise<number> {
    const handles = await this.#executor?.recoverPendingWorkflows([executorId]);
    return handles?.length ?? 0;
  }

  /** Puts every run of our own rows that has not ended into a queue that knows none of them. */
  async enqueueUnended(): Promise<number> {
    const { rowCount } = await this.pool.query(
      `select ${SCHEMA}.enqueue_workflow(workflow_name => $1, queue_name => $2, workflow_id => run_id,
         positional_args => array[to_json(run_id), to_json(type)], app_version => $3, application_name => $4)
       from pipeline_run where state in ('QUEUED', 'PENDING', 'RUNNING') order by created_at`,
      [WORKFLOW, QUEUE, VERSION, APPLICATION],
    );
    return rowCount ?? 0;
  }

  /** For any replica to take (again); runs that another replica has claimed meanwhile stay with it. */
  async putBack(runIds: string[]): Promise<void> {
    await this.pool.query(
      `update ${SCHEMA}.workflow_status set status = 'ENQUEUED', owner_xid = null, started_at_epoch_ms = null, recovery_attempts = 0
       where workflow_uuid = any ($1) and status = 'PENDING' and executor_id = $2`,
      [runIds, this.#options.executorId],
    );
  }

  /** Forgets runs that ended: what is worth keeping stands in our own rows. */
  async forget(runIds: string[]): Promise<void> {
    if (runIds.length > 0) await DBOS.deleteWorkflows(runIds);
  }

  /** Takes no more runs; those that have ended get `graceMs` to be noted as such. */
  async stop(graceMs: number): Promise<void> {
    this.#isClosing = true;
    await this.#claiming;
    if (current !== this.#face) return;
    await DBOS.shutdown({ workflowCompletionTimeoutMS: graceMs });
    current = undefined;
  }

  /** After `stop`: what this replica still held goes back into the queue, so that nobody has to find out that it is gone. */
  async handOver(): Promise<void> {
    if (!this.#executor) return;
    await this.pool.query(
      `with back as (
         update ${SCHEMA}.workflow_status set status = 'ENQUEUED', owner_xid = null, started_at_epoch_ms = null, recovery_attempts = 0
         where queue_name = $1 and status = 'PENDING' and executor_id = $2 returning 1
       ) select pg_notify($3, 'start') from back limit 1`,
      [QUEUE, this.#options.executorId, PIPELINE_CHANNEL],
    );
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}

/** DBOS's information is debugging for us, and so is what it says of waits that our own close breaks off. */
const dbosLogger = (log: Log, isClosing: () => boolean): DLogger => ({
  debug: (entry) => log.debug({}, String(entry)),
  info: (entry) => log.debug({}, String(entry)),
  warn: (entry) => log.warn({}, String(entry)),
  error: (entry, metadata) => log[isClosing() ? 'debug' : 'error']({ err: metadata?.error }, String(entry)),
});
