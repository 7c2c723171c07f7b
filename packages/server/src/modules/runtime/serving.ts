/** Whether this replica serves the services that it should, for those who ask: people at the start, and `/readyz`. */
import { isPortFailure } from '#ports/failure.ts';

export class Serving {
  #diagnosis: string | undefined = 'Services are starting.';
  readonly #known = Promise.withResolvers<void>();

  /** Why services are not served; undefined where all is well, or another replica serves. */
  get diagnosis(): string | undefined {
    return this.#diagnosis;
  }

  /** Resolves when it is first known. */
  get known(): Promise<void> {
    return this.#known.promise;
  }

  begins(): void {
    this.#diagnosis = 'Services are starting.';
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
}
