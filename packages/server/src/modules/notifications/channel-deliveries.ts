/** How a channel's delivery is sent: its message is made of the notices that it holds at that moment, then mailed or posted. */
import { sql } from 'kysely';
import {
  noticeDays,
  notificationRetrySeconds,
  type ChannelKind,
  type NotificationFailure,
} from '@slipway/contract/notification/notification.ts';
import { notificationChannelKind } from '@slipway/contract/kinds/notification.kind.ts';
import type { Db } from '#db/database.ts';
import { notifyChange } from '#kernel/changes.ts';
import type { Outgoing } from '#kernel/outgoing/outgoing.ts';
import { postSigned, type DeliveryKind, type DueDelivery, type Outcome, type Seals, type TakenTarget } from '#modules/deliveries/index.ts';
import { isPortFailure } from '#ports/failure.ts';
import type { Mailer } from '#ports/mailer.ts';
import { bodyOf, mailOf, type NoticeRow } from './message.ts';

export interface NotificationDeps {
  readonly db: Db;
  readonly outgoing: Outgoing;
  readonly mailer: Mailer;
  readonly seals: Seals;
  readonly publicUrl: string;
}

export interface ChannelRow extends TakenTarget {
  readonly team_id: string | null;
  readonly identity_id: string | null;
  readonly name: string;
  readonly kind: ChannelKind;
  readonly address_sealed: Buffer | null;
  readonly secret_sealed: Buffer | null;
  readonly tested_at: Date | null;
}
export interface ChannelTry extends Outcome {
  readonly failure: NotificationFailure | undefined;
  readonly answer: string | null;
}

/** Longest try of an e-mail, from the connection to the server's last answer. Half of a target's lease. */
const MAIL_TIMEOUT_MS = 10_000;
const MAX_NOTICES = 200;
const KEPT_ANSWER = 200;
/** Closes a digest before its first try: a later notice starts another one. Waits for notices that are being added. */
const closeDigest = (db: Db, deliveryId: string) =>
  sql`update notification_delivery set due_at = null where id = ${deliveryId} and due_at is not null`.execute(db);
const noticesOf = async (db: Db, deliveryId: string): Promise<NoticeRow[]> => {
  const { rows } = await sql<NoticeRow>`select notice.* from notification_delivery_notice link join notice on notice.id = link.notice_id
    where link.delivery_id = ${deliveryId} order by notice.at desc, notice.id limit ${MAX_NOTICES}`.execute(db);
  return rows;
};

const addressOf = async ({ db, seals }: NotificationDeps, channel: ChannelRow): Promise<string | null> => {
  if (channel.address_sealed) return seals.open(channel.id, 'address', channel.address_sealed);
  const row = await db.selectFrom('identity').select('email').where('id', '=', channel.identity_id).executeTakeFirst();
  return row?.email ?? null;
};

const sendMail = async (mailer: Mailer, id: string, to: string, mail: ReturnType<typeof mailOf>): Promise<ChannelTry> => {
  const startedAt = performance.now();
  const outcome = (failure: NotificationFailure | undefined, answer: string, isGone = false): ChannelTry => ({
    status: null,
    failure,
    answer: answer.slice(0, KEPT_ANSWER),
    durationMs: Math.round(performance.now() - startedAt),
    isGone,
    retryAfterSeconds: undefined,
  });
  try {
    return outcome(undefined, await mailer.send({ id, to, ...mail }, AbortSignal.timeout(MAIL_TIMEOUT_MS)));
  } catch (error) {
    if (!isPortFailure(error)) throw error;
    return error.kind === 'rejected' ? outcome('MAIL_REJECTED', error.message) : outcome('MAIL_UNAVAILABLE', error.message);
  }
};

const post = async (
  deps: NotificationDeps,
  channel: ChannelRow,
  url: string,
  to: { id: string; event: string; body: string },
): Promise<ChannelTry> => {
  const { secret_sealed: secret } = channel;
  const secrets = secret ? [await deps.seals.open(channel.id, 'secret', secret)] : [];
  const made = await postSigned(deps.outgoing, { ...to, url, secrets });
  // The design retries a 410 too, because the address can be corrected meanwhile.
  return { ...made, isGone: false, answer: made.body.slice(0, KEPT_ANSWER) || null };
};

const send = async (deps: NotificationDeps, channel: ChannelRow, due: DueDelivery): Promise<ChannelTry> => {
  const address = await addressOf(deps, channel);
  if (address === null)
    return { status: null, failure: 'NO_ADDRESS', answer: null, durationMs: 0, isGone: true, retryAfterSeconds: undefined };
  const settingsPath = channel.team_id === null ? '/notifications?tab=settings' : `/team/${channel.team_id}/notifications`;
  const { id, event } = due;
  await closeDigest(deps.db, id);
  const message = { deliveryId: id, event, notices: await noticesOf(deps.db, id), publicUrl: deps.publicUrl, settingsPath };
  if (channel.kind === 'EMAIL') return sendMail(deps.mailer, id, address, mailOf(message));
  return post(deps, channel, address, { id, event, body: bodyOf(channel.kind, message) });
};

export type ChannelDeliveries = DeliveryKind<ChannelRow, DueDelivery, ChannelTry>;
export const channelDeliveries = (deps: NotificationDeps): ChannelDeliveries => ({
  target: 'notification_channel',
  delivery: 'notification_delivery',
  key: 'channel_id',
  retrySeconds: notificationRetrySeconds,
  receiver: sql`receiver`,
  isReady: sql`true`,
  inPlaces: (teams) => sql`team_id = any(${teams})`,
  keptDays: noticeDays,
  send: (channel, due) => send(deps, channel, due),
  onTried: async (trx, channel, { due, made }) => {
    await recordAnswer(trx, due, made);
    if (channel.team_id !== null) await notifyChange(trx, { kind: notificationChannelKind.kind, team: channel.team_id });
    return true;
  },
});

export const recordAnswer = async (trx: Db, { id }: DueDelivery, { answer }: ChannelTry): Promise<void> => {
  await trx.updateTable('notification_delivery').set({ answer }).where('id', '=', id).execute();
};
