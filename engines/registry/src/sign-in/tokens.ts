// The registry's access tokens (JWT, HS256 with a key that all replicas share). They hold the subject and its actions per repository.
import { randomUUID } from 'node:crypto';
import { jwtVerify, SignJWT, type JWTPayload } from 'jose';
import { z } from 'zod';
import type { RobotAction, RobotPermission } from '@slipway/foundation/ports/registry.ts';

/** The `service` in challenges and token requests. Also the tokens' issuer and audience. */
export const SERVICE = 'slipway-registry';
/** Subject of the tokens that the platform issues to itself. */
export const PLATFORM = 'platform';
/** Kept short, because a signed token outlives the robot account it was given to. */
export const ACCESS_SECONDS = 300;
const MIN_KEY_BYTES = 32;

const Action = z.enum(['pull', 'push', 'delete']);
const Permission = z.enum([
  'repository:pull',
  'repository:push',
  'artifact:read',
  'artifact:delete',
  'tag:list',
  'tag:create',
  'tag:delete',
]);
export interface Access {
  readonly repository: string;
  readonly actions: readonly RobotAction[];
}
export interface AccessClaims {
  readonly subject: string;
  /** Permissions of a robot account. Undefined for other subjects. */
  readonly permissions: readonly RobotPermission[] | undefined;
  readonly access: readonly Access[];
}

const AccessPayload = z.object({
  sub: z.string(),
  access: z.array(z.object({ type: z.literal('repository'), name: z.string(), actions: z.array(Action) })),
  permissions: z.array(Permission).optional(),
});

export class Tokens {
  readonly #key: Uint8Array;
  readonly #now: () => Date;

  constructor(key: Uint8Array, now: () => Date) {
    if (key.length < MIN_KEY_BYTES) throw new Error(`the registry's signing key needs at least ${MIN_KEY_BYTES} bytes`);
    this.#key = key;
    this.#now = now;
  }

  signAccess(subject: string, access: readonly Access[], permissions?: readonly RobotPermission[]): Promise<string> {
    const claims = access.map(({ repository, actions }) => ({ type: 'repository', name: repository, actions }));
    return this.#sign(subject, { access: claims, ...(permissions && { permissions }) });
  }

  /** Returns undefined if the token is expired, for another service, or not ours. */
  async readAccess(token: string): Promise<AccessClaims | undefined> {
    const payload = AccessPayload.safeParse(await this.#verify(token));
    if (!payload.success) return undefined;
    const { sub, access, permissions } = payload.data;
    return { subject: sub, permissions, access: access.map((entry) => ({ repository: entry.name, actions: entry.actions })) };
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
