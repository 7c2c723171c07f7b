/**
 * Carries out scans, one at a time on each worker. The rows are the queue: what a replica took that died is taken by another when its lease
 * ends. Whoever pushes or asks only writes a row.
 */
import { randomUUID } from 'node:crypto';
import { Rounds } from '#kernel/rounds.ts';
import type { Log } from '#ports/log.ts';
import type { Registry } from '#ports/registry.ts';
import { rematchScan } from './rematch-scans.ts';
import { scanImage, type ScanDeps, type TakenScan } from './scan-image.ts';
import { keepScan, RENEW_LEASE_MS, takeScan } from './scan-queue.sql.ts';
import { forgetGone, queuePushes, queueRenewals } from './scan-sweeps.ts';

export interface ScanTimings {
  readonly lookMs: number;
  readonly sweepMs: number;
  readonly forgetMs: number;
  /** A push waits so long: what deploys it goes first. */
  readonly pushSeconds: number;
}
export const scanTimings: ScanTimings = { lookMs: 1000, sweepMs: 10_000, forgetMs: 3_600_000, pushSeconds: 5 };

export interface ScanWorkerOptions extends ScanDeps {
  readonly registry: Pick<Registry, 'pushes' | 'image'>;
  readonly replica: string;
  readonly timings: ScanTimings;
  readonly log: Log;
}

export class ScanWorker {
  readonly #options: ScanWorkerOptions;
  readonly #owner: string;
  readonly #rounds: Rounds;
  #sweptAt = 0;
  #forgotAt = performance.now();

  constructor(options: ScanWorkerOptions) {
    const { log, replica, timings } = options;
    this.#options = options;
    this.#owner = `${replica} ${randomUUID()}`;
    const warning = 'Images could not be scanned; trying again';
    this.#rounds = new Rounds({ everyMs: timings.lookMs, round: (signal) => this.#work(signal), log, warning });
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  look(): void {
    this.#rounds.wake();
  }

  async #work(signal: AbortSignal): Promise<void> {
    await this.#sweep();
    while (!signal.aborted) {
      const scan = await takeScan(this.#options.db, this.#owner);
      if (!scan) break;
      await this.#scan({ digest: scan.digest, owner: this.#owner, tries: scan.tries }, signal);
    }
    while (!signal.aborted && (await rematchScan(this.#options)));
  }

  async #sweep(): Promise<void> {
    const { db, registry, timings } = this.#options;
    const now = performance.now();
    if (this.#sweptAt !== 0 && now - this.#sweptAt < timings.sweepMs) return;
    this.#sweptAt = now;
    while (await queuePushes(db, registry));
    await queueRenewals(db);
    if (now - this.#forgotAt < timings.forgetMs) return;
    this.#forgotAt = now;
    await forgetGone(db, registry);
  }

  /** Ended when another replica has taken it, or this one stops. */
  async #scan(scan: TakenScan, stopping: AbortSignal): Promise<void> {
    const lost = new AbortController();
    const renewal = setInterval(() => {
      keepScan(this.#options.db, scan).then(
        (isOurs) => (isOurs ? undefined : lost.abort()),
        // The database is away: the lease may last until it is back.
        () => undefined,
      );
    }, RENEW_LEASE_MS);
    try {
      await scanImage(this.#options, scan, AbortSignal.any([stopping, lost.signal]));
    } finally {
      clearInterval(renewal);
    }
  }
}
