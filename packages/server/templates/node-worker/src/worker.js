// Runs the job at regular times: never two runs at once, a limit on each, and a memory of the last ones.
import { setTimeout as sleep } from 'node:timers/promises';

const KEPT_RUNS = 50;
/** So many failures in a row mean that the worker is not well. */
const FAILURES_UNTIL_ILL = 3;

export class Worker {
  #job;
  #settings;
  #log;
  #stopping = new AbortController();
  #runs = [];
  #count = 0;
  #failures = 0;
  #lastEndAt = Date.now();
  #loop;

  constructor({ job, settings, log }) {
    this.#job = job;
    this.#settings = settings;
    this.#log = log;
  }

  start() {
    this.#loop ??= this.#repeat();
  }

  /** Lets the run in progress end (its signal asks it to hurry) and starts no other. */
  async stop() {
    this.#stopping.abort(new Error('the worker stops'));
    await this.#loop;
  }

  /** Newest first. */
  runs() {
    return this.#runs;
  }

  /** Ill after several failures in a row, or when no run has ended for too long. */
  health(now = Date.now()) {
    const { intervalMs, timeoutMs } = this.#settings;
    const isStuck = now - this.#lastEndAt > 2 * intervalMs + timeoutMs;
    const reason = isStuck ? 'no run has ended for too long' : 'the last runs have failed';
    return isStuck || this.#failures >= FAILURES_UNTIL_ILL ? { isWell: false, reason } : { isWell: true };
  }

  async #repeat() {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const startedAt = Date.now();
      await this.#runOnce(new Date(startedAt));
      // Counted from the start of the run: a job that takes five of thirty seconds still runs every thirty.
      const pauseMs = Math.max(0, startedAt + this.#settings.intervalMs - Date.now());
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #runOnce(now) {
    this.#count += 1;
    const number = this.#count;
    const began = performance.now();
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(this.#settings.timeoutMs)]);
    const outcome = await this.#outcome(now, signal);
    const run = { number, startedAt: now.toISOString(), tookMs: Math.round(performance.now() - began), ...outcome };
    this.#runs = [run, ...this.#runs].slice(0, KEPT_RUNS);
    this.#failures = run.isOk ? 0 : this.#failures + 1;
    this.#lastEndAt = Date.now();
    const fields = { run: number, tookMs: run.tookMs, ...run.figures };
    if (run.isOk) this.#log.info(run.summary, fields);
    else this.#log.error('run failed', { ...fields, error: run.summary });
  }

  async #outcome(now, signal) {
    try {
      // The race ends the wait for a job that does not listen to its signal.
      const aborted = new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
      const { summary, figures } = await Promise.race([this.#job({ now, signal }), aborted]);
      return { isOk: true, summary, figures };
    } catch (error) {
      return { isOk: false, summary: error instanceof Error ? error.message : String(error) };
    }
  }
}
