/** Whether this replica serves the services that it should, for those who ask: people at the start, `/readyz` and `/metrics`. */
import { isPortFailure } from '#ports/failure.ts';
import { ENGINE_AWAY } from '#ports/runtime.ts';

/** Engines may be away for a moment, such as an agent that starts again. */
const AWAY_MS = 5000;
const STARTING = 'Services are starting.';
/** As many names as a sentence holds. */
const NAMED = 5;
const namesOf = (all: ReadonlySet<string>): string =>
  [...[...all].slice(0, NAMED), ...(all.size > NAMED ? [`${all.size - NAMED} more`] : [])].join(', ');

export class Serving {
  #diagnosis: string | undefined = STARTING;
  readonly #known = Promise.withResolvers<void>();
  /** Services that served before this replica took the runtime, and do not serve again yet. */
  #awaited: ReadonlySet<string> = new Set();
  #deadline = 0;
  #failedInARow = 0;
  /** Since when the engine has not answered, and what it is. */
  #away: { readonly since: number; readonly message: string } | undefined;
  /** True once services were served since this replica started. */
  #hasServed = false;
  readonly #passes = { ok: 0, failed: 0 };

  /** Why services are not served; undefined where all is well, or another replica serves. */
  get diagnosis(): string | undefined {
    return this.#diagnosis;
  }

  /** Resolves when it is first known. */
  get known(): Promise<void> {
    return this.#known.promise;
  }

  /** Passes of the reconciler by how they ended, since the start. */
  get passes(): Readonly<Record<'ok' | 'failed', number>> {
    return this.#passes;
  }

  /** As `/readyz` says it, where the runtime answers. */
  get check(): string {
    if (this.#awaited.size > 0) {
      const names = namesOf(this.#awaited);
      return Date.now() < this.#deadline ? `Services start again: ${names}` : `degraded: not served since the start: ${names}`;
    }
    if (this.#away && Date.now() - this.#away.since > AWAY_MS) return `${ENGINE_AWAY}: ${this.#away.message}`;
    return this.#failedInARow > 0 ? 'degraded: what runs could not be compared with what should run' : 'ok';
  }

  /**
   * Returns the check while another replica drives the runtime. `said` is that replica's check, or undefined until one has claimed the
   * runtime. A replica that was ready stays ready, since it still serves the API.
   */
  elsewhere(said = this.#hasServed ? 'ok' : STARTING): string {
    const isReady = said === 'ok' || said.startsWith('degraded');
    this.#hasServed ||= isReady;
    return isReady || !this.#hasServed ? said : `degraded: ${said}`;
  }

  begins(): void {
    this.#diagnosis = STARTING;
  }

  isLost(): void {
    this.#diagnosis = 'The runtime ended, and starts again.';
  }

  isWell(): void {
    this.#diagnosis = undefined;
    this.#known.resolve();
  }

  hasFailed(error: unknown): void {
    this.#diagnosis = isPortFailure(error) ? error.message : 'The runtime could not be taken.';
    this.#known.resolve();
  }

  /** Until they do, or `ms` are over, this replica is not ready. */
  awaits(services: readonly string[], ms: number): void {
    this.#awaited = new Set(services);
    this.#deadline = Date.now() + ms;
  }

  passed(unserved: ReadonlySet<string>): void {
    this.#passes.ok += 1;
    this.#failedInARow = 0;
    this.#away = undefined;
    if (this.#awaited.size > 0) this.#awaited = new Set([...this.#awaited].filter((name) => unserved.has(name)));
    this.#hasServed ||= this.#awaited.size === 0;
  }

  passFailed(error?: unknown): void {
    this.#passes.failed += 1;
    this.#failedInARow += 1;
    this.#away = isPortFailure(error, 'unavailable') ? { since: this.#away?.since ?? Date.now(), message: error.message } : undefined;
  }
}
