/** Slows guessing down: few wrong passwords a minute for each client address. */

const MAX_TRIES = 10;
const WINDOW_MS = 60_000;
/** Beyond this the oldest are forgotten: strangers must not fill the memory. */
const MAX_ADDRESSES = 10_000;

interface Tries {
  count: number;
  readonly endsAt: number;
}

export class GuessLimit {
  readonly #tries = new Map<string, Tries>();

  /** Counts a try before it is looked at, so that a hundred at once are a hundred. 0 when it may be made, else the seconds to wait. */
  take(address: string, nowMs: number): number {
    const known = this.#tries.get(address);
    if (known && known.endsAt > nowMs) {
      if (known.count >= MAX_TRIES) return Math.ceil((known.endsAt - nowMs) / 1000);
      known.count++;
      return 0;
    }
    this.#tries.delete(address);
    if (this.#tries.size >= MAX_ADDRESSES) this.#tries.delete(this.#tries.keys().next().value!);
    this.#tries.set(address, { count: 1, endsAt: nowMs + WINDOW_MS });
    return 0;
  }

  /** Takes a try back that was not a wrong password. */
  forgive(address: string): void {
    const known = this.#tries.get(address);
    if (known) known.count--;
  }
}
