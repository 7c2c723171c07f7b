/**
 * A request that made a token is repeated with its Idempotency-Key. The value of the token is not kept, so that it cannot be answered
 * again: the token gets another value, and the former one ends. So a repeat leaves no token behind that nobody knows.
 */
import { transaction, type Db } from '#db/database.ts';
import { newTokenValue, type StoredToken } from '#kernel/auth/api-token.ts';
import type { Caller } from '#kernel/http/handle.ts';
import type { Made } from '#kernel/http/write-claim.ts';
import { notifyCredentials } from '#kernel/changes.ts';
import { Problem } from '#kernel/problem.ts';
import { isLive, tokensOf } from './identities.sql.ts';

/** What was made, by its entry in the activity log: a token, or a service account with its first token. */
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

/** Throws IdempotencyKeyReused where the token is gone by now, or another credential than the caller's made it. */
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
