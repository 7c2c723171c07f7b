/** Channels of a team: their rows in the contract's shape, and the writes. Addresses are sealed, because a hook's URL is a secret. */
import { sql } from 'kysely';
import type * as z from 'zod/mini';
import { subjectOf } from '@slipway/contract/kernel/subject.ts';
import { ownerRule } from '@slipway/contract/kernel/rights.ts';
import { channelTopics } from '@slipway/contract/notification/notice-types.ts';
import {
  channelAddressIssue,
  maxChannels,
  type ChannelKind,
  type NotificationChannel,
  type NotificationChannelCreate,
  type NotificationChannelUpdate,
} from '@slipway/contract/notification/notification.ts';
import { notificationChannelKind } from '@slipway/contract/kinds/notification.kind.ts';
import { transaction, type Db } from '#db/database.ts';
import { notifyChange } from '#kernel/changes.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { newId } from '#kernel/ids.ts';
import { Problem } from '#kernel/problem.ts';
import { recordWrite } from '#modules/activity/index.ts';
import { checkTarget, claimTest, newSigningSecret, recordOutcome, testPauseSeconds, type DueDelivery } from '#modules/deliveries/index.ts';
import { channelDeliveries, recordAnswer, type ChannelRow, type ChannelTry, type NotificationDeps } from './channel-deliveries.ts';

interface Row extends ChannelRow {
  readonly address_shown: string;
  readonly cadences: Partial<NotificationChannel['cadences']>;
  readonly last_at: Date | null;
  readonly last_state: NonNullable<NotificationChannel['lastDelivery']>['state'] | null;
  readonly last_status: number | null;
  readonly last_failure: ChannelTry['failure'] | null;
  readonly waiting: number;
  readonly next_try_at: Date | null;
}
const toView = (caller: Caller, team: string, row: Row): NotificationChannel => {
  const owner = ownerRule(caller, team);
  const defaults = channelTopics.map(([topic, { channel }]) => [topic, row.cadences[topic] ?? channel ?? 'OFF'] as const);
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    address: row.address_shown,
    cadences: Object.fromEntries(defaults),
    failingSince: row.failing_since?.toISOString() ?? null,
    lastDelivery: row.last_at &&
      row.last_state && {
        at: row.last_at.toISOString(),
        state: row.last_state,
        status: row.last_status,
        failure: row.last_failure ?? null,
      },
    waiting: row.waiting,
    nextTryAt: row.next_try_at?.toISOString() ?? null,
    can: { update: owner, delete: owner, test: owner },
  };
};

const MAX_WAITING = 100;
/** Selects channels of a team. The last delivery is the last one that was tried. */
export const channelsOf = async (db: Db, caller: Caller, team: string, id?: string): Promise<NotificationChannel[]> => {
  const { rows } = await sql<Row>`select channel.*, last.created_at as last_at, last.state as last_state, last.status as last_status,
      last.failure as last_failure, coalesce(waits.counted, 0)::integer as waiting, waits.next_try_at
    from notification_channel channel
      left join lateral (select created_at, state, status, failure from notification_delivery
        where channel_id = channel.id and tries > 0 order by created_at desc, id desc limit 1) last on true
      left join lateral (select count(*) as counted, min(next_try_at) as next_try_at from (
        select next_try_at from notification_delivery where channel_id = channel.id and state = 'PENDING' and (due_at is null or due_at <= now())
        order by next_try_at limit ${MAX_WAITING}) some_of_them) waits on true
    where team_id = ${team} and ${id === undefined ? sql`true` : sql`channel.id = ${id}`} order by channel.created_at, channel.id`.execute(
    db,
  );
  return rows.map((row) => toView(caller, team, row));
};
export const channelOf = async (db: Db, caller: Caller, team: string, id: string): Promise<NotificationChannel> => {
  const [channel] = await channelsOf(db, caller, team, id);
  if (!channel) throw new Problem('ChannelDoesNotExist');
  return channel;
};

const SHOWN_END = 4;
/** Shortens a URL to its host and the end of its path. */
const shownOf = (kind: ChannelKind, address: string): string => {
  if (kind === 'EMAIL') return address;
  const { host, pathname, search } = new URL(address);
  const path = pathname + search;
  return path.length <= SHOWN_END + 1 ? `${host}${path}` : `${host}/••••${path.slice(-SHOWN_END)}`;
};

/** Checks an address and returns the columns that hold it. */
const addressColumns = async ({ outgoing, seals }: NotificationDeps, id: string, kind: ChannelKind, address: string) => {
  const field = 'address';
  const issue = channelAddressIssue(kind, address);
  if (issue) throw new Problem(issue, { field, context: { label: 'Address' } });
  if (kind !== 'EMAIL') await checkTarget(outgoing, address, { field, label: 'Address' });
  return {
    address_sealed: await seals.seal(id, 'address', address),
    address_shown: shownOf(kind, address),
    receiver: kind === 'EMAIL' ? 'mail' : new URL(address).host,
  };
};

export interface OfTeam {
  readonly caller: Caller;
  readonly team: string;
}
/** Records a write, and tells the team's browsers. */
const record = async (
  trx: Db,
  { caller, team }: OfTeam,
  entry: { type: string; reason: string; verb: string; id: string; name: string; after?: object },
): Promise<void> => {
  const { type, reason, verb, id, name, after } = entry;
  await recordWrite(trx, caller, {
    type,
    reason,
    message: `${caller.displayName} ${verb} the notification channel ${name}`,
    subject: subjectOf(notificationChannelKind, { team, channel: id }, { team }),
    after,
  });
  await notifyChange(trx, { kind: notificationChannelKind.kind, team });
};

