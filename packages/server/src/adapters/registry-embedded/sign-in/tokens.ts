// The registry's own access tokens (JWT, HS256 with a key that all replicas share): who, and what on which repository.
import { randomUUID } from 'node:crypto';
import { jwtVerify, SignJWT, type JWTPayload } from 'jose';
import { z } from 'zod';
import type { RobotAction } from '#ports/registry.ts';

/** What clients call `service`; also issuer and audience. */
export const SERVICE = 'slipway-registry';
/** Kept short, because a signed token outlives the robot account it was given to. */
export const ACCESS_SECONDS = 300;
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
    return this.#sign(subject, { access: claims });
  }

  /** Undefined for a token that is expired, for another service or not ours. */
  async readAccess(token: string): Promise<AccessClaims | undefined> {
    const payload = AccessPayload.safeParse(await this.#verify(token));
    if (!payload.success) return undefined;
    return { subject: payload.data.sub, access: payload.data.access.map((entry) => ({ repository: entry.name, actions: entry.actions })) };
  }

  #sign(subject: string, claims: JWTPayload): Promise<string> {
    const issuedAt = Math.floor(this.#now().getTime() / 1000);
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setSubject(subject)
      .setIssuer(SERVICE)
      .setAudience(SERVICE)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + ACCESS_SECONDS)
      .setJti(randomUUID())
      .sign(this.#key);
  }

  async #verify(token: string): Promise<JWTPayload | undefined> {
    try {
      const options = { issuer: SERVICE, audience: SERVICE, algorithms: ['HS256'], currentDate: this.#now() };
      return (await jwtVerify(token, this.#key, options)).payload;
    } catch {
      return undefined;
    }
  }
}
