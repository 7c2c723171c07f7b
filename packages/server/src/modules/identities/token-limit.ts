/** Limits the number of valid API tokens of an identity. Typically only a program that creates a token on each run reaches it. */
import type { Transaction } from 'kysely';
import type { DB } from '#db/types.ts';
import { MAX_API_TOKENS } from '#kernel/http/flood-limits.ts';
import { Problem } from '#kernel/problem.ts';

/** Call it before the insert, in the same transaction. Locks the identity's row, so that concurrent calls count correctly. */
export const requireRoomForToken = async (trx: Transaction<DB>, identityId: string): Promise<void> => {
  await trx.selectFrom('identity').select('id').where('id', '=', identityId).forUpdate().execute();
  const { count } = await trx
    .selectFrom('api_token')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('identity_id', '=', identityId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', new Date())
    .executeTakeFirstOrThrow();
  if (Number(count) >= MAX_API_TOKENS) throw new Problem('TooManyApiTokens', { context: { max: String(MAX_API_TOKENS) } });
};
