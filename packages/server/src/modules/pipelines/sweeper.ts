/** Housekeeping of the pipelines, on the presence session of every worker. */
import type pg from 'pg';
import type { Log } from '#ports/log.ts';
import type { DbosQueue } from './dbos-queue.ts';
import type { Lease } from './lease.ts';
import { tryLock, unlock } from './poll-lock.ts';
import { lockName } from './presence.ts';
import { deleteOldLogs, deleteOldRuns, endedInQueue } from './retention.sql.ts';
import { claimedHere, looseRuns, otherOwners, strayRuns } from './sweep.sql.ts';

/** After a database restart every replica lost its lock for a moment: they get this long to take it again. */
const RECONNECTION_GRACE_MS = 2000;
const SLOW_EVERY_MS = 5000;
const RETENTION_EVERY_MS = 3_600_000;

export interface SweeperOptions {
  readonly executorId: string;
  readonly queue: DbosQueue;
  readonly leases: ReadonlyMap<string, Lease>;
  readonly log: Log;
  /** Ends a run that the queue has given up. */
  giveUp(runId: string, type: string): Promise<void>;
}

export class Sweeper {
  readonly #options: SweeperOptions;
  #slowAt = 0;
  #retentionAt = 0;

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  async sweep(client: pg.ClientBase, aliveForMs: number): Promise<void> {
    await this.#loosen(client);
    if (aliveForMs > RECONNECTION_GRACE_MS) await this.#takeOver(client);
    const now = performance.now();
    if (now >= this.#slowAt) {
      this.#slowAt = now + SLOW_EVERY_MS;
      await this.#findForgotten(client);
    }
    if (now >= this.#retentionAt) {
      this.#retentionAt = now + RETENTION_EVERY_MS;
      // Not on this session, which take-overs wait for.
      void this.#retain().catch((error: unknown) => this.#options.log.warn({ err: error }, 'Could not delete old pipelines'));
    }
  }

  /** Announcements make this quick; this makes it certain. */
  async #loosen(client: pg.ClientBase): Promise<void> {
    const { leases } = this.#options;
    const held = new Map([...leases].map(([runId, lease]) => [runId, lease.token]));
    const { cancelled, lost } = await looseRuns(client, held);
    for (const runId of cancelled) leases.get(runId)?.cancel();
    for (const runId of lost) {
      const lease = leases.get(runId);
      if (lease?.token === held.get(runId)) lease?.lose('The run has another owner');
    }
  }

  async #takeOver(client: pg.ClientBase): Promise<void> {
    const { executorId, queue, log } = this.#options;
    for (const dead of await otherOwners(client, executorId)) {
      if (!(await tryLock(client, lockName(dead)))) continue;
      try {
        const runs = await queue.recover(dead);
        if (runs > 0) log.warn({ replica: dead, runs }, 'Taking over the pipelines of a replica that is gone');
      } finally {
        await unlock(client, lockName(dead));
      }
      await queue.claim();
    }
  }

  async #findForgotten(client: pg.ClientBase): Promise<void> {
    const { executorId, queue, log, giveUp } = this.#options;
    const forgotten = (await claimedHere(client, executorId, SLOW_EVERY_MS)).filter((runId) => !queue.isRunningHere(runId));
    if (forgotten.length > 0) {
      log.warn({ runs: forgotten }, 'Pipelines were claimed but not begun: putting them back');
      await queue.putBack(forgotten);
      await queue.claim();
    }
    for (const { runId, type } of await strayRuns(client)) await giveUp(runId, type);
  }

  /** One replica at a time. */
  async #retain(): Promise<void> {
    const { queue } = this.#options;
    const client = await queue.pool.connect();
    try {
      if (!(await tryLock(client, 'slipway:pipeline retention'))) return;
      for (let isDone = false; !isDone;) ({ isDone } = await deleteOldRuns(client));
      await deleteOldLogs(client);
      for (let ids = await endedInQueue(client); ids.length > 0; ids = await endedInQueue(client)) await queue.forget(ids);
    } finally {
      // The lock goes with the session.
      client.release(true);
    }
  }
}
