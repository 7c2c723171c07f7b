/** Reads the rows of a map. Each function is one query with a limit; the most urgent rows come first. */
import { sql, type RawBuilder } from 'kysely';
import { healthStates, type ServiceHealth } from '@slipway/contract/application.ts';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { Db } from '#db/database.ts';
import { placeSql, type Place } from '#modules/resources/index.ts';
import { edgeLimit, nodeLimit } from './map-builder.ts';

export const healthOf = (rank: number): ServiceHealth => healthStates[rank] ?? 'NONE';

/** The rank is computed as in the view `app_overview_now`. */
export const serviceRows = async (db: Db, place: Place) => {
  const { rows } = await sql<{ id: string; name: string; state: string; rank: number; traffic: string | null }>`
    select service.id, service.name, service.state, service.spec -> 'externalTraffic' ->> 'type' as traffic, case
        when not service.active then 4
        when latest.status is null then 5
        when coalesce(serving.status, latest.status) = 'FAILING' or latest.failed_at is not null and serving.status is null then 0
        when coalesce(serving.status, latest.status) in ('PENDING', 'UNKNOWN') then 1
        when coalesce(serving.status, latest.status) = 'HEALTHY' then 2
        else 3 end as rank
    from service
    left join lateral (select status, failed_at from revision
      where service_id = service.id and status <> 'DELETED' order by number desc limit 1) latest on true
    left join lateral (select status from revision
      where service_id = service.id and name = any (service.serving) order by number desc limit 1) serving on true
    where ${placeSql(place, 'service')} order by rank, service.name limit ${nodeLimit}`.execute(db);
  return rows;
};

export const topicRows = async (db: Db, place: Place) => {
  const { rows } = await sql<{ name: string; state: string; differs: boolean; is_gone: boolean; schemas: string[] }>`
    select topic.name, topic.state, topic.gone_at is not null as is_gone,
      coalesce(jsonb_array_length(topic.drift -> 'differences'), 0) > 0 as differs,
      array(select event_schema.name from event_schema
        where event_schema.id in (topic.value_schema_id, topic.key_schema_id) order by event_schema.name) as schemas
    from topic where ${placeSql(place, 'topic')}
    order by topic.state = 'ACTIVE', is_gone desc, differs desc, topic.name limit ${nodeLimit}`.execute(db);
  return rows;
};

export const schemaRows = async (db: Db, place: Place) => {
  const { rows } = await sql<{ name: string; state: string; differs: boolean }>`
    select event_schema.name, event_schema.state, coalesce(jsonb_array_length(schema_watch.drift -> 'differences'), 0) > 0 as differs
    from event_schema left join schema_watch on schema_watch.schema_id = event_schema.id where ${placeSql(place, 'event_schema')}
    order by event_schema.state = 'ACTIVE', differs desc, event_schema.name limit ${nodeLimit}`.execute(db);
  return rows;
};

export const databaseRows = async (db: Db, place: Place) => {
  const { rows } = await sql<{
    name: string;
    state: string;
    active: boolean;
    is_read_only: boolean;
    secret_group: string;
    reader_group: string | null;
  }>`
    select database.name, database.state, database.active, database.is_read_only, database.secret_group, database.reader_group
    from database where ${placeSql(place, 'database')}
    order by database.state = 'ACTIVE', database.is_read_only desc, database.name limit ${nodeLimit}`.execute(db);
  return rows;
};

export const accountRows = async (db: Db, place: Place) => {
  const { rows } = await sql<{ name: string; state: string; drift: string; secret_group: string | null }>`
    select account.name, account.state, account.drift, account.secret_group from account where ${placeSql(place, 'account')}
    order by account.state = 'ACTIVE', account.drift = 'DRIFT' desc, account.name limit ${nodeLimit}`.execute(db);
  return rows;
};

/** Groups that attach themselves need no row of `service_secret_group`. */
export const attachmentRows = async (db: Db, place: Place) => {
  const { rows } = await sql<{ service: string; secret_group: string; kind: string }>`
    select service.name as service, secret_group.name as secret_group, secret_group.kind
    from service join secret_group on ${placeSql({ app: sql.ref('service.app_id'), environment: sql.ref('service.environment') }, 'secret_group')}
      and (secret_group.auto_attach or exists (select from service_secret_group
        where service_secret_group.service_id = service.id and service_secret_group.group_id = secret_group.id))
    where ${placeSql(place, 'service')} order by service.name, secret_group.name limit ${edgeLimit}`.execute(db);
  return rows;
};

export interface GrantRow {
  readonly account: string;
  readonly account_app: string;
  readonly topic: string;
  readonly topic_app: string;
  readonly operation: string;
  readonly is_requested: boolean;
}
/** Approved and requested grants of the accounts and of the topics of some apps, own ones first. */
export const grantRows = async (db: Db, apps: RawBuilder<unknown>, environment: Environment): Promise<GrantRow[]> => {
  const { rows } = await sql<GrantRow>`
    select account.name as account, account.app_id as account_app, topic.name as topic, topic.app_id as topic_app, topic_grant.operation,
      topic_grant.state = 'REQUESTED' as is_requested
    from topic_grant join account on account.id = topic_grant.account_id join topic on topic.id = topic_grant.topic_id
    where topic_grant.is_listed and topic_grant.state in ('REQUESTED', 'APPROVED') and topic_grant.id in (
      select topic_grant.id from account join topic_grant on topic_grant.account_id = account.id
        where account.app_id in (${apps}) and account.environment = ${environment}
      union select topic_grant.id from topic join topic_grant on topic_grant.topic_id = topic.id
        where topic.app_id in (${apps}) and topic.environment = ${environment})
    order by account.app_id in (${apps}) desc, topic.app_id, topic.name, account.app_id, account.name, topic_grant.operation
    limit ${edgeLimit}`.execute(db);
  return rows;
};

export interface AppRow {
  readonly id: string;
  readonly state: string;
  readonly team_id: string;
  readonly team_name: string;
  readonly rank: number;
}
/** Apps with the health of one environment, which everybody may read in the list of apps. */
export const appRows = async (db: Db, where: RawBuilder<unknown>, environment: Environment): Promise<AppRow[]> => {
  const { rows } = await sql<AppRow>`
    select app.id, app.state, app.team_id, team.display_name as team_name, coalesce(overview.${sql.ref(environment)}, 5) as rank
    from app join team on team.id = app.team_id left join app_overview overview on overview.app_id = app.id
    where ${where} order by rank, app.id limit ${nodeLimit}`.execute(db);
  return rows;
};
