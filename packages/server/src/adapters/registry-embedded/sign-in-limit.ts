// Slows down guessing: after too many failed sign-ins for one user name from one address (or from one address alone)
// the next ones are refused until the window has passed. In memory: each replica counts its own.
import { RegistryError } from './registry-error.ts';

const WINDOW_MS = 60_000;
const FAILURES_PER_USER = 10;
const FAILURES_PER_ADDRESS = 100;
/** Bounds the memory that a stream of invented user names can take. */
const MAX_ENTRIES = 10_000;

interface Count {
  failures: number;
  readonly resetAt: number;
}

export class SignInLimit {
  readonly #counts = new Map<string, Count>();
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Throws 429 when this user name or address has failed too often. */
  check(username: string, address: string): void {
    const now = this.#now().getTime();
    for (const [key, limit] of limits(username, address)) {
      const count = this.#counts.get(key);
      if (!count || count.resetAt <= now || count.failures < limit) continue;
      const seconds = Math.ceil((count.resetAt - now) / 1000);
      throw new RegistryError(429, 'TOOMANYREQUESTS', 'too many failed sign-ins, try again later', { 'Retry-After': String(seconds) });
    }
  }

  failed(username: string, address: string): void {
    const now = this.#now().getTime();
    if (this.#counts.size >= MAX_ENTRIES) this.#prune(now);
    for (const [key] of limits(username, address)) {
      const count = this.#counts.get(key);
      if (count && count.resetAt > now) count.failures += 1;
      else this.#counts.set(key, { failures: 1, resetAt: now + WINDOW_MS });
    }
  }

  /** The address's own count stays: one good account must not cover guesses at others. */
  succeeded(username: string, address: string): void {
    this.#counts.delete(userKey(username, address));
  }

  #prune(now: number): void {
    for (const [key, count] of this.#counts) if (count.resetAt <= now) this.#counts.delete(key);
    if (this.#counts.size >= MAX_ENTRIES) this.#counts.clear();
  }
}

const userKey = (username: string, address: string): string => `${address} ${username}`;
const limits = (username: string, address: string): readonly [string, number][] => [
  [userKey(username, address), FAILURES_PER_USER],
  [address, FAILURES_PER_ADDRESS],
];
