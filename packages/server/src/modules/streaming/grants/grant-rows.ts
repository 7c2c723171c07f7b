/** Grant rows in the form of the contract, with the apps and teams of both sides. */
import { sql, type RawBuilder } from 'kysely';
import type * as z from 'zod/mini';
import type { Environment, Page } from '@slipway/contract/kernel/fields.ts';
import { memberRule } from '@slipway/contract/kernel/rights.ts';
import {
  grantDecideRule,
  grantRevokeRule,
  grantWithdrawRule,
  type TopicGrant,
  type TopicGrantQuery,
} from '@slipway/contract/streaming/grant.ts';
import type { Db } from '#db/database.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { countTotal, likeOf, pageOf } from '#kernel/page.ts';

export interface GrantRow {
  readonly id: string;
  readonly environment: Environment;
  readonly operation: TopicGrant['operation'];
  readonly state: TopicGrant['state'];
  readonly basis: TopicGrant['basis'];
  readonly is_listed: boolean;
  readonly account_id: string;
  readonly account: string;
  readonly account_state: string;
  readonly account_app: string;
  readonly account_team: string;
  readonly account_team_name: string;
  readonly principal: string;
  readonly topic_id: string;
  readonly topic: string;
  readonly topic_name: string;
  readonly topic_app: string;
  readonly topic_team: string;
  readonly topic_team_name: string;
  readonly classification: TopicGrant['topic']['classification'];
  readonly is_sharable: boolean;
  readonly reason: string | null;
  readonly requested_at: Date;
  readonly requested_by: string;
  readonly requested_by_name: string;
  readonly decided_at: Date | null;
  readonly decided_by: string | null;
  readonly decided_by_name: string | null;
  readonly decision: string | null;
  readonly is_busy: boolean;
}
export const grantColumns = sql`topic_grant.id, account.environment, topic_grant.operation, topic_grant.state, topic_grant.basis, topic_grant.is_listed,
  account.id as account_id, account.name as account, account.state as account_state, account.app_id as account_app, account.principal,
  asking_team.id as account_team, asking_team.display_name as account_team_name,
  topic.id as topic_id, topic.name as topic, topic.topic_name, topic.app_id as topic_app, topic.classification, topic.is_sharable,
  owning_team.id as topic_team, owning_team.display_name as topic_team_name,
  topic_grant.reason, topic_grant.requested_at, topic_grant.requested_by, topic_grant.requested_by_name,
  topic_grant.decided_at, topic_grant.decided_by, topic_grant.decided_by_name, topic_grant.decision,
  exists (select from pipeline_run where subject = 'account:' || account.app_id || '/' || account.environment || '/' || account.name
    and pipeline_run.state in ('QUEUED', 'PENDING', 'RUNNING')) as is_busy`;
export const grantTables = sql`topic_grant join account on account.id = topic_grant.account_id join topic on topic.id = topic_grant.topic_id
  join app asking on asking.id = account.app_id join app owning on owning.id = topic.app_id
  join team asking_team on asking_team.id = asking.team_id join team owning_team on owning_team.id = owning.team_id`;

const canOf = (row: GrantRow, caller: Caller): TopicGrant['can'] => {
  const owner = memberRule(caller, row.topic_team);
  const asker = memberRule(caller, row.account_team);
  return {
    decide: owner === true ? grantDecideRule(row) : owner,
    revoke: owner === true ? grantRevokeRule(row) : owner,
    withdraw: asker === true ? grantWithdrawRule(row) : asker,
  };
};
export const grantView = (row: GrantRow, caller: Caller): TopicGrant => ({
  id: row.id,
  environmentClass: row.environment,
  operation: row.operation,
  state: row.state,
  basis: row.basis,
  account: {
    resourceId: row.account_id,
    name: row.account,
    applicationCode: row.account_app,
    team: { id: row.account_team, displayName: row.account_team_name },
    user: row.principal,
  },
  topic: {
    resourceId: row.topic_id,
    name: row.topic,
    applicationCode: row.topic_app,
    team: { id: row.topic_team, displayName: row.topic_team_name },
    topicName: row.topic_name,
    classification: row.classification,
    isSharable: row.is_sharable,
  },
  reason: row.reason,
  requestedAt: row.requested_at.toISOString(),
  requestedBy: { id: row.requested_by, displayName: row.requested_by_name },
  decidedAt: row.decided_at?.toISOString() ?? null,
  decidedBy: row.decided_by === null ? null : { id: row.decided_by, displayName: row.decided_by_name ?? '' },
  decision: row.decision,
  isBusy: row.is_busy,
  can: canOf(row, caller),
});

/** Excludes grants of a change that was undone: they are no longer requested. */
const isMeant = sql`(topic_grant.is_listed or topic_grant.state not in ('REQUESTED', 'APPROVED'))`;
/** `isLocked` locks the row to serialize decisions. */
export const grantRow = async (db: Db, id: string, { isLocked = false } = {}): Promise<GrantRow | undefined> => {
  const lock = isLocked ? sql`for update of topic_grant` : sql``;
  const { rows } =
    await sql<GrantRow>`select ${grantColumns} from ${grantTables} where topic_grant.id = ${id} and ${isMeant} ${lock}`.execute(db);
  return rows[0];
};

type Query = z.output<typeof TopicGrantQuery>;
/** Grants of one app in one environment, or of one team. */
export type GrantPlace =
  | { readonly app: string; readonly environment: Environment }
  | { readonly team: string; readonly environment?: Environment | undefined };

const placed = (place: GrantPlace, side: Query['side']): RawBuilder<unknown>[] => {
  const [asked, received] =
    'app' in place
      ? [sql`account.app_id = ${place.app}`, sql`topic.app_id = ${place.app}`]
      : [sql`asking.team_id = ${place.team}`, sql`owning.team_id = ${place.team}`];
  const both = side === undefined ? sql`(${asked} or ${received})` : side === 'asked' ? asked : received;
  return [both, ...(place.environment === undefined ? [] : [sql`account.environment = ${place.environment}`])];
};
const listOf = <T>(value: T | readonly T[] | undefined): readonly T[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value as T];

/** Pending requests first, then the newest. */
export const grantPage = async (db: Db, place: GrantPlace, query: Query, caller: Caller): Promise<Page<TopicGrant>> => {
  const states = listOf(query.state);
  const text = query.query === undefined ? undefined : likeOf(query.query);
  const where = sql.join(
    [
      ...placed(place, query.side),
      isMeant,
      ...(states.length > 0 ? [sql`topic_grant.state in (${sql.join(states)})`] : []),
      ...(query.topic === undefined ? [] : [sql`(topic.id = ${query.topic} or topic.name = ${query.topic})`]),
      ...(query.account === undefined ? [] : [sql`(account.id = ${query.account} or account.name = ${query.account})`]),
      ...(text === undefined ? [] : [sql`(topic.topic_name ilike ${text} or account.principal ilike ${text})`]),
    ],
    sql` and `,
  );
  const total = await countTotal(db, sql`select 1 from ${grantTables} where ${where}`);
  const { rows } = await sql<GrantRow>`select ${grantColumns} from ${grantTables} where ${where}
    order by (topic_grant.state = 'REQUESTED') desc, topic_grant.requested_at desc, topic_grant.id desc
    limit ${query.size} offset ${query.page * query.size}`.execute(db);
  return pageOf(
    rows.map((row) => grantView(row, caller)),
    total,
    query,
  );
};
