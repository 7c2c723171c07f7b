/** Verifies access tokens of the sign-in authority: signature, issuer, audience, algorithm and time. Creates the identity on first use. */
import { createHash } from 'node:crypto';
import { jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import type { Pool } from 'pg';
import type { Caller } from '../http/handle.ts';
import { textAt } from '#kernel/text-at.ts';
import { everyScope, loadCaller } from './callers.ts';
import { isReservedId } from '#kernel/auth/reserved-ids.ts';
import { subjectOf } from '#kernel/auth/token-subject.ts';

export interface AccessTokens {
  readonly issuer: string;
  readonly audience: string;
  readonly keys: JWTVerifyGetKey;
  /** Provider name of the identity when an external authority issued the token. */
  readonly provider: string;
  /** Whether the session of the token is still active. Tokens of an external authority are valid until they expire. */
  readonly isLive?: (claims: JWTPayload) => Promise<boolean>;
}

/** Name that the composition root gives the embedded authority. */
const OWN_PROVIDER = 'SLIPWAY';

/** Asymmetric algorithms only: with HS256 in the list, a public key could be used as a secret. */
const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'];

/** Detects tokens for calling a service (decisions §9). The platform rejects them even if they also name the platform as an audience. */
const isForService = ({ aud }: JWTPayload): boolean => [aud ?? []].flat().some((audience) => audience.startsWith('service:'));

const idBySubject = async (pool: Pool, subject: string, isOurs: boolean): Promise<string | undefined> => {
  const { rows } = await pool.query<{ id: string }>(
    `select id from identity where subject = $1 or ($2 and subject is null and id = $1 and type = 'USER')`,
    [subject, isOurs],
  );
  return rows[0]?.id;
};

/** Creates the identity. An id or e-mail that another identity already has must not block the sign-in or merge the two people. */
const firstSight = async (pool: Pool, subject: string, claims: JWTPayload, provider: string): Promise<string> => {
  const [name, email, login] = ['name', 'email', 'preferred_username'].map((key) => textAt(claims, key));
  const id = subject.replace(/[^A-Za-z0-9._@-]/g, '-').slice(0, 120);
  const tried = [
    { id, email: email ?? (login?.includes('@') ? login : null) },
    { id: `${id}-${createHash('sha256').update(subject).digest('hex').slice(0, 12)}`, email: null },
  ];
  for (const wanted of isReservedId(id) ? tried.slice(1) : tried) {
    const { rowCount } = await pool.query(
      `insert into identity (id, subject, display_name, email, provider) values ($1, $2, $3, $4, $5) on conflict do nothing`,
      [wanted.id, subject, name ?? login ?? id, wanted.email, provider],
    );
    if (rowCount === 1) return wanted.id;
    const known = await idBySubject(pool, subject, false);
    if (known) return known;
  }
  throw new Error('An identity could not be made for a new subject');
};

const cache = new WeakMap<Pool, Map<string, string>>();

/** Returns the id of the identity for a subject. Each process looks it up once. */
const identityOf = async (pool: Pool, subject: string, claims: JWTPayload, provider: string): Promise<string | undefined> => {
  const known = cache.get(pool) ?? new Map<string, string>();
  cache.set(pool, known);
  const found = known.get(subject);
  if (found) return found;
  // Only our own authority uses identity ids as subjects. With an external authority, a subject could impersonate a local identity. A
  // deleted local user stays deleted, even while the token is still valid.
  const isOurs = provider === OWN_PROVIDER;
  const id = (await idBySubject(pool, subject, isOurs)) ?? (isOurs ? undefined : await firstSight(pool, subject, claims, provider));
  if (!id) return undefined;
  known.set(subject, id);
  return id;
};

/** Throws for invalid tokens. The reason goes to the log, never to the caller. */
export const callerOfAccessToken = async (pool: Pool, tokens: AccessTokens, token: string): Promise<Caller | undefined> => {
  const { payload } = await jwtVerify(token, tokens.keys, {
    issuer: tokens.issuer,
    audience: tokens.audience,
    algorithms,
    clockTolerance: 5,
  });
  const subject = subjectOf(payload);
  if (!subject || isForService(payload)) return undefined;
  if (tokens.isLive && !(await tokens.isLive(payload))) return undefined;
  const id = await identityOf(pool, subject, payload, tokens.provider);
  // If the session itself can be checked, that check is exact. Otherwise compare whole seconds.
  const issuedAt = tokens.isLive ? undefined : (payload.iat ?? 0);
  const caller = id && (await loadCaller(pool, id, { origin: 'console', scopes: everyScope }, issuedAt));
  if (!caller) cache.get(pool)?.delete(subject);
  return caller || undefined;
};
