/** A person may have so many API tokens that are still good. Whoever runs into it has a program that makes one for each of its runs. */
import type { Transaction } from 'kysely';
import type { DB } from '#db/types.ts';
import { MAX_API_TOKENS } from '#kernel/http/flood-limits.ts';
import { Problem } from '#kernel/problem.ts';

/** Call it before the insert, in its transaction: the identity's row lets one at a time count. */
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
