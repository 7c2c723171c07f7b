/** API tokens: `slw_` and 256 random bits. Only the SHA-256 is stored. A token is shown once, when it is created. */
import { createHash, randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import type { TokenScope } from '@slipway/contract/identity.ts';
import type { Caller } from '../http/handle.ts';
import { newId } from '../ids.ts';
import { loadCaller } from './callers.ts';
import { adminIdentityId } from '#kernel/auth/reserved-ids.ts';

/** Lets people and secret scanners recognize a token. The code does not depend on the prefix. */
const tokenPrefix = 'slw_';
export const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

export interface StoredToken {
  readonly id: string;
  readonly name: string;
  readonly scopes: TokenScope[];
  readonly createdAt: Date;
  /** A number for `infinity`, which is not a valid Date. */
  readonly expiresAt: Date | number;
  readonly lastUsedAt: Date | null;
  readonly parent: { readonly id: string; readonly name: string } | null;
}
interface WantedToken {
  readonly identityId: string;
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  readonly expiresAt: Date;
  /** Token of the call that creates this one. The new token expires no later, and is valid only while its parent is. */
  readonly parentId: string | undefined;
}

const INSERT = `with parent as (select id, name, expires_at from api_token where id = $7),
  made as (
    insert into api_token (id, identity_id, name, hash, scopes, expires_at, parent_id)
    values ($1, $2, $3, $4, $5, least($6::timestamptz, (select expires_at from parent)), $7)
    returning created_at, expires_at)
  select made.created_at, made.expires_at, parent.name as parent_name from made left join parent on true`;

/** A token in plain text and the hash to store. */
export const newTokenValue = (): { token: string; hash: Buffer } => {
  const token = `${tokenPrefix}${randomBytes(32).toString('base64url')}`;
  return { token, hash: hashOf(token) };
};

/** Creates a token and returns it in plain text. It cannot be read again. */
export const createToken = async (db: Pick<Pool, 'query'>, wanted: WantedToken): Promise<StoredToken & { token: string }> => {
  const { token, hash } = newTokenValue();
  const id = newId('tok');
  const { identityId, name, scopes, expiresAt, parentId } = wanted;
  const { rows } = await db.query<{ created_at: Date; expires_at: Date | number; parent_name: string | null }>(INSERT, [
    id,
    identityId,
    name,
    hash,
    [...scopes],
    expiresAt,
    parentId ?? null,
  ]);
  const made = rows[0];
  if (!made) throw new Error('The new token was not stored');
  return {
    id,
    token,
    name,
    scopes: [...scopes],
    createdAt: made.created_at,
    expiresAt: made.expires_at,
    lastUsedAt: null,
    parent: parentId === undefined ? null : { id: parentId, name: made.parent_name ?? '' },
  };
};

/**
 * Returns the caller of a valid token, or undefined. Last use is updated at most once a minute, because a write per call would dominate its
 * cost.
 */
export const callerOfToken = async (pool: Pool, token: string): Promise<Caller | undefined> => {
  const { rows } = await pool.query<{
    id: string;
    identity_id: string;
    scopes: TokenScope[];
    expires_at: Date | number;
    is_stale: boolean;
  }>(
    `select id, identity_id, scopes, expires_at, last_used_at is null or last_used_at < now() - interval '1 minute' as is_stale
     from api_token where hash = $1 and api_token_is_live(id)`,
    [hashOf(token)],
  );
  const row = rows[0];
  if (!row) return undefined;
  if (row.is_stale) await pool.query('update api_token set last_used_at = now() where id = $1', [row.id]);
  return loadCaller(pool, row.identity_id, {
    origin: 'token',
    scopes: new Set(row.scopes),
    isAutomation: row.identity_id === adminIdentityId,
    token: { id: row.id, expiresAt: row.expires_at },
  });
};

/** Id of the token set by SLIPWAY_ADMIN_TOKEN. */
export const adminTokenId = 'tok_admin';

/**
 * Stores the administrator token of the environment, and revokes it when it was changed or unset (decisions §9). Also revokes tokens
 * created with it, so that its former holder keeps no access.
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
  const { rowCount } = await pool.query(
    `insert into identity (id, display_name, provider, type, is_administrator) values ($1, 'Platform automation', 'SLIPWAY', 'SERVICE_ACCOUNT', true)
     on conflict (id) do update set is_administrator = true where identity.subject is null and identity.type = 'SERVICE_ACCOUNT'`,
    [adminIdentityId],
  );
  if (rowCount === 0) throw new Error(`The id ${adminIdentityId} belongs to somebody else: remove that identity, then start again`);
  await pool.query(
    `insert into api_token (id, identity_id, name, hash, scopes, expires_at)
     values ($1, $2, 'SLIPWAY_ADMIN_TOKEN', $3, '{read,write,git,registry}', 'infinity')
     on conflict (id) do update set hash = excluded.hash`,
    [adminTokenId, adminIdentityId, hashOf(token)],
  );
};
