/** The delivery log of a team's channels, and the outbox of the embedded mail adapter. */
import { sql } from 'kysely';
import type * as z from 'zod/mini';
import type {
  mailOutboxList,
  NotificationDelivery,
  NotificationDeliveryPage,
  NotificationFailure,
} from '@slipway/contract/notification/notification.ts';
import type { ResponseOf } from '@slipway/contract/kernel/kernel.ts';
import type { Db } from '#db/database.ts';
import { cutPage, exactInstant, keysetOf, timeKeys } from '#kernel/keyset.ts';
import { titleOf, type NoticeRow } from './message.ts';

interface Query {
  readonly size: number;
  readonly after?: string | undefined;
}
interface Row {
  readonly id: string;
  readonly at_text: string;
  readonly channel_id: string;
  readonly channel_name: string;
  readonly channel_kind: NotificationDelivery['channel']['kind'];
  readonly event: string;
  readonly state: NotificationDelivery['state'];
  readonly created_at: Date;
  readonly tries: number;
  readonly max_tries: number;
  readonly next_try_at: Date | null;
  readonly status: number | null;
  readonly failure: NotificationFailure | null;
  readonly answer: string | null;
  readonly duration_ms: number | null;
  readonly notices: readonly (Omit<NoticeRow, 'at'> & { readonly at: string })[];
}
const toView = (row: Row): NotificationDelivery => ({
  id: row.id,
  channel: { id: row.channel_id, name: row.channel_name, kind: row.channel_kind },
  event: row.event,
  title: titleOf({ event: row.event, notices: row.notices.map((notice) => ({ ...notice, at: new Date(notice.at) })) }),
  state: row.state,
  createdAt: row.created_at.toISOString(),
  tries: row.tries,
  maxTries: row.max_tries,
  nextTryAt: row.next_try_at?.toISOString() ?? null,
  status: row.status,
  failure: row.failure,
  answer: row.answer,
  durationMs: row.duration_ms,
});

/** Returns one page of the log, newest first. Each channel is read by its index, so the cost does not depend on the log's length. */
export const deliveryPage = async (db: Db, team: string, { size, after }: Query): Promise<z.output<typeof NotificationDeliveryPage>> => {
  const { from, by } = keysetOf(timeKeys(sql`newest.created_at`, sql`newest.id`), true, after);
  const { rows } =
    await sql<Row>`select delivery.*, channel.name as channel_name, channel.kind as channel_kind, ${exactInstant(sql`delivery.created_at`)} as at_text,
      coalesce((select jsonb_agg(notice) from notification_delivery_notice link join notice on notice.id = link.notice_id
        where link.delivery_id = delivery.id), '[]') as notices
    from notification_channel channel cross join lateral (
      select * from notification_delivery newest where newest.channel_id = channel.id and ${from[0] ?? sql`true`}
      order by ${by} limit ${size + 1}) delivery
    where channel.team_id = ${team} order by delivery.created_at desc, delivery.id desc limit ${size + 1}`.execute(db);
  const { shown, next } = cutPage(rows, size, ({ at_text, id }) => [at_text, id]);
  return { content: shown.map(toView), next };
};

type Outbox = ResponseOf<typeof mailOutboxList>;
export const outboxPage = async (db: Db, { size, after }: Query): Promise<Pick<Outbox, 'content' | 'next'>> => {
  const { from, by } = keysetOf(timeKeys(sql`at`, sql`id`), true, after);
  const { rows } = await sql<{ id: string; at: Date; at_text: string; recipient: string; subject: string; body: string }>`
    select *, ${exactInstant(sql`at`)} as at_text from mail_outbox where ${from[0] ?? sql`true`} order by ${by} limit ${size + 1}`.execute(
    db,
  );
  const { shown, next } = cutPage(rows, size, ({ at_text, id }) => [at_text, id]);
  return {
    content: shown.map(({ id, at, recipient, subject, body }) => ({ id, at: at.toISOString(), to: recipient, subject, body })),
    next,
  };
};
