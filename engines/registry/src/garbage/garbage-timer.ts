// Runs garbage collection every so often until stopped, one run at a time. The first run comes soon after the start, so that a server which
// restarts often collects garbage, too.
import { logFailure } from '@slipway/foundation/log-failure.ts';
import type { RegistryContext } from '../context.ts';
import { collectGarbageAlone } from './garbage.ts';

const FIRST_MS = 60_000;

export class GarbageTimer {
  readonly #context: RegistryContext;
  readonly #first: NodeJS.Timeout | undefined;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> = Promise.resolve();
  #isRunning = false;

  constructor(context: RegistryContext, everyMs: number) {
    this.#context = context;
    if (everyMs > FIRST_MS) this.#first = setTimeout(() => this.#tick(), FIRST_MS).unref();
    this.#timer = setInterval(() => this.#tick(), everyMs).unref();
  }

  /** Waits for a run in progress. */
  async stop(): Promise<void> {
    clearTimeout(this.#first);
    clearInterval(this.#timer);
    await this.#running;
  }

  #tick(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#running = this.#run().finally(() => (this.#isRunning = false));
  }

  async #run(): Promise<void> {
    const { log } = this.#context;
    try {
      const report = await collectGarbageAlone(this.#context);
      if (report && (report.blobs > 0 || report.uploadFiles > 0)) log.info(report, 'registry: garbage collected');
    } catch (error) {
      logFailure(log, error, {}, 'registry: garbage collection failed');
    }
  }
}
