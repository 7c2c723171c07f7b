/** Whether this replica serves the services that it should, for those who ask: people at the start, and `/readyz`. */
import { isPortFailure } from '#ports/failure.ts';

export class Serving {
  #trouble: string | undefined = 'Services are starting.';
  readonly #known = Promise.withResolvers<void>();

  /** Why services are not served; undefined where all is well, or another replica serves. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Resolves when it is first known. */
  get known(): Promise<void> {
    return this.#known.promise;
  }

  begins(): void {
    this.#trouble = 'Services are starting.';
  }

  isLost(): void {
    this.#trouble = 'The runtime ended, and starts again.';
  }

  isWell(): void {
    this.#trouble = undefined;
    this.#known.resolve();
  }

  hasFailed(error: unknown): void {
    this.#trouble = isPortFailure(error) ? error.message : 'The runtime could not be taken.';
    this.#known.resolve();
  }
}
