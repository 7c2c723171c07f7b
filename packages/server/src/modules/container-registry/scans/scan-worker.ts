/**
 * Carries out scans, one at a time on each worker. The rows are the queue: what a replica took that died is taken by another when its lease
 * ends. Whoever pushes or asks only writes a row.
 */
import { randomUUID } from 'node:crypto';
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
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> | undefined;
  #sweptAt = 0;
  #forgotAt = performance.now();

  constructor(options: ScanWorkerOptions) {
    this.#options = options;
    this.#owner = `${options.replica} ${randomUUID()}`;
  }

  start(): void {
    this.#timer = setInterval(() => this.look(), this.#options.timings.lookMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#working;
  }

  look(): void {
    if (this.#stopping.signal.aborted) return;
    this.#working ??= this.#work()
      .catch((error: unknown) => {
        if (!this.#stopping.signal.aborted) this.#options.log.warn({ err: error }, 'Images could not be scanned; trying again');
      })
      .finally(() => {
        this.#working = undefined;
      });
  }

  async #work(): Promise<void> {
    const { signal } = this.#stopping;
    await this.#sweep();
    while (!signal.aborted) {
      const scan = await takeScan(this.#options.db, this.#owner);
      if (!scan) break;
      await this.#scan({ digest: scan.digest, owner: this.#owner, tries: scan.tries });
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
  async #scan(scan: TakenScan): Promise<void> {
    const lost = new AbortController();
    const renewal = setInterval(() => {
      keepScan(this.#options.db, scan).then(
        (isOurs) => (isOurs ? undefined : lost.abort()),
        // The database is away: the lease may last until it is back.
        () => undefined,
      );
    }, RENEW_LEASE_MS);
    try {
      await scanImage(this.#options, scan, AbortSignal.any([this.#stopping.signal, lost.signal]));
    } finally {
      clearInterval(renewal);
    }
  }
}
