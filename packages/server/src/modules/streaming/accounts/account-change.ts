/** A change of an account's topics: the rows before and after it, so that a pipeline can apply and undo it. */
import type { Transaction } from 'kysely';
import type { AccountSide, AccountUpdate } from '@slipway/contract/streaming/account.ts';
import type { DB } from '#db/types.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { addGrant, namedTopics, type Asker } from '../grants/index.ts';
import type { AccountRow } from './account-rows.ts';

export interface AccountChange {
  readonly before: AccountSide;
  readonly after: AccountSide;
}

/** Changes a grant only if it still has the state of the other side: later decisions stay. */
export const setSide = async (trx: Transaction<DB>, row: Pick<AccountRow, 'id'>, to: AccountSide, from: AccountSide): Promise<void> => {
  await trx.updateTable('account').set({ description: to.description }).where('id', '=', row.id).execute();
  const earlier = new Map(from.grants.map((grant) => [grant.id, grant]));
  for (const { id, state, isListed } of to.grants) {
    const was = earlier.get(id);
    if (!was || (was.state === state && was.isListed === isListed)) continue;
    await trx
      .updateTable('topic_grant')
      .set({ state, is_listed: isListed, since: new Date() })
      .where('id', '=', id)
      .where('state', '=', was.state)
      .where('is_listed', '=', was.isListed)
      .execute();
  }
};

/** Plans a change from current to wanted topics. Inserts rows for new grants, which `setSide` then lists. Throws NothingChanged. */
export const planChange = async (
  trx: Transaction<DB>,
  row: AccountRow,
  asker: Asker & { readonly accountId: string },
  { wanted, caller }: { readonly wanted: AccountUpdate; readonly caller: Caller },
): Promise<AccountChange> => {
  const topics = await namedTopics(trx, asker, wanted);
  const listed = await trx.selectFrom('topic_grant').selectAll().where('account_id', '=', row.id).where('is_listed', '=', true).execute();
  const keyOf = (grant: { readonly topic_id: string; readonly operation: string }): string => `${grant.operation} ${grant.topic_id}`;
  const there = new Set(listed.map(keyOf));
  const named = new Set(topics.map(({ id, operation }) => keyOf({ topic_id: id, operation })));
  const added = topics.filter(({ id, operation }) => !there.has(keyOf({ topic_id: id, operation })));
  const removed = listed.filter((grant) => !named.has(keyOf(grant)));
  if (added.length + removed.length === 0 && wanted.description === row.description) throw new Problem('NothingChanged');
  const made = [];
  for (const topic of added) made.push(await addGrant(trx, asker, topic, { caller, reason: wanted.reason, isListed: false }));
  const isOpen = (state: string): boolean => state === 'REQUESTED' || state === 'APPROVED';
  return {
    before: {
      description: row.description,
      grants: [
        ...made.map(({ id, state }) => ({ id, state, isListed: false })),
        ...removed.map(({ id, state }) => ({ id, state, isListed: true })),
      ],
    },
    after: {
      description: wanted.description,
      grants: [
        ...made.map(({ id, state }) => ({ id, state, isListed: true })),
        ...removed.map(({ id, state }) => ({ id, state: isOpen(state) ? ('WITHDRAWN' as const) : state, isListed: false })),
      ],
    },
  };
};
