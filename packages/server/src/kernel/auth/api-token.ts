/** API tokens: `slw_` and 256 random bits. Only the sha256 is stored; a token is shown once, when it is made. */
import { createHash, randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import type { TokenScope } from '@slipway/contract/identity.ts';
import type { Caller } from '../http/handle.ts';
import { newId } from '../ids.ts';
import { loadCaller } from './callers.ts';

/** Lets people and secret scanners tell what a found string is; nothing depends on it. */
const tokenPrefix = 'slw_';
export const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

export interface StoredToken {
  readonly id: string;
  readonly name: string;
  readonly scopes: TokenScope[];
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly lastUsedAt: Date | null;
}

/** Makes a token and answers it in clear: the only time. */
export const createToken = async (
  db: Pick<Pool, 'query'>,
  wanted: { identityId: string; name: string; scopes: readonly TokenScope[]; expiresAt: Date },
): Promise<StoredToken & { token: string }> => {
  const token = `${tokenPrefix}${randomBytes(32).toString('base64url')}`;
  const id = newId('tok');
  const { rows } = await db.query<{ created_at: Date }>(
    `insert into api_token (id, identity_id, name, hash, scopes, expires_at) values ($1, $2, $3, $4, $5, $6) returning created_at`,
    [id, wanted.identityId, wanted.name, hashOf(token), [...wanted.scopes], wanted.expiresAt],
  );
  const createdAt = rows[0]?.created_at ?? new Date();
  return { id, token, name: wanted.name, scopes: [...wanted.scopes], createdAt, expiresAt: wanted.expiresAt, lastUsedAt: null };
};

/** The caller behind a valid token, else undefined. Use is noted once a minute: a write per call would be the slowest part of it. */
export const callerOfToken = async (pool: Pool, token: string): Promise<Caller | undefined> => {
  const { rows } = await pool.query<{ id: string; identity_id: string; scopes: TokenScope[]; is_stale: boolean }>(
    `select id, identity_id, scopes, last_used_at is null or last_used_at < now() - interval '1 minute' as is_stale
     from api_token where hash = $1 and revoked_at is null and expires_at > now()`,
    [hashOf(token)],
  );
  const row = rows[0];
  if (!row) return undefined;
  if (row.is_stale) await pool.query('update api_token set last_used_at = now() where id = $1', [row.id]);
  return loadCaller(pool, row.identity_id, {
    origin: 'token',
    scopes: new Set(row.scopes),
    isAutomation: row.identity_id === adminIdentityId,
  });
};

/** The identity and token that SLIPWAY_ADMIN_TOKEN stands for. */
export const adminTokenId = 'tok_admin';
export const adminIdentityId = 'platform-automation';

/**
 * Stores the administrator token of the environment, and revokes it when it was changed or unset (decisions §9). Tokens that were made
 * with it go too: whoever had it must not keep what it could do.
 */
export const syncAdminToken = async (pool: Pool, token: string | undefined): Promise<void> => {
  if (token === undefined) {
    await pool.query('delete from api_token where identity_id = $1', [adminIdentityId]);
    return;
  }
  await pool.query(
    `delete from api_token where identity_id = $1
       and not exists (select from api_token as kept where kept.id = $2 and kept.hash = $3 and kept.revoked_at is null)`,
    [adminIdentityId, adminTokenId, hashOf(token)],
  );
  await pool.query(
    `insert into identity (id, display_name, provider, type, is_administrator) values ($1, 'Platform automation', 'SLIPWAY', 'SERVICE_ACCOUNT', true)
     on conflict (id) do update set is_administrator = true`,
    [adminIdentityId],
  );
  await pool.query(
    `insert into api_token (id, identity_id, name, hash, scopes, expires_at)
     values ($1, $2, 'SLIPWAY_ADMIN_TOKEN', $3, '{read,write,git,registry}', 'infinity')
     on conflict (id) do update set hash = excluded.hash`,
    [adminTokenId, adminIdentityId, hashOf(token)],
  );
};