export const createChannel = async (
  deps: NotificationDeps,
  of: OfTeam,
  { name, kind, address }: z.output<typeof NotificationChannelCreate>,
): Promise<NotificationChannel & { secret: string | null }> => {
  const { caller, team } = of;
  const id = newId('chan');
  const secret = kind === 'WEBHOOK' ? newSigningSecret() : null;
  const columns = await addressColumns(deps, id, kind, address);
  const sealedSecret = secret === null ? null : await deps.seals.seal(id, 'secret', secret);
  await transaction(deps.db, async (trx) => {
    // Creations in one team run one at a time, so that none exceeds the limit.
    await trx.selectFrom('team').select('id').where('id', '=', team).forUpdate().execute();
    const { kept } = await trx
      .selectFrom('notification_channel')
      .select((at) => at.fn.countAll<number>().as('kept'))
      .where('team_id', '=', team)
      .executeTakeFirstOrThrow();
    if (kept >= maxChannels) throw new Problem('TooManyChannels');
    const made = await trx
      .insertInto('notification_channel')
      .values({
        id,
        team_id: team,
        name,
        kind,
        ...columns,
        secret_sealed: sealedSecret,
        created_by: caller.id,
        created_by_name: caller.displayName,
      })
      .onConflict((conflict) => conflict.columns(['team_id', 'name']).doNothing())
      .returning('id')
      .executeTakeFirst();
    if (!made) throw new Problem('ChannelAlreadyExists', { field: 'name' });
    const after = { name, kind, address: columns.address_shown };
    await record(trx, of, { type: 'notificationChannelCreate', reason: 'Created', verb: 'created', id, name, after });
  });
  return { ...(await channelOf(deps.db, caller, team, id)), secret };
};

export const updateChannel = async (
  deps: NotificationDeps,
  of: OfTeam,
  id: string,
  { name, address, cadences }: z.output<typeof NotificationChannelUpdate>,
): Promise<NotificationChannel> => {
  const { db } = deps;
  const before = await channelOf(db, of.caller, of.team, id);
  const columns = address === undefined ? {} : await addressColumns(deps, id, before.kind, address);
  const wanted = name ?? before.name;
  await transaction(db, async (trx) => {
    const taken = await trx
      .selectFrom('notification_channel')
      .select('id')
      .where('team_id', '=', of.team)
      .where('name', '=', wanted)
      .where('id', '!=', id)
      .executeTakeFirst();
    if (taken) throw new Problem('ChannelAlreadyExists', { field: 'name' });
    await trx
      .updateTable('notification_channel')
      .set({
        name: wanted,
        ...columns,
        // A new address starts without failures.
        ...(address === undefined ? {} : { failing_since: null }),
        ...(cadences ? { cadences: sql`cadences || ${JSON.stringify(cadences)}::jsonb` } : {}),
      })
      .where('id', '=', id)
      .execute();
    // What waits for the next try is sent to the new address now.
    if (address !== undefined)
      await sql`update notification_delivery set next_try_at = now() where channel_id = ${id} and state = 'PENDING' and tries > 0`.execute(
        trx,
      );
    const after = { name: wanted, cadences, ...(address === undefined ? {} : { address: 'changed' }) };
    await record(trx, of, { type: 'notificationChannelUpdate', reason: 'Updated', verb: 'changed', id, name: wanted, after });
  });
  return channelOf(db, of.caller, of.team, id);
};

export const deleteChannel = async (deps: NotificationDeps, of: OfTeam, id: string): Promise<void> => {
  const { name } = await channelOf(deps.db, of.caller, of.team, id);
  await transaction(deps.db, async (trx) => {
    await trx.deleteFrom('notification_channel').where('id', '=', id).execute();
    await record(trx, of, { type: 'notificationChannelDelete', reason: 'Deleted', verb: 'deleted', id, name });
  });
};

/** Seconds until a worker sends a test whose replica died. */
const LEFT_SECONDS = 60;
type TestOutcome = Pick<ChannelTry, 'status' | 'durationMs'> & { failure: NonNullable<ChannelTry['failure']> | null };
/** Sends one marked notice now, once a minute. The log keeps it like every other delivery. */
export const testChannel = async (deps: NotificationDeps, of: OfTeam, id: string): Promise<TestOutcome> => {
  const { db } = deps;
  const kind = channelDeliveries(deps);
  const { channel, due } = await transaction(db, async (trx) => {
    const row = await claimTest<ChannelRow>(trx, kind, sql`id = ${id} and team_id = ${of.team}`);
    if (!row) throw await testRefusal(trx, of.team, id);
    const made = await sql<DueDelivery>`insert into notification_delivery (channel_id, event, max_tries, next_try_at)
      values (${id}, 'TEST', 1, now() + make_interval(secs => ${LEFT_SECONDS})) returning id, event, tries, max_tries`.execute(trx);
    await record(trx, of, { type: 'notificationChannelTest', reason: 'Tested', verb: 'tested', id, name: row.name });
    return { channel: row, due: made.rows[0] };
  });
  if (!due) throw new Error('A test was not written');
  const made = await kind.send(channel, due);
  await transaction(db, async (trx) => {
    await recordOutcome(trx, kind, due, made);
    await recordAnswer(trx, due, made);
    await notifyChange(trx, { kind: notificationChannelKind.kind, team: of.team });
  });
  return { status: made.status, failure: made.failure ?? null, durationMs: made.durationMs };
};
const testRefusal = async (db: Db, team: string, id: string): Promise<Problem> => {
  const row = await db
    .selectFrom('notification_channel')
    .select('tested_at')
    .where('id', '=', id)
    .where('team_id', '=', team)
    .executeTakeFirst();
  if (!row) return new Problem('ChannelDoesNotExist');
  return new Problem('WebhookTestTooSoon', { context: { seconds: String(testPauseSeconds(row.tested_at)) } });
};
