/**
 * Limits login attempts to ten per minute for each pair of account and client address. Counting pairs keeps one client from locking out
 * others. The counts are in memory and bounded, so that anonymous guesses cause no database writes. Each replica counts separately.
 */

export const MAX_TRIES = 10;
const WINDOW_MS = 60_000;
/** Above this limit the oldest pairs are dropped, so that invented names cannot exhaust memory. */
const MAX_PAIRS = 10_000;

export interface Attempt {
  /** False once all attempts of this window are used. A rejected attempt does not count. */
  readonly isAllowed: boolean;
  /** Seconds until the window resets. */
  readonly secondsLeft: number;
  count(): void;
  /** Takes this attempt back, because nothing was compared or the password was correct. */
  giveBack(): void;
  /** Takes back all attempts of the pair after a correct answer. */
  forgive(): void;
}
interface Tries {
  count: number;
  readonly endsAt: number;
}

export class AttemptLimit {
  readonly #tries = new Map<string, Tries>();
  readonly #now: () => number;
  readonly #maxTries: number;

  /** `maxTries`: another limit, for random passwords that misconfigured programs retry over and over. */
  constructor(options: { readonly now?: () => number; readonly maxTries?: number } = {}) {
    this.#now = options.now ?? (() => performance.now());
    this.#maxTries = options.maxTries ?? MAX_TRIES;
  }

  /** Counts the attempt before any comparison, so that 100 parallel attempts count as 100. `address` is the address of the socket. */
  take(account: string, address: string | undefined): Attempt {
    const attempt = this.look(account, address);
    if (attempt.isAllowed) attempt.count();
    return attempt;
  }

  /**
   * Returns the attempt without counting it. Used where many correct logins arrive in parallel and only failures are counted afterwards.
   */
  look(account: string, address: string | undefined): Attempt {
    const key = JSON.stringify([clientOf(address), account.slice(0, 200)]);
    const { count, endsAt } = this.#current(key);
    let counted: Tries | undefined;
    return {
      isAllowed: count < this.#maxTries,
      secondsLeft: Math.max(1, Math.ceil((endsAt - this.#now()) / 1000)),
      count: () => {
        counted = this.#count(key);
      },
      giveBack: () => {
        if (counted) counted.count -= 1;
      },
      forgive: () => void this.#tries.delete(key),
    };
  }

  get size(): number {
    return this.#tries.size;
  }

  #current(key: string): Tries {
    const now = this.#now();
    const known = this.#tries.get(key);
    return known && known.endsAt > now ? known : { count: 0, endsAt: now + WINDOW_MS };
  }

  #count(key: string): Tries {
    const tries = this.#current(key);
    tries.count += 1;
    // Moves the pair to the end, so that recently used pairs are dropped last.
    this.#tries.delete(key);
    for (const [oldest] of this.#tries) {
      if (this.#tries.size < MAX_PAIRS) break;
      this.#tries.delete(oldest);
    }
    this.#tries.set(key, tries);
    return tries;
  }
}

/** Returns the key to count a client by. A client with one IPv6 address has the other 2^64 of its network, too. */
export const clientOf = (address: string | undefined): string => {
  const plain = (address ?? '').replace(/^::ffff:(?=\d+\.)/, '').replace(/%.*$/, '');
  if (!plain.includes(':')) return plain;
  const [head = '', tail] = plain.split('::');
  const groups = head === '' ? [] : head.split(':');
  const rest = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - groups.length - rest.length) }, () => '0');
  return `${[...groups, ...zeros, ...rest].slice(0, 4).join(':')}::/64`;
};
