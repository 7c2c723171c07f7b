/** Rows of identities and their tokens. */
import type { Identity } from '@slipway/contract/identity.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import { sql } from 'kysely';
import type { Db } from '#db/database.ts';
import type { StoredToken } from '#kernel/auth/api-token.ts';
import { adminIdentityId } from '#kernel/auth/reserved-ids.ts';
import { countTotal, pageOf } from '#kernel/page.ts';
import { matching } from '#kernel/text-search.ts';

const columns = ['identity.id', 'identity.display_name', 'identity.email', 'identity.provider', 'identity.type'] as const;
interface Row {
  id: string;
  display_name: string;
  email: string | null;
  provider: string;
  type: Identity['type'];
}
const identityOf = (row: Row): Identity => ({
  id: row.id,
  displayName: row.display_name,
  email: row.email,
  provider: row.provider,
  type: row.type,
});
export const identityById = async (db: Db, id: string): Promise<Identity | undefined> => {
  const row = await db.selectFrom('identity').select(columns).where('id', '=', id).executeTakeFirst();
  return row && identityOf(row);
};

/** Excludes the platform's automation identity, so that it is never found, listed or invited. */
const people = async (db: Db, text: string | undefined) =>
  db
    .selectFrom('identity')
    .where('id', '!=', adminIdentityId)
    .where(text ? await matching(db, searched, text) : sql<boolean>`true`);
const searched = {
  table: 'identity',
  key: 'id',
  text: sql<string>`lower(identity.display_name || E'\n' || coalesce(identity.email, ''))`,
} as const;

/** Returns the first twenty matches, sorted by name. */
export const searchPeople = async (db: Db, text: string): Promise<Identity[]> => {
  const rows = await (await people(db, text)).select(columns).orderBy('display_name').limit(20).execute();
  return rows.map(identityOf);
};

export const identityPage = async (
  db: Db,
  { teamId, query, page, size }: { teamId?: string | undefined; query?: string | undefined; page: number; size: number },
): Promise<Page<Identity>> => {
  let rows = await people(db, query);
  if (teamId !== undefined)
    rows = rows.where('id', 'in', (at) => at.selectFrom('team_member').select('identity_id').where('team_id', '=', teamId));
  const total = await countTotal(db, rows.select('id'));
  const found = await rows
    .select(columns)
    .orderBy('display_name')
    .orderBy('id')
    .limit(size)
    .offset(page * size)
    .execute();
  return pageOf(found.map(identityOf), total, { page, size });
};

/** Neither the token nor the tokens it was created with are revoked or expired. */
export const isLive = sql<boolean>`api_token_is_live(api_token.id)`;

export const tokensOf = async (db: Db, identityId: string): Promise<StoredToken[]> => {
  const rows = await db
    .selectFrom('api_token')
    .leftJoin('api_token as parent', 'parent.id', 'api_token.parent_id')
    .selectAll('api_token')
    .select('parent.name as parent_name')
    .where('api_token.identity_id', '=', identityId)
    .where(isLive)
    .orderBy('api_token.created_at', 'desc')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    scopes: row.scopes,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    parent: row.parent_id === null ? null : { id: row.parent_id, name: row.parent_name ?? '' },
  }));
};
