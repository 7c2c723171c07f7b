/** Accounts that may use a topic: for its page, for its deletion's impact, and for the impact of a new schema version. */
import { sql } from 'kysely';
import type { TopicUser } from '@slipway/contract/streaming/grant.ts';
import type { Db } from '#db/database.ts';

interface Row {
  readonly topic_id: string;
  readonly topic: string;
  readonly account_id: string;
  readonly account: string;
  readonly app_id: string;
  readonly team_id: string;
  readonly team_name: string;
  readonly operation: TopicUser['operation'];
  readonly since: Date;
}
/** An account with access to a topic. */
export interface UserOfTopic {
  readonly topicId: string;
  readonly topic: string;
  readonly account: string;
  readonly applicationCode: string;
  readonly operation: TopicUser['operation'];
  /** The form for the topic's page. */
  readonly user: TopicUser;
}

/** Returns accounts with an approved grant, writers first. */
export const usersOfTopics = async (db: Db, topicIds: readonly string[]): Promise<UserOfTopic[]> => {
  if (topicIds.length === 0) return [];
  const { rows } = await sql<Row>`
    select topic_grant.topic_id, topic.name as topic, account.id as account_id, account.name as account, account.app_id, app.team_id,
      team.display_name as team_name, topic_grant.operation, topic_grant.since
    from topic_grant join topic on topic.id = topic_grant.topic_id join account on account.id = topic_grant.account_id
      join app on app.id = account.app_id join team on team.id = app.team_id
    where topic_grant.topic_id in (${sql.join(topicIds)}) and topic_grant.is_listed and topic_grant.state = 'APPROVED'
    order by topic_grant.operation desc, account.app_id, account.name`.execute(db);
  return rows.map((row) => {
    const { topic_id: topicId, topic, account, app_id: applicationCode, operation } = row;
    const owner = { teamId: row.team_id, teamName: row.team_name };
    const user = { accountId: row.account_id, account, applicationCode, ...owner, operation, since: row.since.toISOString() };
    return { topicId, topic, account, applicationCode, operation, user };
  });
};

/** Returns group name → owning account. A prefix ends with a dot, so accounts cannot own each other's groups. */
export const accountsOfGroups = async (
  db: Db,
  environment: string,
  groups: readonly string[],
): Promise<ReadonlyMap<string, { readonly applicationCode: string; readonly account: string }>> => {
  if (groups.length === 0) return new Map();
  const { rows } = await sql<{ name: string; app_id: string; account: string }>`
    select asked.name, account.app_id, account.name as account
    from unnest(${sql.val([...groups])}::text[]) as asked (name)
    join account on account.environment = ${environment} and starts_with(asked.name, account.group_prefix)`.execute(db);
  return new Map(rows.map((row) => [row.name, { applicationCode: row.app_id, account: row.account }]));
};
