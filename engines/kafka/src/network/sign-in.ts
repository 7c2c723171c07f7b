/**
 * The sign-in of a connection: SaslHandshake, then SaslAuthenticate (or raw frames without a header, after version 0 of the handshake), and
 * reauthentication if sessions expire (KIP-368). Other requests are refused before.
 */
import type { SaslExchange, SaslStep, Users } from '../parts.ts';
import type { Request, Response } from '../protocol/apis.ts';
import { errors } from '../protocol/errors.ts';

interface Session {
  readonly principal: string;
  /** Infinity if the session does not expire. */
  readonly endsAt: number;
}
export interface Answered<Body> {
  readonly body: Body;
  /** True if the connection closes after this answer. */
  readonly isLast: boolean;
}

export class SignIn {
  readonly #users: Users;
  readonly #host: string;
  readonly #now: () => number;
  #session: Session | undefined;
  #exchange: SaslExchange | undefined;
  /** True if the next frames are raw messages of the exchange. */
  isRaw = false;

  constructor(users: Users, host: string, now: () => number) {
    this.#users = users;
    this.#host = host;
    this.#now = now;
  }

  /** Undefined before sign-in and after the session has expired. */
  get principal(): string | undefined {
    return this.#session && this.#now() < this.#session.endsAt ? this.#session.principal : undefined;
  }

  handshake({ mechanism }: Request<'SaslHandshake'>, version: number): Answered<Response<'SaslHandshake'>> {
    const { mechanisms } = this.#users;
    const answer = (errorCode: number): Answered<Response<'SaslHandshake'>> => ({
      body: { errorCode, mechanisms },
      isLast: errorCode !== errors.NONE,
    });
    if (this.#exchange) return answer(errors.ILLEGAL_SASL_STATE);
    if (!mechanisms.includes(mechanism)) return answer(errors.UNSUPPORTED_SASL_MECHANISM);
    this.#exchange = this.#users.begin(mechanism, this.#host);
    this.isRaw = version === 0;
    return answer(errors.NONE);
  }

  async authenticate({ authBytes }: Request<'SaslAuthenticate'>): Promise<Answered<Response<'SaslAuthenticate'>>> {
    const refuse = (errorCode: number, errorMessage: string): Answered<Response<'SaslAuthenticate'>> => ({
      body: { errorCode, errorMessage, authBytes: Buffer.alloc(0) },
      isLast: true,
    });
    if (this.#exchange === undefined || this.isRaw)
      return refuse(errors.ILLEGAL_SASL_STATE, 'SaslAuthenticate comes after a SaslHandshake of version 1.');
    const step = await this.#step(authBytes);
    if (step.state === 'refused') return refuse(errors.SASL_AUTHENTICATION_FAILED, step.reason);
    const sessionLifetimeMs = step.state === 'signedIn' ? step.sessionMs : 0;
    return { body: { errorCode: errors.NONE, errorMessage: null, authBytes: step.answer, sessionLifetimeMs }, isLast: false };
  }

  /** Returns undefined if the sign-in is refused. In the raw form, only closing the connection says so. */
  async raw(message: Buffer): Promise<Buffer | undefined> {
    const step = await this.#step(message);
    return step.state === 'refused' ? undefined : step.answer;
  }

  async #step(message: Buffer): Promise<SaslStep> {
    const step: SaslStep = (await this.#exchange?.step(message)) ?? { state: 'refused', reason: 'There is no exchange.' };
    if (step.state === 'continue') return step;
    this.#exchange = undefined;
    this.isRaw = false;
    if (step.state === 'refused') return step;
    if (this.#session && this.#session.principal !== step.principal)
      return { state: 'refused', reason: 'A connection stays with its user.' };
    this.#session = { principal: step.principal, endsAt: step.sessionMs > 0 ? this.#now() + step.sessionMs : Infinity };
    return step;
  }
}
