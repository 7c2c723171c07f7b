/**
 * Slows guessing down: ten tries a minute at one account from one client address. The pair is counted, so that nobody locks anybody
 * else out. In memory and of a bounded size: strangers' guesses must not write to the database, and each replica counts its own.
 */

export const MAX_TRIES = 10;
const WINDOW_MS = 60_000;
/** Beyond this the oldest are forgotten: invented names must not fill the memory. */
const MAX_PAIRS = 10_000;

export interface Attempt {
  /** False once all tries of this window are used. A try that is refused does not count. */
  readonly isAllowed: boolean;
  /** Until tries count from nought again. */
  readonly secondsLeft: number;
  count(): void;
  /** Takes this one back: nothing was compared, or it was right. */
  giveBack(): void;
  /** Takes all tries of the pair back, once the right answer was given. */
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

  /** `maxTries`: where passwords are random, and a program with a wrong one tries again and again. */
  constructor(options: { readonly now?: () => number; readonly maxTries?: number } = {}) {
    this.#now = options.now ?? (() => performance.now());
    this.#maxTries = options.maxTries ?? MAX_TRIES;
  }

  /** Counts before anything is compared, so that a hundred tries at once are a hundred tries. `address` is the socket's. */
  take(account: string, address: string | undefined): Attempt {
    const attempt = this.look(account, address);
    if (attempt.isAllowed) attempt.count();
    return attempt;
  }

  /** Counts nothing by itself: for where many right answers come at once, and failures alone are counted, afterwards. */
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
    // Put back at the end: what is tried at this moment is forgotten last.
    this.#tries.delete(key);
    for (const [oldest] of this.#tries) {
      if (this.#tries.size < MAX_PAIRS) break;
      this.#tries.delete(oldest);
    }
    this.#tries.set(key, tries);
    return tries;
  }
}

/** Whoever has one IPv6 address has the other 2^64 of its network, too. */
export const clientOf = (address: string | undefined): string => {
  const plain = (address ?? '').replace(/^::ffff:(?=\d+\.)/, '').replace(/%.*$/, '');
  if (!plain.includes(':')) return plain;
  const [head = '', tail] = plain.split('::');
  const groups = head === '' ? [] : head.split(':');
  const rest = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - groups.length - rest.length) }, () => '0');
  return `${[...groups, ...zeros, ...rest].slice(0, 4).join(':')}::/64`;
};
