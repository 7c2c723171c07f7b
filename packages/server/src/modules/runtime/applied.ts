/**
 * Remembers the last state that the runtime accepted, so that only changes are sent. Forgetting is always safe: the state is sent again.
 */
import { isPortFailure } from '#ports/failure.ts';

export class Applied {
  #prints = new Map<string, string>();

  is(key: string, print: string): boolean {
    return this.#prints.get(key) === print;
  }

  /**
   * Remembers `print` after `send` succeeds. If the runtime rejects the call, forgets only this key. After any other failure the runtime's
   * state is unknown, so forgets all keys.
   */
  async send(key: string, print: string, send: () => Promise<void>): Promise<void> {
    // Keys that are forgotten meanwhile stay forgotten.
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

  /** Forgets all other keys, so that a row that disappears and comes back is sent again. */
  keep(keys: ReadonlySet<string>): void {
    for (const key of this.#prints.keys()) if (!keys.has(key)) this.#prints.delete(key);
  }

  forgetAll(): void {
    this.#prints = new Map();
  }
}
