// Runs garbage collection every so often until stopped, one run at a time.
import { logFailure } from '#kernel/log-failure.ts';
import type { RegistryContext } from '../context.ts';
import { collectGarbageAlone } from './garbage.ts';

export class GarbageTimer {
  readonly #context: RegistryContext;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> = Promise.resolve();
  #isRunning = false;

  constructor(context: RegistryContext, everyMs: number) {
    this.#context = context;
    this.#timer = setInterval(() => this.#tick(), everyMs).unref();
  }

  /** Waits for a run in progress. */
  async stop(): Promise<void> {
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
