/** Rows of deliveries and their tries: the log that people read, and the queue that workers send from. */
import { sql } from 'kysely';
import {
  webhookRetrySeconds,
  type WebhookDelivery,
  type WebhookDeliveryDetails,
  type WebhookDeliveryPage,
  type WebhookFailure,
  type WebhookTry,
} from '@slipway/contract/registry/webhook.ts';
import type * as z from 'zod/mini';
import type { Db } from '#db/database.ts';
import { cursorText, readCursor } from '#kernel/cursor.ts';
import { countTotal, pageOf } from '#kernel/page.ts';
import type { DeliveryTry } from './send-delivery.ts';

interface Row {
  readonly id: string;
  readonly event: WebhookDelivery['event'];
  readonly state: WebhookDelivery['state'];
  readonly created_at: Date;
  readonly at_text: string;
  readonly operator: string;
  readonly repository: string | null;
  readonly reference: string | null;
  readonly body: string;
  readonly tries: number;
  readonly max_tries: number;
  readonly next_try_at: Date | null;
  readonly status: number | null;
  readonly failure: WebhookFailure | null;
  readonly duration_ms: number | null;
}
const rowColumns = sql`id, event, state, created_at, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at_text,
  operator, repository, reference, tries, max_tries, next_try_at, status, failure, duration_ms`;

const toView = (row: Omit<Row, 'body'>): WebhookDelivery => ({
  id: row.id,
  event: row.event,
  state: row.state,
  createdAt: row.created_at.toISOString(),
  repository: row.repository,
  reference: row.reference,
  operator: row.operator,
  tries: row.tries,
  maxTries: row.max_tries,
  nextTryAt: row.next_try_at?.toISOString() ?? null,
  status: row.status,
  failure: row.failure,
  durationMs: row.duration_ms,
});

interface LogQuery {
  readonly size: number;
  readonly after?: string | undefined;
  readonly state?: WebhookDelivery['state'] | undefined;
}
/** Returns one page of deliveries, newest first. A cursor finds the page, so the cost does not depend on the log's length. */
export const deliveryPage = async (
  db: Db,
  webhookId: string,
  { size, after, state }: LogQuery,
): Promise<z.output<typeof WebhookDeliveryPage>> => {
  const cursor = after === undefined ? undefined : readCursor(after);
  const where = sql<boolean>`webhook_id = ${webhookId} and ${state === undefined ? sql`true` : sql`state = ${state}`}`;
  const { rows } = await sql<Omit<Row, 'body'>>`select ${rowColumns} from webhook_delivery where ${where}
    and ${cursor ? sql`(created_at, id) < (${cursor.at}::timestamptz, ${cursor.key})` : sql`true`}
    order by created_at desc, id desc limit ${size + 1}`.execute(db);
  const shown = rows.slice(0, size);
  const total = await countTotal(db, sql`select 1 from webhook_delivery where ${where}`);
  const last = shown.at(-1);
  return {
    ...pageOf(shown.map(toView), total, { page: 0, size }),
    next: rows.length > size && last ? cursorText({ at: last.at_text, key: last.id }) : null,
  };
};

interface TryRow {
  readonly number: number;
  readonly at: Date;
  readonly status: number | null;
  readonly failure: WebhookFailure | null;
  readonly address: string | null;
  readonly sent_headers: WebhookTry['headers'];
  readonly headers: WebhookTry['headers'];
  readonly body: string;
  readonly is_body_cut: boolean;
  readonly certificate_until: Date | null;
  readonly timings: WebhookTry['timings'];
}
const tryView = (row: TryRow): WebhookTry => ({
  number: row.number,
  at: row.at.toISOString(),
  status: row.status,
  failure: row.failure,
  address: row.address,
  headers: row.headers,
  body: row.body,
  isBodyCut: row.is_body_cut,
  certificateUntil: row.certificate_until?.toISOString() ?? null,
  timings: row.timings,
});

