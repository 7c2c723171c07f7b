/**
 * Turns events of the outbox into notices, trays and deliveries. One replica at a time does it, in batches, so that events of one entity
 * join. An event that was expanded is marked in the same transaction, so it is expanded once.
 */
import { sql } from 'kysely';
import {
  channelTopics,
  isNoticeType,
  noticeTypeOf,
  topics,
  type Cadence,
  type NotificationTopic,
} from '@slipway/contract/notification/notice-types.ts';
import { digestHour, notificationRetrySeconds } from '@slipway/contract/notification/notification.ts';
import { noticeKind, notificationChannelKind } from '@slipway/contract/kinds/notification.kind.ts';
import { transaction, type Db } from '#db/database.ts';
import { notifyChange, notifyChanges } from '#kernel/changes.ts';
import type { Log } from '#ports/log.ts';

const AT_ONCE = 100;
const JOINED_MINUTES = 10;
const FAILED_MINUTES = 10;
export const maxTries = notificationRetrySeconds.length + 1;

interface EventRow {
  readonly id: string;
  readonly type: string;
  readonly entity: string;
  readonly team_id: string | null;
  readonly identity_ids: string[];
  readonly actor_id: string | null;
  readonly context: Record<string, string>;
  readonly path: string;
  readonly at: Date;
}

/** Expands one batch. Returns the number of events, 0 also while another replica is at it. */
export const expandEvents = (db: Db, log: Log): Promise<number> =>
  transaction(db, async (trx) => {
    const { rows: lock } = await sql<{
      taken: boolean;
    }>`select pg_try_advisory_xact_lock(hashtextextended('slipway notifications', 0)) as taken`.execute(trx);
    if (!lock[0]?.taken) return 0;
    const { rows } = await sql<EventRow>`select * from notification_event
      where expanded_at is null and (failed_at is null or failed_at < now() - make_interval(mins => ${FAILED_MINUTES}))
      order by at, id limit ${AT_ONCE}`.execute(trx);
    const failed: string[] = [];
    for (const event of rows) {
      await sql`savepoint before_event`.execute(trx);
      try {
        await expand(trx, event);
      } catch (error) {
        // The event is tried again later. It does not hold up the others.
        await sql`rollback to savepoint before_event`.execute(trx);
        log.warn({ err: error, event: event.id }, 'A notification event could not be expanded; trying again later');
        failed.push(event.id);
      }
    }
    await sql`update notification_event set expanded_at = case when id = any(${failed}) then null else now() end,
      failed_at = case when id = any(${failed}) then now() end where id = any(${rows.map(({ id }) => id)})`.execute(trx);
    return rows.length;
  });

const expand = async (trx: Db, event: EventRow): Promise<void> => {
  // An event of a later version, during a rolling upgrade that was rolled back.
  if (!isNoticeType(event.type)) return;
  const type = noticeTypeOf(event.type);
  const { id, isJoined } = await noticeOf(trx, event);
  const people = await recipientsOf(trx, event, type);
  const trays = people.filter(({ tray }) => tray).map(({ identity_id }) => identity_id);
  await fillTrays(trx, id, trays, event.at);
  const personal = await personalChannels(
    trx,
    people.filter(({ email }) => email !== 'OFF'),
  );
  const ofTeam = await teamChannels(trx, event.team_id, type.topic);
  // Recipients of the first event see the count in the tray, or in the delivery that is still pending.
  const reached = isJoined ? await reachedBy(trx, id) : [];
  const isNew = (channel: Queued): boolean => !reached.includes(channel.id);
  for (const channel of [...personal, ...ofTeam].filter(isNew)) await queue(trx, channel, { id, type: event.type });
  if (event.team_id !== null && ofTeam.some(isNew)) await notifyChange(trx, { kind: notificationChannelKind.kind, team: event.team_id });
};

const noticeOf = async (trx: Db, { type, entity, team_id, context, path, at }: EventRow): Promise<{ id: string; isJoined: boolean }> => {
  const joined = await sql<{
    id: string;
  }>`update notice set count = count + 1, at = greatest(at, ${at}::timestamptz), context = ${JSON.stringify(context)}, path = ${path}
    where id = (select id from notice where type = ${type} and entity = ${entity} and team_id is not distinct from ${team_id}
      and first_at > ${at}::timestamptz - make_interval(mins => ${JOINED_MINUTES}) order by first_at desc limit 1) returning id`.execute(
    trx,
  );
  const [known] = joined.rows;
  if (known) return { id: known.id, isJoined: true };
  const made = await sql<{ id: string }>`insert into notice (type, entity, team_id, context, path, first_at, at)
    values (${type}, ${entity}, ${team_id}, ${JSON.stringify(context)}, ${path}, ${at}, ${at}) returning id`.execute(trx);
  const [row] = made.rows;
  if (!row) throw new Error('A notice was not written');
  return { id: row.id, isJoined: false };
};

