/** Requests for topic access. A listed grant in the state REQUESTED has a pending request; every write of grants keeps that true. */
import { sql, type Transaction } from 'kysely';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { topicGrantKind } from '@slipway/contract/kinds/grant.kind.ts';
import type { TopicGrant, TopicOperation } from '@slipway/contract/streaming/grant.ts';
import { transaction, type Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { idOf, type NewRequest, type Requests } from '#modules/requests/index.ts';
import { grantColumns, grantTables, type GrantRow } from './grant-rows.ts';

export const topicAccess = 'TOPIC_ACCESS';
const subjectKind = topicGrantKind.kind;
export const ofGrants = (ids: readonly string[]) => ({ kind: topicAccess, subjectKind, subjectIds: ids });

/** Content of a request. All of it is immutable. */
export interface AccessWish {
  readonly operation: TopicOperation;
  readonly environment: Environment;
  readonly account: { readonly app: string; readonly name: string; readonly user: string };
  readonly topic: { readonly app: string; readonly name: string; readonly topicName: string };
}

export const newAccessRequest = (row: GrantRow): NewRequest => {
  const wish: AccessWish = {
    operation: row.operation,
    environment: row.environment,
    account: { app: row.account_app, name: row.account, user: row.principal },
    topic: { app: row.topic_app, name: row.topic, topicName: row.topic_name },
  };
  return {
    kind: topicAccess,
    subject: { kind: subjectKind, id: row.id },
    title: `${row.account_app} ${row.operation === 'READ' ? 'reads' : 'writes'} ${row.topic_name}`,
    environment: row.environment,
    comment: row.reason,
    deciders: [`app:${row.topic_app}`],
    askers: [`app:${row.account_app}`],
    payload: wish,
  };
};

const isWaiting = ({ is_listed: isListed, state }: GrantRow): boolean => isListed && state === 'REQUESTED';
const outcomes: Readonly<Partial<Record<TopicGrant['state'], 'APPROVED' | 'REJECTED' | 'WITHDRAWN'>>> = {
  APPROVED: 'APPROVED',
  REVOKED: 'APPROVED',
  DECLINED: 'REJECTED',
  WITHDRAWN: 'WITHDRAWN',
};

/** Makes the requests of an account match its grants: raises, reopens, settles or voids them. Idempotent. */
export const followGrants = async (trx: Transaction<DB>, requests: Requests, accountId: string): Promise<void> => {
  const { rows } = await sql<GrantRow>`select ${grantColumns} from ${grantTables}
    left join request pending on pending.subject_kind = ${subjectKind} and pending.subject_id = topic_grant.id and pending.status = 'PENDING'
    where account.id = ${accountId} and (topic_grant.is_listed and topic_grant.state = 'REQUESTED') <> (pending.number is not null)
    order by topic_grant.requested_at, topic_grant.id`.execute(trx);
  for (const row of rows) {
    const status = outcomes[row.state];
    if (isWaiting(row)) {
      if ((await requests.reopen(trx, ofGrants([row.id]))).length > 0) continue;
      await requests.raise(trx, { id: row.requested_by, displayName: row.requested_by_name }, newAccessRequest(row));
    } else if (status !== undefined && row.decided_by !== null) {
      const by = { id: row.decided_by, displayName: row.decided_by_name ?? '' };
      await requests.settle(trx, ofGrants([row.id]), { status, by, comment: row.decision });
    } else await requests.void(trx, ofGrants([row.id]), 'The account no longer lists the topic');
  }
};

/** Voids the pending requests of an account or a topic that is about to be deleted. */
export const voidRequests = async (
  trx: Db | Transaction<DB>,
  requests: Requests,
  of: { readonly account: string } | { readonly topic: string },
): Promise<void> => {
  const [column, id, label] =
    'account' in of ? (['account_id', of.account, 'account'] as const) : (['topic_id', of.topic, 'topic'] as const);
  const rows = await trx.selectFrom('topic_grant').select('id').where(column, '=', id).where('state', '=', 'REQUESTED').execute();
  const ids = rows.map(({ id: grant }) => grant);
  await requests.void(trx as Transaction<DB>, ofGrants(ids), `The ${label} was deleted`);
};

/** Returns the id of the pending request of a grant, after bringing the account's requests up to date. */
export const pendingRequest = async (trx: Transaction<DB>, requests: Requests, { id, account_id: account }: GrantRow): Promise<string> => {
  await followGrants(trx, requests, account);
  const row = await trx
    .selectFrom('request')
    .select('number')
    .where('subject_kind', '=', subjectKind)
    .where('subject_id', '=', id)
    .where('status', '=', 'PENDING')
    .executeTakeFirstOrThrow();
  return idOf(row);
};

const AT_ONCE = 100;
/** Brings requests up to date after writes of an older version, which knows grants only. */
export const followAllGrants = async (db: Db, requests: Requests): Promise<void> => {
  const { rows } = await sql<{ account_id: string }>`
    select account_id from topic_grant where is_listed and state = 'REQUESTED'
      and not exists (select from request where subject_kind = ${subjectKind} and subject_id = topic_grant.id and status = 'PENDING')
    union
    select account_id from request join topic_grant on topic_grant.id = request.subject_id
      where request.kind = ${topicAccess} and request.status = 'PENDING' and not (topic_grant.is_listed and topic_grant.state = 'REQUESTED')
    limit ${AT_ONCE}`.execute(db);
  for (const { account_id: account } of rows)
    await transaction(db, async (trx) => {
      // Before the grants are read: decisions lock the account, too.
      await sql`select 1 from account where id = ${account} for update`.execute(trx);
      await followGrants(trx, requests, account);
    });
  const gone = await db
    .selectFrom('request')
    .leftJoin('topic_grant', 'topic_grant.id', 'request.subject_id')
    .select('request.subject_id')
    .where('request.kind', '=', topicAccess)
    .where('request.status', '=', 'PENDING')
    .where('topic_grant.id', 'is', null)
    .limit(AT_ONCE)
    .execute();
  const ids = gone.map(({ subject_id: id }) => id);
  if (ids.length > 0) await transaction(db, (trx) => requests.void(trx, ofGrants(ids), 'The account or the topic was deleted'));
};
