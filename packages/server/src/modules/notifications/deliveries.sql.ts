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
import { cursorText, readCursor } from '#kernel/cursor.ts';
import { titleOf, type NoticeRow } from './message.ts';

const exact = (column: string) => sql<string>`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at_text`;
interface Query {
  readonly size: number;
  readonly after?: string | undefined;
}
/** Splits one row more than a page into the page and the cursor of the next one. */
const split = <Row extends { id: string; at_text: string }>(rows: readonly Row[], size: number): { shown: Row[]; next: string | null } => {
  const shown = rows.slice(0, size);
  const last = shown.at(-1);
  return { shown, next: rows.length > size && last ? cursorText({ at: last.at_text, key: last.id }) : null };
};
const before = (at: string, id: string, after: string | undefined) => {
  const cursor = after === undefined ? undefined : readCursor(after);
  return cursor ? sql`(${sql.ref(at)}, ${sql.ref(id)}) < (${cursor.at}::timestamptz, ${cursor.key})` : sql`true`;
};

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
  const { rows } =
    await sql<Row>`select delivery.*, channel.name as channel_name, channel.kind as channel_kind, ${exact('delivery.created_at')},
      coalesce((select jsonb_agg(notice) from notification_delivery_notice link join notice on notice.id = link.notice_id
        where link.delivery_id = delivery.id), '[]') as notices
    from notification_channel channel cross join lateral (
      select * from notification_delivery newest where newest.channel_id = channel.id and ${before('newest.created_at', 'newest.id', after)}
      order by newest.created_at desc, newest.id desc limit ${size + 1}) delivery
    where channel.team_id = ${team} order by delivery.created_at desc, delivery.id desc limit ${size + 1}`.execute(db);
  const { shown, next } = split(rows, size);
  return { content: shown.map(toView), next };
};

type Outbox = ResponseOf<typeof mailOutboxList>;
export const outboxPage = async (db: Db, { size, after }: Query): Promise<Pick<Outbox, 'content' | 'next'>> => {
  const { rows } = await sql<{ id: string; at: Date; at_text: string; recipient: string; subject: string; body: string }>`
    select *, ${exact('at')} from mail_outbox where ${before('at', 'id', after)} order by at desc, id desc limit ${size + 1}`.execute(db);
  const { shown, next } = split(rows, size);
  return {
    content: shown.map(({ id, at, recipient, subject, body }) => ({ id, at: at.toISOString(), to: recipient, subject, body })),
    next,
  };
};
