/** Checks the tokens that AZURE_AUTH services require. */
import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { errors } from 'jose';
import { isAuthorityOutage } from '@slipway/foundation/sign-in/authority-outage.ts';
import type { EdgeAuthentication } from '@slipway/foundation/ports/runtime.ts';
import type { EdgeAuth, EdgeCaller, Verdict } from './edge-auth.ts';
import { UnfitToken, type EdgeTokens, type VerifiedToken } from './edge-tokens.ts';
import type { Refusal } from '../problem.ts';

/** Verifying and signing are the most expensive steps at the edge, so valid tokens are cached by hash. */
const MAX_REMEMBERED = 2000;
/** Tokens are verified again after this time, since their signing key may have been revoked. */
const REMEMBER_MS = 10 * 60_000;

type BearerAuthentication = Extract<EdgeAuthentication, { type: 'AZURE_AUTH' }>;
interface Remembered {
  readonly token: VerifiedToken;
  readonly until: number;
  readonly caller: EdgeCaller;
  /** Time from which its claims should be signed again. */
  readonly freshUntil: number;
}

export class BearerAuth implements EdgeAuth {
  readonly authentication: BearerAuthentication;
  readonly #tokens: EdgeTokens;
  readonly #remembered = new Map<string, Remembered>();
  /** Checks in progress, shared by concurrent requests with the same token. */
  readonly #checking = new Map<string, Promise<Verdict>>();

  constructor(authentication: BearerAuthentication, tokens: EdgeTokens) {
    this.authentication = authentication;
    this.#tokens = tokens;
  }

  check(request: IncomingMessage, now: number = Date.now()): Verdict | Promise<Verdict> {
    const { authorization } = request.headers;
    const token = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) return this.#refuse(authorization === undefined ? undefined : 'The header holds no token.');
    const key = hash('sha256', token, 'base64');
    const known = this.#remembered.get(key);
    const isKnown = known !== undefined && known.until > now;
    if (isKnown && known.freshUntil > now) return known.caller;
    const underWay = this.#checking.get(key);
    if (underWay) return underWay;
    const checking = this.#work(token, key, isKnown ? known : undefined, now)
      .catch((error: unknown) => this.#failed(error))
      .finally(() => this.#checking.delete(key));
    this.#checking.set(key, checking);
    return checking;
  }

  async #work(text: string, key: string, known: Remembered | undefined, now: number): Promise<Verdict> {
    const { audience } = this.authentication;
    const token = known?.token ?? (await this.#tokens.verify(text, audience));
    const { claims, until: freshUntil } = await this.#tokens.sign(token, audience);
    const caller: EdgeCaller = { user: token.user, claims };
    this.#remembered.delete(key);
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.delete(this.#remembered.keys().next().value!);
    this.#remembered.set(key, { token, caller, freshUntil, until: known?.until ?? Math.min(token.expiresAt, now + REMEMBER_MS) });
    return caller;
  }

  #failed(error: unknown): Refusal {
    if (isAuthorityOutage(error)) {
      return {
        status: 503,
        detail: 'The sign-in authority does not answer, so the token cannot be checked.',
        headers: { 'retry-after': 5 },
      };
    }
    if (error instanceof UnfitToken) return this.#refuse(error.message);
    if (error instanceof errors.JWTExpired) return this.#refuse('The token has expired.');
    if (error instanceof errors.JWTClaimValidationFailed) return this.#refuse(wrongClaims[error.claim] ?? 'The token is not good.');
    if (error instanceof errors.JOSEError) return this.#refuse('The token is not good.');
    throw error;
  }

  /** Rejects the caller. Without a reason, no token was sent, which is no error yet (RFC 6750 §3.1). */
  #refuse(reason: string | undefined): Refusal {
    const need = `A token with the audience ${this.authentication.audience} is needed.`;
    const challenge = reason === undefined ? 'Bearer realm="service"' : `Bearer error="invalid_token", error_description="${reason}"`;
    return {
      status: 401,
      detail: reason === undefined ? need : `${reason} ${need}`,
      headers: { 'www-authenticate': challenge },
    };
  }
}

const wrongClaims: Readonly<Record<string, string>> = {
  iss: 'The token is of another authority.',
  aud: 'The token is for something else.',
  nbf: 'The token is not valid yet.',
  exp: 'The token has no end.',
};
