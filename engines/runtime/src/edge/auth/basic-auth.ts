/** Checks user name and password of BASIC_AUTH services against a scrypt hash. */
import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { AttemptLimit, type Attempt } from '@slipway/foundation/attempt-limit.ts';
import { TooBusy, type PasswordQueue } from '@slipway/foundation/sign-in/password-queue.ts';
import { isPassword } from '@slipway/foundation/sign-in/password.ts';
import type { EdgeAuthentication } from '@slipway/foundation/ports/runtime.ts';
import type { EdgeAuth, EdgeCaller, Verdict } from './edge-auth.ts';
import type { Refusal } from '../problem.ts';

/** scrypt is slow by design, so the result for a header is cached and only the first request pays. */
const REMEMBER_MS = 60_000;
const MAX_REMEMBERED = 1000;
/** Concurrent checks per service, so that a flood at one service leaves room for the others' sign-ins. */
const MAX_CHECKING = 16;

type BasicAuthentication = Extract<EdgeAuthentication, { type: 'BASIC_AUTH' }>;
interface Remembered {
  readonly isRight: boolean;
  until: number;
}

export class BasicAuth implements EdgeAuth {
  readonly authentication: BasicAuthentication;
  readonly #passwords: PasswordQueue;
  readonly #caller: EdgeCaller;
  readonly #guesses: AttemptLimit;
  readonly #now: () => number;
  /** Headers are cached as keyed hashes, so that memory contents can't be used to sign in. */
  readonly #key = randomBytes(32).toString('hex');
  readonly #remembered = new Map<string, Remembered>();
  readonly #checking = new Map<string, Promise<Verdict>>();

  constructor(authentication: BasicAuthentication, passwords: PasswordQueue, now = () => performance.now()) {
    this.#now = now;
    this.#guesses = new AttemptLimit({ now });
    this.authentication = authentication;
    this.#passwords = passwords;
    this.#caller = { user: authentication.username, claims: undefined };
  }

  /**
   * Checks the caller. A cached correct password passes even while its address is rate limited: one client's old password must not lock out
   * others behind the same address, and nobody guesses 256 random bits. A cached wrong password counts as one attempt.
   */
  check(request: IncomingMessage): Verdict | Promise<Verdict> {
    const nowMs = this.#now();
    const { authorization } = request.headers;
    if (authorization === undefined) return unknownCaller;
    // One call without a hash object, which would cost more per request than the rest of the edge.
    const digest = hash('sha256', `${this.#key}${authorization}`, 'base64');
    const known = this.#remembered.get(digest);
    if (known && known.until > nowMs) {
      if (!known.isRight) return unknownCaller;
      known.until = nowMs + REMEMBER_MS;
      return this.#caller;
    }
    const underWay = this.#checking.get(digest);
    if (underWay) return underWay;
    const credentials = parseBasic(authorization);
    if (!credentials) return unknownCaller;
    if (this.#checking.size >= MAX_CHECKING) return busy;
    const guess = this.#guesses.take('', request.socket.remoteAddress);
    if (!guess.isAllowed) return tooManyGuesses(guess.secondsLeft);
    const checking = this.#verify(credentials, digest, guess).finally(() => this.#checking.delete(digest));
    this.#checking.set(digest, checking);
    return checking;
  }

  async #verify(credentials: Credentials, digest: string, guess: Attempt): Promise<Verdict> {
    // The password is checked even for a wrong name, so that timing doesn't reveal which names exist.
    const { passwordHash, username } = this.authentication;
    try {
      const isRightPassword = await this.#passwords.inTurn('', () => isPassword(credentials.password, passwordHash));
      const isRight = isSame(credentials.username, username) && isRightPassword;
      if (isRight) guess.giveBack();
      this.#remember(digest, isRight);
      return isRight ? this.#caller : unknownCaller;
    } catch (error) {
      if (!(error instanceof TooBusy)) throw error;
      guess.giveBack();
      return busy;
    }
  }

  #remember(digest: string, isRight: boolean): void {
    this.#remembered.delete(digest);
    if (this.#remembered.size >= MAX_REMEMBERED) {
      // Evicts wrong guesses before entries in use.
      const oldest = this.#remembered.entries().find(([, entry]) => !entry.isRight) ?? this.#remembered.entries().next().value!;
      this.#remembered.delete(oldest[0]);
    }
    this.#remembered.set(digest, { isRight, until: this.#now() + REMEMBER_MS });
  }
}

const unknownCaller: Refusal = {
  status: 401,
  detail: 'User name and password are needed.',
  headers: { 'www-authenticate': 'Basic realm="service", charset="UTF-8"' },
};
const busy: Refusal = { status: 429, detail: 'Too many sign-ins at once.', headers: { 'retry-after': 1 } };
const tooManyGuesses = (waitSeconds: number): Refusal => ({
  status: 429,
  detail: 'Too many wrong passwords from this address.',
  headers: { 'retry-after': waitSeconds },
});

interface Credentials {
  readonly username: string;
  readonly password: string;
}

function parseBasic(authorization: string): Credentials | undefined {
  const encoded = /^Basic ([A-Za-z0-9+/=_-]+)$/i.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

const isSame = (left: string, right: string): boolean => {
  const [a, b] = [left, right].map((text) => createHmac('sha256', 'compare').update(text).digest());
  return timingSafeEqual(a!, b!);
};
