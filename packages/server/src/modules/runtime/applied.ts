/** What the runtime was last given, and took: only what differs is sent. Forgetting is always safe, since it only sends something again. */
import { isPortFailure } from '#ports/failure.ts';

export class Applied {
  #prints = new Map<string, string>();

  is(key: string, print: string): boolean {
    return this.#prints.get(key) === print;
  }

  /**
   * Remembers `print` once `send` has ended well. Where the runtime is away nobody knows what it has, also of others: all is forgotten. Where it
   * refuses, that is about this one alone.
   */
  async send(key: string, print: string, send: () => Promise<void>): Promise<void> {
    // What was forgotten meanwhile stays so.
    const prints = this.#prints;
    prints.delete(key);
    try {
      await send();
    } catch (error) {
      if (!isPortFailure(error, 'rejected')) this.forgetAll();
      throw error;
    }
    prints.set(key, print);
  }

  /** Forgets all others: what left the rows and comes back is sent again. */
  keep(keys: ReadonlySet<string>): void {
    for (const key of this.#prints.keys()) if (!keys.has(key)) this.#prints.delete(key);
  }

  forgetAll(): void {
    this.#prints = new Map();
  }
}
