/**
 * Sweeps the queue on every worker twice a second: finds the worker's cancelled and lost runs, dead workers, and runs that no worker
 * drives.
 */
import type pg from 'pg';
import type { Log } from '#ports/log.ts';
import type { Lease } from './lease.ts';
import { executorOf, freeRunsOfDead, giveBack, ownedRuns, type OwnedRun } from './queue.sql.ts';
import { deleteOld } from './retention.sql.ts';

/** Milliseconds that replicas get to lock again after a database restart, in which every replica lost its lock for a moment. */
const RECONNECTION_GRACE_MS = 2000;
const RETENTION_EVERY_MS = 3_600_000;

export interface SweeperOptions {
  readonly executorId: string;
  readonly pool: pg.Pool;
  readonly log: Log;
  leases(): Iterable<Lease>;
  /** Whether this worker drives a run with the token, or waits for the answer to a claim with it. */
  isKnown(token: string): boolean;
}

export class Sweeper {
  readonly #options: SweeperOptions;
  #retentionAt = 0;

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  async sweep(client: pg.ClientBase, aliveForMs: number): Promise<void> {
    const { executorId } = this.#options;
    const leases = [...this.#options.leases()];
    const runs = await ownedRuns(client);
    this.#loosen(leases, runs);
    await this.#giveBackForgotten(client, runs);
    const others = new Set(runs.map(({ owner }) => executorOf(owner)).filter((id) => id !== executorId));
    if (aliveForMs > RECONNECTION_GRACE_MS) for (const other of others) await this.#takeOver(client, other);
    this.#retain();
  }

  /** Catches lost and cancelled runs whose announcement did not arrive. */
  #loosen(leases: readonly Lease[], runs: readonly OwnedRun[]): void {
    const byToken = new Map(runs.map((run) => [run.owner, run]));
    for (const lease of leases) {
      const run = byToken.get(lease.token);
      if (!run) lease.lose('The run has another owner');
      else if (run.is_cancelled) lease.cancel();
    }
  }

  /** Runs that this worker took but does not drive: the claim's answer was lost, or the engine itself failed. */
  async #giveBackForgotten(client: pg.ClientBase, runs: readonly OwnedRun[]): Promise<void> {
    const { executorId, isKnown, log } = this.#options;
    for (const { owner } of runs) {
      if (executorOf(owner) !== executorId || isKnown(owner)) continue;
      log.warn({ owner }, 'A pipeline was claimed but is not driven: putting it back');
      await giveBack(client, owner);
    }
  }

  async #takeOver(client: pg.ClientBase, executorId: string): Promise<void> {
    const runs = await freeRunsOfDead(client, executorId);
    if (runs > 0) this.#options.log.warn({ replica: executorId, runs }, 'Taking over the pipelines of a replica that is gone');
  }

  /** Deletes old pipelines. Avoids the presence session, because take-overs wait for that session. */
  #retain(): void {
    if (performance.now() < this.#retentionAt) return;
    this.#retentionAt = performance.now() + RETENTION_EVERY_MS;
    void deleteOld(this.#options.pool).catch((error: unknown) => this.#options.log.warn({ err: error }, 'Could not delete old pipelines'));
  }
}
