/** One SCRAM sign-in: the client's first message, the server's challenge, the proof, the server's signature. */
import { randomBytes } from 'node:crypto';

import type { SaslExchange, SaslStep } from '../parts.ts';
import {
  checkProof,
  readClientFinal,
  readClientFirst,
  writeServerFirst,
  type ClientFirst,
  type Credential,
  type Mechanism,
} from './scram.ts';
import type { SignInLimit } from './sign-in-limit.ts';
import type { UserStore } from './user-store.ts';

interface Challenge {
  readonly first: ClientFirst;
  readonly serverFirst: string;
  readonly nonce: string;
  readonly credential: Credential;
}

export interface ExchangeParts {
  readonly users: UserStore;
  readonly limit: SignInLimit;
  /** For tests. */
  readonly newNonce?: () => string;
}

const randomNonce = (): string => randomBytes(24).toString('base64url');

export class ScramExchange implements SaslExchange {
  readonly #parts: ExchangeParts;
  readonly #mechanism: Mechanism;
  readonly #host: string;
  #challenge: Challenge | undefined;
  #isOver = false;

  constructor(parts: ExchangeParts, mechanism: Mechanism, host: string) {
    this.#parts = parts;
    this.#mechanism = mechanism;
    this.#host = host;
  }

  async step(message: Buffer): Promise<SaslStep> {
    if (this.#isOver) return this.#refuse(`Unexpected message of ${this.#mechanism}: the exchange is over`);
    return this.#challenge === undefined ? this.#begin(message) : this.#finish(this.#challenge, message);
  }

  #refuse(reason: string): SaslStep {
    this.#isOver = true;
    this.#challenge = undefined;
    return { state: 'refused', reason };
  }

  #begin(message: Buffer): SaslStep {
    const first = readClientFirst(message);
    if (first === undefined) return this.#refuse(`Invalid first message of ${this.#mechanism}`);
    if (first.authorizationId !== '' && first.authorizationId !== first.user) {
      return this.#refuse('Authentication failed: Client requested an authorization id that is different from username');
    }
    const { users, newNonce = randomNonce } = this.#parts;
    const key = { name: first.user, mechanism: this.#mechanism };
    // Computed for existing users, too, so that the response time reveals nothing.
    const pretended = users.pretend(key);
    const credential = users.find(key) ?? pretended;
    const nonce = first.nonce + newNonce();
    const serverFirst = writeServerFirst(nonce, credential);
    this.#challenge = { first, serverFirst, nonce, credential };
    return { state: 'continue', answer: Buffer.from(serverFirst) };
  }

  /**
   * Returns true if the credential exists and has not changed since the exchange began. Connections of deleted users are already closed by
   * then.
   */
  #isCurrent(name: string, { storedKey }: Credential): boolean {
    return this.#parts.users.find({ name, mechanism: this.#mechanism })?.storedKey.equals(storedKey) === true;
  }

  #finish({ first, serverFirst, nonce, credential }: Challenge, message: Buffer): SaslStep {
    const { limit } = this.#parts;
    const secondsLeft = limit.secondsLeft(first.user, this.#host);
    if (secondsLeft !== undefined) {
      return this.#refuse(`Too many failed sign-ins as this user or from this address. Try again in ${secondsLeft} seconds.`);
    }
    const final = readClientFinal(message);
    // Not equality: librdkafka before 2.6 sends its own nonce twice, which Apache Kafka accepts. The proof covers what was sent.
    const isOurs = final !== undefined && final.nonce.endsWith(nonce) && final.gs2Header === first.gs2Header;
    const serverFinal = isOurs ? checkProof(this.#mechanism, credential, first, serverFirst, final) : undefined;
    if (serverFinal === undefined || !this.#isCurrent(first.user, credential)) {
      limit.failed(first.user, this.#host);
      return this.#refuse(`Authentication failed during authentication due to invalid credentials with SASL mechanism ${this.#mechanism}`);
    }
    limit.succeeded(first.user, this.#host);
    this.#isOver = true;
    // Sessions never expire: a changed password does not end open connections, and a deleted user's connections are closed.
    return { state: 'signedIn', answer: Buffer.from(serverFinal), principal: first.user, sessionMs: 0 };
  }
}
