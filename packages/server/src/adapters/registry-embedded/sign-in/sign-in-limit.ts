// Slows down guessing: after too many failed sign-ins for one user name from one address the next ones are refused until
// the window has passed. The pair, so that nobody locks out others behind the same address. Each replica counts its own.
import { RegistryError } from '../registry-error.ts';

const WINDOW_MS = 60_000;
export const MAX_FAILURES = 10;
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

  /** Throws 429 when this user name has failed too often from this address, even if the password is right now. */
  check(username: string, address: string): void {
    const count = this.#counts.get(keyOf(username, address));
    const leftMs = (count?.resetAt ?? 0) - this.#now().getTime();
    if (!count || leftMs <= 0 || count.failures < MAX_FAILURES) return;
    const seconds = String(Math.ceil(leftMs / 1000));
    throw new RegistryError(429, 'TOOMANYREQUESTS', 'too many failed sign-ins, try again later', { 'Retry-After': seconds });
  }

  failed(username: string, address: string): void {
    const now = this.#now().getTime();
    if (this.#counts.size >= MAX_ENTRIES) this.#prune(now);
    const count = this.#counts.get(keyOf(username, address));
    if (count && count.resetAt > now) count.failures += 1;
    else this.#counts.set(keyOf(username, address), { failures: 1, resetAt: now + WINDOW_MS });
  }

  succeeded(username: string, address: string): void {
    this.#counts.delete(keyOf(username, address));
  }

  #prune(now: number): void {
    for (const [key, count] of this.#counts) if (count.resetAt <= now) this.#counts.delete(key);
    if (this.#counts.size >= MAX_ENTRIES) this.#counts.clear();
  }
}

const keyOf = (username: string, address: string): string => `${address} ${username}`;