/** Returns a delivery with its requests and answers, or undefined if it does not exist. */
export const deliveryDetails = async (
  db: Db,
  { id, targetUrl, enabled }: { readonly id: string; readonly targetUrl: string; readonly enabled: boolean },
  deliveryId: string,
): Promise<WebhookDeliveryDetails | undefined> => {
  const { rows } = await sql<Row>`select ${rowColumns}, body from webhook_delivery where webhook_id = ${id} and id = ${deliveryId}`.execute(
    db,
  );
  const [row] = rows;
  if (!row) return undefined;
  const tries = await sql<TryRow>`select * from webhook_try where delivery_id = ${row.id} order by number desc limit 50`.execute(db);
  return {
    ...toView(row),
    request: {
      method: 'POST',
      url: targetUrl,
      headers: tries.rows[0]?.sent_headers ?? [{ name: 'webhook-id', value: row.id }],
      body: row.body,
      sizeBytes: Buffer.byteLength(row.body),
    },
    attempts: tries.rows.map(tryView),
    can: { resend: enabled ? true : 'WebhookDisabled' },
  };
};

/** Schedules one more try now, whether earlier tries succeeded or failed. Returns false if the delivery does not exist. */
export const askAgain = async (trx: Db, webhookId: string, deliveryId: string): Promise<boolean> => {
  const { numAffectedRows } = await sql`update webhook_delivery
    set state = 'PENDING', next_try_at = now(), max_tries = case when state = 'PENDING' then max_tries else tries + 1 end
    where webhook_id = ${webhookId} and id = ${deliveryId}`.execute(trx);
  return numAffectedRows === 1n;
};

export interface DueDelivery {
  readonly id: string;
  readonly event: WebhookDelivery['event'];
  readonly body: string;
  readonly tries: number;
  readonly max_tries: number;
}
export const dueDelivery = async (db: Db, webhookId: string): Promise<DueDelivery | undefined> => {
  const { rows } = await sql<DueDelivery>`select id, event, body, tries, max_tries from webhook_delivery
    where webhook_id = ${webhookId} and state = 'PENDING' and next_try_at <= now() order by next_try_at, id limit 1`.execute(db);
  return rows[0];
};

const JITTER = 0.1;
const MOST_RETRY_AFTER_SECONDS = 3600;
/** Returns the seconds until the next try. Honors the target's `Retry-After` up to one hour. */
export const retryAfter = (tries: number, said: number | undefined): number => {
  const planned = webhookRetrySeconds[Math.min(tries, webhookRetrySeconds.length) - 1] ?? 0;
  return Math.max(planned * (1 + Math.random() * JITTER), Math.min(said ?? 0, MOST_RETRY_AFTER_SECONDS));
};

/** Stores a try and updates its delivery. Returns the delivery's new state. */
export const recordTry = async (trx: Db, delivery: DueDelivery, made: DeliveryTry): Promise<WebhookDelivery['state']> => {
  const tries = delivery.tries + 1;
  const isOver = made.isGone || tries >= delivery.max_tries;
  const failed = isOver ? 'FAILED' : 'PENDING';
  const state = made.failure === undefined ? 'DELIVERED' : failed;
  await sql`insert into webhook_try (delivery_id, number, at, status, failure, address, sent_headers, headers, body, is_body_cut, certificate_until, timings)
    values (${delivery.id}, ${tries}, ${made.at}, ${made.status}, ${made.failure ?? null}, ${made.address}, ${JSON.stringify(made.sentHeaders)}::jsonb,
      ${JSON.stringify(made.headers)}::jsonb, ${made.body}, ${made.isBodyCut}, ${made.certificateUntil}, ${JSON.stringify(made.timings)}::jsonb)
    on conflict do nothing`.execute(trx);
  await sql`update webhook_delivery set state = ${state}, tries = ${tries}, status = ${made.status}, failure = ${made.failure ?? null},
      duration_ms = ${made.timings.total},
      next_try_at = ${state === 'PENDING' ? sql`now() + make_interval(secs => ${retryAfter(tries, made.retryAfterSeconds)})` : null}
    where id = ${delivery.id}`.execute(trx);
  return state;
};

const SWEPT_AT_ONCE = 1000;
/** Deletes one batch of deliveries older than `days`. Returns the number deleted. */
export const sweepDeliveries = async (db: Db, days: number): Promise<number> => {
  const { numAffectedRows } = await sql`delete from webhook_delivery where id in (
    select id from webhook_delivery where created_at < now() - make_interval(days => ${days}) order by created_at limit ${SWEPT_AT_ONCE})`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0n);
};
