// The registry's own access tokens (JWT, HS256 with a key that all replicas share): who, and what on which repository.
import { randomUUID } from 'node:crypto';
import { jwtVerify, SignJWT, type JWTPayload } from 'jose';
import { z } from 'zod';
import type { RobotAction } from '#ports/registry.ts';

/** What clients call `service`; also issuer and audience. */
export const SERVICE = 'slipway-registry';
const REFRESH_AUDIENCE = `${SERVICE}:refresh`;
/** Kept short, because a signed token outlives the robot account it was given to. */
export const ACCESS_SECONDS = 300;
const REFRESH_SECONDS = 30 * 24 * 3600;
const MIN_KEY_BYTES = 32;

const Action = z.enum(['pull', 'push', 'delete']);
export interface Access {
  readonly repository: string;
  readonly actions: readonly RobotAction[];
}
export interface AccessClaims {
  readonly subject: string;
  readonly access: readonly Access[];
}

const AccessPayload = z.object({
  sub: z.string(),
  access: z.array(z.object({ type: z.literal('repository'), name: z.string(), actions: z.array(Action) })),
});
const RefreshPayload = z.object({ sub: z.string(), credential: z.string() });

export class Tokens {
  readonly #key: Uint8Array;
  readonly #now: () => Date;

  constructor(key: Uint8Array, now: () => Date) {
    if (key.length < MIN_KEY_BYTES) throw new Error(`the registry's signing key needs at least ${MIN_KEY_BYTES} bytes`);
    this.#key = key;
    this.#now = now;
  }

  signAccess(subject: string, access: readonly Access[]): Promise<string> {
    const claims = access.map(({ repository, actions }) => ({ type: 'repository', name: repository, actions }));
    return this.#sign(subject, SERVICE, ACCESS_SECONDS, { access: claims });
  }

  signRefresh(subject: string, credentialId: string): Promise<string> {
    return this.#sign(subject, REFRESH_AUDIENCE, REFRESH_SECONDS, { credential: credentialId });
  }

  /** Undefined for a token that is expired, for another service or not ours. */
  async readAccess(token: string): Promise<AccessClaims | undefined> {
    const payload = AccessPayload.safeParse(await this.#verify(token, SERVICE));
    if (!payload.success) return undefined;
    return { subject: payload.data.sub, access: payload.data.access.map((entry) => ({ repository: entry.name, actions: entry.actions })) };
  }

  async readRefresh(token: string): Promise<{ subject: string; credentialId: string } | undefined> {
    const payload = RefreshPayload.safeParse(await this.#verify(token, REFRESH_AUDIENCE));
    return payload.success ? { subject: payload.data.sub, credentialId: payload.data.credential } : undefined;
  }

  #sign(subject: string, audience: string, seconds: number, claims: JWTPayload): Promise<string> {
    const issuedAt = Math.floor(this.#now().getTime() / 1000);
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setSubject(subject)
      .setIssuer(SERVICE)
      .setAudience(audience)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + seconds)
      .setJti(randomUUID())
      .sign(this.#key);
  }

  async #verify(token: string, audience: string): Promise<JWTPayload | undefined> {
    try {
      const options = { issuer: SERVICE, audience, algorithms: ['HS256'], currentDate: this.#now() };
      return (await jwtVerify(token, this.#key, options)).payload;
    } catch {
      return undefined;
    }
  }
}