interface Recipient {
  readonly identity_id: string;
  readonly tray: boolean;
  readonly email: Cadence;
}
/** Returns people with what they chose, or the topic's defaults. Without service accounts, people who left, and the person who caused the event. */
const recipientsOf = async (trx: Db, event: EventRow, { topic, to }: ReturnType<typeof noticeTypeOf>): Promise<Recipient[]> => {
  const defaults = topicDefaults(topic);
  const among =
    to === 'team'
      ? sql`(select identity_id from team_member where team_id = ${event.team_id})`
      : sql`(select unnest(${event.identity_ids}::text[]))`;
  const { rows } = await sql<Recipient>`select identity.id as identity_id, coalesce(chosen.tray, ${defaults.tray}) as tray,
      coalesce(chosen.email, ${defaults.email}) as email
    from identity left join notification_preference chosen on chosen.identity_id = identity.id and chosen.topic = ${topic}
    where identity.type = 'USER' and identity.left_at is null and identity.id in ${among} and identity.id is distinct from ${event.actor_id} order by identity.id`.execute(
    trx,
  );
  return rows;
};
export const topicDefaults = (name: NotificationTopic): { tray: boolean; email: Cadence } => {
  const found = topics.find(([topic]) => topic === name)?.[1];
  return { tray: found?.tray ?? false, email: found?.email ?? 'OFF' };
};

const fillTrays = async (trx: Db, noticeId: string, people: readonly string[], at: Date): Promise<void> => {
  if (people.length === 0) return;
  await sql`insert into notice_tray (identity_id, notice_id, at) select id, ${noticeId}, ${at}::timestamptz from unnest(${people}::text[]) as id
    on conflict (identity_id, notice_id) do update set at = greatest(notice_tray.at, excluded.at), read_at = null, done_at = null`.execute(
    trx,
  );
  await notifyChanges(
    trx,
    people.map((identity) => ({ kind: noticeKind.kind, identity })),
  );
};

interface Queued {
  readonly id: string;
  readonly cadence: Cadence;
}
/** Returns the channels that have a delivery of the notice. */
const reachedBy = async (trx: Db, noticeId: string): Promise<string[]> => {
  const { rows } = await sql<{ channel_id: string }>`select channel_id from notification_delivery_notice link
    join notification_delivery delivery on delivery.id = link.delivery_id where link.notice_id = ${noticeId}`.execute(trx);
  return rows.map(({ channel_id: id }) => id);
};
/** Returns each person's e-mail channel, and makes it with the first notice. */
const personalChannels = async (trx: Db, people: readonly Recipient[]): Promise<Queued[]> => {
  const ids = people.map(({ identity_id }) => identity_id);
  if (ids.length === 0) return [];
  await sql`insert into notification_channel (id, identity_id, name, kind, address_shown, receiver, created_by, created_by_name)
    select 'chan_' || replace(gen_random_uuid()::text, '-', ''), id, 'E-mail', 'EMAIL', '', 'mail', 'platform', 'Slipway'
    from identity where id = any(${ids}) and email is not null on conflict (identity_id) do nothing`.execute(trx);
  const { rows } = await sql<{
    id: string;
    identity_id: string;
  }>`select id, identity_id from notification_channel where identity_id = any(${ids})`.execute(trx);
  return rows.map(({ id, identity_id }) => ({ id, cadence: people.find((one) => one.identity_id === identity_id)?.email ?? 'OFF' }));
};

const teamChannels = async (trx: Db, team: string | null, name: NotificationTopic): Promise<Queued[]> => {
  const [, topic] = channelTopics.find(([one]) => one === name) ?? [];
  if (team === null || !topic) return [];
  const { rows } =
    await sql<Queued>`select id, cadence from notification_channel, coalesce(cadences ->> ${name}, ${topic.channel}) as cadence
    where team_id = ${team} and cadence <> 'OFF' order by id`.execute(trx);
  return rows;
};

const DAY_MS = 86_400_000;
/** Returns when the next digest is sent: at 08:00 UTC, the weekly one on a Monday. */
export const digestAt = (cadence: 'DAILY' | 'WEEKLY', now: Date): Date => {
  const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), digestHour));
  while (next <= now || (cadence === 'WEEKLY' && next.getUTCDay() !== 1)) next.setTime(next.getTime() + DAY_MS);
  return next;
};

/** Returns the database's time, which is the same for all replicas. */
const timeOf = async (trx: Db): Promise<Date> => {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(trx);
  return rows[0]?.now ?? new Date();
};

const queue = async (trx: Db, { id, cadence }: Queued, notice: { readonly id: string; readonly type: string }): Promise<void> => {
  if (cadence === 'OFF') return;
  const isDigest = cadence !== 'AT_ONCE';
  const event = isDigest ? cadence : notice.type;
  const dueAt = isDigest ? digestAt(cadence, await timeOf(trx)) : null;
  const { rows } = await sql<{ id: string }>`insert into notification_delivery (channel_id, event, due_at, max_tries, next_try_at)
    values (${id}, ${event}, ${dueAt}, ${maxTries}, ${dueAt ?? sql`now()`})
    on conflict (channel_id, event, due_at) where due_at is not null do update set channel_id = excluded.channel_id returning id`.execute(
    trx,
  );
  await sql`insert into notification_delivery_notice (delivery_id, notice_id) values (${rows[0]?.id}, ${notice.id})
    on conflict do nothing`.execute(trx);
};

const SWEPT_AT_ONCE = 1000;
/** Deletes one batch of the events and notices that are older than `days`, with trays and links. Returns the number deleted. */
export const sweepNotices = async (db: Db, days: number): Promise<number> => {
  let deleted = 0;
  for (const table of ['notification_event', 'notice']) {
    const { numAffectedRows } = await sql`delete from ${sql.table(table)} where id in (
      select id from ${sql.table(table)} where at < now() - make_interval(days => ${days}) order by at limit ${SWEPT_AT_ONCE})`.execute(db);
    deleted += Number(numAffectedRows ?? 0n);
  }
  return deleted;
};
