/** An account's state on its cluster: compared rules, effective rights, and consumer groups. */
import { sql } from 'kysely';
import { accountView } from '@slipway/contract/streaming/account.ts';
import {
  accountGroupsView,
  accountRightView,
  accountRulesView,
  maxGroupTopics,
  type AccountGroup,
  type AccountRules,
  type Right,
} from '@slipway/contract/streaming/account-rights.ts';
import type { Db } from '#db/database.ts';
import { handle, type Handler } from '#kernel/http/handle.ts';
import { mapLimited } from '#kernel/map-limited.ts';
import { inPlace, placeOf, requireEntity } from '#modules/resources/index.ts';
import { unlessAway } from '#ports/failure.ts';
import { lagOf } from '../topics/figures.ts';
import { compareRules, mayAccess, wantedRules } from './access-rules.ts';
import { noteCompared } from './account-watcher.ts';
import type { accountEntity } from './account-entity.ts';
import { requireAccount, type AccountDeps, type AccountNames, type AccountRow } from './account-rows.ts';

/** Resolves the name. Pipelines refer to an account by id, so that is accepted, too. */
const byName = async (db: Db, params: AccountNames): Promise<AccountNames> => {
  if (!params.account.includes('_')) return params;
  const row = await db
    .selectFrom('account')
    .select('name')
    .where('id', '=', params.account)
    .where(({ and }) => and(inPlace(placeOf(params))))
    .executeTakeFirst();
  return row ? { ...params, account: row.name } : params;
};

const rulesOf = async (deps: AccountDeps, row: AccountRow): Promise<AccountRules> => {
  const compared = row.turn === null ? undefined : await unlessAway(compareRules(deps, row));
  if (compared) await noteCompared(deps.db, [row], new Map([[row.id, compared]]));
  return { isCompared: compared !== undefined, comparedAt: new Date().toISOString(), ...(compared ?? (await wantedRules(deps, row))) };
};

/** Returns the account's pending request that waits for the topic's team. */
const waitingFor = async (db: Db, row: AccountRow, topicName: string, operation: string): Promise<Right['waiting']> => {
  const { rows } = await sql<{ id: string; requested_at: Date; team: string }>`
    select topic_grant.id, topic_grant.requested_at, team.display_name as team
    from topic_grant join topic on topic.id = topic_grant.topic_id join app on app.id = topic.app_id join team on team.id = app.team_id
    where topic_grant.account_id = ${row.id} and topic_grant.is_listed and topic_grant.state = 'REQUESTED'
      and topic.topic_name = ${topicName} and (topic_grant.operation = ${operation.toUpperCase()} or ${operation} = 'describe')`.execute(
    db,
  );
  const [found] = rows;
  return found ? { grant: found.id, requestedAt: found.requested_at.toISOString(), team: found.team } : null;
};

const rightOf = async (deps: AccountDeps, row: AccountRow, asked: Parameters<typeof mayAccess>[2]): Promise<Right> => {
  const { isAllowed, rule } = await mayAccess(deps.streaming, row, asked);
  const refused = rule === undefined ? ('NO_RULE' as const) : ('DENIED' as const);
  return {
    isAllowed,
    because: isAllowed ? 'ALLOWED' : refused,
    rule: rule ?? null,
    waiting: isAllowed || asked.resource !== 'topic' ? null : await waitingFor(deps.db, row, asked.name, asked.operation),
  };
};

/** Returns the cluster names of the topics that the account may read. */
const readTopics = async (db: Db, row: AccountRow): Promise<string[]> => {
  const rows = await db
    .selectFrom('topic_grant')
    .innerJoin('topic', 'topic.id', 'topic_grant.topic_id')
    .select('topic.topic_name')
    .where('account_id', '=', row.id)
    .where('operation', '=', 'READ')
    .where('topic_grant.state', '=', 'APPROVED')
    .orderBy('topic.topic_name')
    .limit(maxGroupTopics)
    .execute();
  return rows.map(({ topic_name: name }) => name);
};
const WITHOUT_MEMBERS = ['Empty', 'Dead'];
/** Includes groups that read none of these topics. */
const groupsOf = async ({ db, streaming }: AccountDeps, row: AccountRow): Promise<AccountGroup[]> => {
  const topics = await readTopics(db, row);
  const [groups, readers] = await Promise.all([
    streaming.listGroups(row.environment, row.group_prefix),
    mapLimited(topics, async (topicName) =>
      (await streaming.groupsOfTopic(row.environment, topicName)).map((seen) => ({ topicName, seen })),
    ),
  ]);
  const now = Date.now();
  return groups.map(({ group, state }) => {
    const seen = readers.flat().filter((one) => one.seen.group === group);
    const members = seen.flatMap((one) => one.seen.members ?? []);
    const clients = new Map(members.map(({ memberId, clientId, host }) => [memberId, { clientId, host }]));
    return {
      group,
      state,
      clients: clients.size === 0 && !WITHOUT_MEMBERS.includes(state) ? null : [...clients.values()],
      topics: seen.map(({ topicName, seen: reader }) => ({ topicName, lagMessages: Number(reader.lag), lagMs: lagOf(reader, now) })),
    };
  });
};

export const accountReads = (deps: AccountDeps & { readonly entity: ReturnType<typeof accountEntity> }): Handler[] => [
  handle(accountView, async (c) => requireEntity(deps.db, deps.entity, await byName(deps.db, c.params), c.caller)),
  handle(accountRulesView, async (c) => rulesOf(deps, await requireAccount(deps.db, c.params))),
  handle(accountRightView, async (c) => rightOf(deps, await requireAccount(deps.db, c.params), c.query)),
  handle(accountGroupsView, async (c) => {
    const row = await requireAccount(deps.db, c.params);
    return { groups: (await unlessAway(groupsOf(deps, row))) ?? null };
  }),
];
