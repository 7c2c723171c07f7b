/**
 * Topics, schemas and accounts of one app as a platform has them after years, as rows: for what lists, pages and rounds cost. The same numbers
 * make the same rows. What they stand for on a cluster is made from the same names by whoever needs it.
 */
import type pg from 'pg';

export interface StreamingLoad {
  readonly topics: number;
  readonly accounts: number;
  /** Becomes an owner of the team, where there is such a person. */
  readonly member: string;
}
/** The app that has all of it. */
export const loadApp = 'streams';
/** The account with the most topics. */
export const widestAccount = 'widest';
const WIDEST = 500;
const TOPICS_OF_ACCOUNT = 10;
const TOPICS_OF_SCHEMA = 5;

/** Letters alone, as names have them. */
const letters = (number: string): string => `translate(substr(md5((${number})::text), 1, 10), '0123456789', 'ghijklmnop')`;
const by = `'load', 'Loada Loader'`;
const content = `'{"type": "record", "name": "Event", "fields": [{"name": "f' || n || '", "type": "string"}]}'`;

/** `$1`: topics, `$2`: accounts, `$3`: the member. */
const statements: readonly string[] = [
  `insert into team (id, display_name, created_by) values ('streams', 'Streams', 'load')`,
  `insert into team_member (team_id, identity_id, role) select 'streams', id, 'OWNER' from identity where id = $3`,
  `insert into app (id, display_name, team_id, state, created_by) values ('${loadApp}', 'Streams', 'streams', 'ACTIVE', 'load')`,
  `insert into schema_registry_content (environment, id, type, content, identity)
     select 'development', n, 'AVRO', ${content}, sha256(n::text::bytea) from generate_series(1, greatest(1, $1 / ${TOPICS_OF_SCHEMA})) n`,
  `update schema_registry set next_id = greatest(1, $1 / ${TOPICS_OF_SCHEMA}) + 1 where environment = 'development'`,
  `insert into event_schema (id, app_id, environment, name, type, compatibility, subject, revision_id, registry_id, content, claim, state,
       created_by, created_by_name, updated_by, updated_by_name)
     select 'sch_' || n, '${loadApp}', 'development', ${letters('n')}, 'AVRO', 'BACKWARD', '${loadApp}.' || ${letters('n')}, 1, n, ${content},
       'load', 'ACTIVE', ${by}, ${by}
     from generate_series(1, greatest(1, $1 / ${TOPICS_OF_SCHEMA})) n`,
  `insert into topic (id, app_id, environment, name, topic_name, description, classification, is_sharable, partitions, retention_hours,
       replication_factor, segment_bytes, cleanup_policy, value_schema_id, claim, state, created_by, created_by_name, updated_by, updated_by_name)
     select 'top_' || n, '${loadApp}', 'development', ${letters('-n')}, '${loadApp}.' || ${letters('-n')}, 'What happened at ' || n, 'INTERNAL',
       n % 2 = 0, 1, 24, 1, 1073741824, 'DELETE', 'sch_' || 1 + n % greatest(1, $1 / ${TOPICS_OF_SCHEMA}), 'load', 'ACTIVE', ${by}, ${by}
     from generate_series(1, $1) n`,
  `insert into schema_registry_version (environment, subject, version, content_id)
     select 'development', topic_name || '-value', 1, registry_id from topic join event_schema on event_schema.id = value_schema_id
     where topic.created_by = 'load'
     union all select 'development', subject, 1, registry_id from event_schema where created_by = 'load'`,
  `insert into account (id, app_id, environment, name, description, state, principal, group_prefix, turn, password_at, password_by_name,
       created_by, created_by_name)
     select 'ka_' || n, '${loadApp}', 'development', name, 'Reads and writes', 'ACTIVE', '${loadApp}.' || name, '${loadApp}.' || name || '.', 1,
       now(), 'Loada Loader', ${by}
     from generate_series(1, $2) n cross join lateral (select case when n = 1 then '${widestAccount}' else ${letters('n + 1000000')} end as name) named`,
  `insert into topic_grant (id, account_id, topic_id, operation, state, basis, is_listed, requested_by, requested_by_name)
     select 'tg_' || account.n || '_' || topic.n, 'ka_' || account.n, 'top_' || topic.n, case when topic.n % 3 = 0 then 'WRITE' else 'READ' end,
       'APPROVED', 'OWN', true, ${by}
     from generate_series(1, $2) account (n)
     cross join lateral (select distinct 1 + (account.n * 31 + k) % $1 as n
       from generate_series(1, case when account.n = 1 then ${WIDEST} else ${TOPICS_OF_ACCOUNT} end) k) topic (n)`,
  `insert into account_rule (account_id, cluster_user, resource, pattern, name, operation)
     select account.id, principal, 'topic', 'literal', topic_name, lower(operation)
     from topic_grant join account on account.id = account_id join topic on topic.id = topic_id where requested_by = 'load'
     union select account.id, principal, 'group', 'prefixed', group_prefix, 'read'
     from topic_grant join account on account.id = account_id where requested_by = 'load' and operation = 'READ'`,
];

export const seedStreamingLoad = async (client: pg.ClientBase, { topics, accounts, member }: StreamingLoad): Promise<void> => {
  await client.query('begin');
  for (const statement of statements) {
    const text = statement
      .replaceAll('$1', String(topics))
      .replaceAll('$2', String(accounts))
      .replaceAll('$3', client.escapeLiteral(member));
    await client.query(text);
  }
  await client.query('commit');
  await client.query('analyze');
};
