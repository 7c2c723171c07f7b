/** Finds what no write announces: failing services, changes outside the platform, and secrets that expire soon. */
import { sql, type RawBuilder } from 'kysely';
import { mostNeeds, needExpiryDays, type Need } from '@slipway/contract/notification/need.ts';
import { subjectKey, subjectPath } from '@slipway/contract/kinds.ts';
import { expiryWarningDays } from '@slipway/contract/secret/secret-group.ts';
import { secretGroupKind } from '@slipway/contract/kinds/secret-group.kind.ts';
import { schemaKind } from '@slipway/contract/kinds/schema.kind.ts';
import { topicKind } from '@slipway/contract/kinds/topic.kind.ts';
import { serviceKind } from '@slipway/contract/kinds/service.kind.ts';
import { transaction, type Db } from '#db/database.ts';
import { newId } from '#kernel/ids.ts';
import { notifyAll, type NotificationEvent } from './notify.ts';

const LASTING_SECONDS = 120;
const AT_ONCE = 200;

/**
 * Current conditions: services with a failing serving revision, and topics and schemas that were changed outside the platform. `apps` limits
 * them to a query for ids of apps.
 */
const conditionsIn = (apps = sql`select id from app`) => sql`
  select 'service#' || service.id as key, 'service.failing' as type, service.app_id, service.environment, service.name, min(revision.name) as detail
    from revision join service on service.id = revision.service_id
    where revision.status = 'FAILING' and revision.name = any (service.serving) and service.active and service.state = 'ACTIVE'
      and service.app_id in (${apps}) group by service.id
  union all select 'topic#' || id, 'drift.found', app_id, environment, name, 'topic' from topic
    where drift -> 'differences' <> '[]'::jsonb and state = 'ACTIVE' and app_id in (${apps})
  union all select 'schema#' || id, 'drift.found', app_id, environment, name, 'schema' from schema_watch join event_schema on id = schema_id
    where drift -> 'differences' <> '[]'::jsonb and state = 'ACTIVE' and app_id in (${apps})`;
/** For a query with the columns key, type, app_id, environment, name and detail. */
export const lastingConditions = conditionsIn();
/** A restarting service is neither failing nor healthy. */
const isUndecided = sql`exists (select from service join revision on revision.service_id = service.id
  where 'service#' || service.id = condition.key and service.active and revision.name = any (service.serving)
    and revision.status in ('PENDING', 'UNKNOWN'))`;

interface Condition {
  readonly key: string;
  readonly type: 'service.failing' | 'drift.found';
  readonly app: string;
  readonly env: string;
  readonly name: string;
  readonly team: string;
  readonly detail: string | null;
  readonly minutes: number;
}
const kindsByPrefix = { service: serviceKind, topic: topicKind, schema: schemaKind } as const;
const isPrefix = (text: string): text is keyof typeof kindsByPrefix => Object.hasOwn(kindsByPrefix, text);
const eventOf = (type: NotificationEvent['type'], { key, app, env, name, team, detail, minutes }: Condition): NotificationEvent[] => {
  const prefix = key.slice(0, key.indexOf('#'));
  if (!isPrefix(prefix)) return [];
  const subject = { kind: kindsByPrefix[prefix].kind, names: { app, env, [prefix]: name } };
  const duration = minutes === 1 ? '1 minute' : `${minutes} minutes`;
  const context = { app, env, name, revision: detail ?? '', what: detail ?? '', duration };
  return [{ id: newId('evt'), type, entity: subjectKey(subject), team, context, path: subjectPath(subject) ?? '/' }];
};

/**
 * Notifies teams once that a condition has lasted for two minutes, and that a service is healthy again. The lock lets one replica at a time
 * do it. The event and the mark in `announced_at` are one transaction.
 */
export const watchConditions = (db: Db): Promise<void> =>
  transaction(db, async (trx) => {
    const { rows: lock } = await sql<{
      taken: boolean;
    }>`select pg_try_advisory_xact_lock(hashtextextended('slipway conditions', 0)) as taken`.execute(trx);
    if (!lock[0]?.taken) return;
    await sql`insert into lasting_condition (key, type, app_id, environment, name)
      select key, type, app_id, environment, name from (${lastingConditions}) now_lasting on conflict do nothing`.execute(trx);
    const columns = sql`condition.key, condition.type, condition.app_id as app, condition.environment as env, condition.name, app.team_id as team,
      greatest(1, round(extract(epoch from now() - condition.since) / 60))::integer as minutes`;
    const begun =
      await sql<Condition>`update lasting_condition condition set announced_at = now() from (${lastingConditions}) now_lasting, app
      where now_lasting.key = condition.key and app.id = condition.app_id and announced_at is null
        and since < now() - make_interval(secs => ${LASTING_SECONDS}) returning ${columns}, now_lasting.detail`.execute(trx);
    const over = await sql<Condition & { was_announced: boolean }>`delete from lasting_condition condition using app
      where app.id = condition.app_id and condition.key not in (select key from (${lastingConditions}) now_lasting) and not ${isUndecided}
      returning ${columns}, null as detail, announced_at is not null and exists (select from service where 'service#' || id = condition.key and active) as was_announced`.execute(
      trx,
    );
    await sql`delete from lasting_condition where app_id not in (select id from app)`.execute(trx);
    await notifyAll(trx, [
      ...begun.rows.flatMap((row) => eventOf(row.type, row)),
      ...over.rows.filter(({ was_announced }) => was_announced).flatMap((row) => eventOf('service.recovered', row)),
    ]);
  });

