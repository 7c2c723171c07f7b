/**
 * Handles a retry with the Idempotency-Key of a request that created a token. The token's value is not stored and can't be returned again.
 * The retry therefore replaces the value and invalidates the old one, so no unknown value stays valid.
 */
import { transaction, type Db } from '#db/database.ts';
import { newTokenValue, type StoredToken } from '#kernel/auth/api-token.ts';
import type { Caller } from '#kernel/http/handle.ts';
import type { Made } from '#kernel/http/write-claim.ts';
import { notifyCredentials } from '#kernel/changes.ts';
import { Problem } from '#kernel/problem.ts';
import { isLive, tokensOf } from './identities.sql.ts';

/** Finds what the request created by its activity entry: a token, or a service account with its first token. */
export const madeId = async (db: Db, [made]: readonly Made[]): Promise<string> => {
  const entry = await db
    .selectFrom('activity')
    .select('after')
    .where('id', '=', made?.entry ?? '')
    .executeTakeFirst();
  const after: unknown = entry?.after;
  if (typeof after !== 'object' || after === null || !('id' in after) || typeof after.id !== 'string')
    throw new Problem('IdempotencyKeyReused');
  return after.id;
};

/** Throws IdempotencyKeyReused if the token no longer exists, or was created with another credential. */
export const renewToken = (
  db: Db,
  caller: Caller,
  { column, id }: { readonly column: 'id' | 'identity_id'; readonly id: string },
): Promise<StoredToken & { readonly token: string }> =>
  transaction(db, async (trx) => {
    const { token, hash } = newTokenValue();
    const row = await trx
      .updateTable('api_token')
      .set({ hash })
      .where(column, '=', id)
      .where('parent_id', 'is not distinct from', caller.token?.id ?? null)
      .where(isLive)
      .returning(['id', 'identity_id'])
      .executeTakeFirst();
    const stored = row && (await tokensOf(trx, row.identity_id)).find((one) => one.id === row.id);
    if (!stored) throw new Problem('IdempotencyKeyReused');
    await notifyCredentials(trx);
    return { ...stored, token };
  });