interface SecretRow {
  readonly group_id: string;
  readonly key: string;
  readonly day: string;
  readonly days: number;
  readonly app: string;
  readonly env: string;
  readonly group: string;
  readonly team: string;
}
/** Announces each secret 14, 3 and 1 days before its last day. The event's id makes each warning happen once. */
export const watchSecrets = async (db: Db, now = new Date()): Promise<void> => {
  const today = sql`${now.toISOString().slice(0, 10)}::date`;
  const { rows } =
    await sql<SecretRow>`select expiry.group_id, expiry.key, to_char(expires_on, 'YYYY-MM-DD') as day, days, secret_group.app_id as app,
      secret_group.environment as env, secret_group.name as "group", app.team_id as team
    from (select *, expires_at as expires_on,
        (select min(days) from unnest(${[...expiryWarningDays]}::integer[]) as days where expires_at < ${today} + days) as days
      from secret_key_expiry where expires_at >= ${today}) expiry
    join secret_group on secret_group.id = expiry.group_id join app on app.id = secret_group.app_id
    where days is not null and not exists (select from notification_event
      where id = concat_ws('/', 'secret.expiring', expiry.group_id, expiry.key, to_char(expires_on, 'YYYY-MM-DD'), days))
    order by expires_on limit ${AT_ONCE}`.execute(db);
  const events = rows.map(({ group_id, key, day, days, app, env, group, team }): NotificationEvent => {
    const subject = { kind: secretGroupKind.kind, names: { app, env, group } };
    return {
      id: ['secret.expiring', group_id, key, day, days].join('/'),
      type: 'secret.expiring',
      entity: `${subjectKey(subject)}/${key}`,
      team,
      context: { name: key, day, app, group },
      path: subjectPath(subject) ?? '/',
    };
  });
  await notifyAll(db, events);
};

type NeedRow = Omit<Need, 'path' | 'since'> & { readonly since: Date | null; readonly total: number };
const pathOf = ({ type, app, env, name, detail }: NeedRow): string => {
  if (type === 'secret.expiring') return subjectPath({ kind: secretGroupKind.kind, names: { app, env, group: detail } }) ?? '/';
  const prefix = type === 'service.failing' ? 'service' : detail;
  return isPrefix(prefix) ? (subjectPath({ kind: kindsByPrefix[prefix].kind, names: { app, env, [prefix]: name } }) ?? '/') : '/';
};

/** Services of which nothing serves, because the deploy of their newest revision failed. The failed pipeline was announced already. */
const neverServedIn = (apps: RawBuilder<unknown>) => sql`
  select 'service.failing', app_id, environment, service.name, latest.name, latest.failed_at, null
    from service cross join lateral (select name, failed_at from revision
      where service_id = service.id and status <> 'DELETED' order by number desc limit 1) latest
    where service.active and service.state = 'ACTIVE' and service.serving = '{}' and latest.failed_at is not null and app_id in (${apps})`;

/** Selects what needs the members of these teams: failing services, then secrets by their last day, then drift; production first. */
export const needsOf = async (db: Db, teams: readonly string[], now = new Date()): Promise<{ content: Need[]; total: number }> => {
  const apps = sql`select id from app where team_id = any (${teams}) and state = 'ACTIVE'`;
  const { rows } = await sql<NeedRow>`select *, (count(*) over ())::integer as total from (
      select condition.type, condition.app_id as app, condition.environment as env, condition.name, condition.detail, seen.since,
          null as "endsOn"
        from (${conditionsIn(apps)}) condition left join lasting_condition seen using (key)
      union all ${neverServedIn(apps)}
      union all select 'secret.expiring', app_id, environment, key, name, null, to_char(expires_at, 'YYYY-MM-DD')
        from secret_key_expiry join secret_group on secret_group.id = group_id
        where expires_at < ${now.toISOString().slice(0, 10)}::date + ${needExpiryDays}::integer and app_id in (${apps})) need
    order by array_position(array['service.failing', 'secret.expiring', 'drift.found'], type), "endsOn", env = 'production' desc, since, app, name
    limit ${mostNeeds}`.execute(db);
  const content = rows.map((row): Need => {
    const { total: _total, since, ...need } = row;
    return { ...need, since: since?.toISOString() ?? null, path: pathOf(row) };
  });
  return { content, total: rows[0]?.total ?? 0 };
};
