/** Rows of webhook deliveries and their tries: the log that people read. */
import { sql } from 'kysely';
import {
  type WebhookDelivery,
  type WebhookDeliveryDetails,
  type WebhookDeliveryPage,
  type WebhookTry,
} from '@slipway/contract/registry/webhook.ts';
import type { DeliveryFailure } from '@slipway/contract/kernel/delivery.ts';
import type * as z from 'zod/mini';
import type { Db } from '#db/database.ts';
import { cutPage, exactInstant, keysetOf, timeKeys } from '#kernel/keyset.ts';
import { countTotal, pageOf } from '#kernel/page.ts';
import type { DeliveryTry, DueDelivery } from '#modules/deliveries/index.ts';

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
  readonly failure: DeliveryFailure | null;
  readonly duration_ms: number | null;
}
const rowColumns = sql`id, event, state, created_at, ${exactInstant(sql`created_at`)} as at_text,
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
  const { from, by } = keysetOf(timeKeys(sql`created_at`, sql`id`), true, after);
  const where = sql<boolean>`webhook_id = ${webhookId} and ${state === undefined ? sql`true` : sql`state = ${state}`}`;
  const { rows } = await sql<Omit<Row, 'body'>>`select ${rowColumns} from webhook_delivery where ${where}
    and ${from[0] ?? sql`true`}
    order by ${by} limit ${size + 1}`.execute(db);
  const { shown, next } = cutPage(rows, size, ({ at_text, id }) => [at_text, id]);
  const total = await countTotal(db, sql`select 1 from webhook_delivery where ${where}`);
  return { ...pageOf(shown.map(toView), total, { page: 0, size }), next };
};

interface TryRow {
  readonly number: number;
  readonly at: Date;
  readonly status: number | null;
  readonly failure: DeliveryFailure | null;
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

export interface DueWebhook extends DueDelivery {
  readonly body: string;
}

/** Stores a try next to its outcome. */
export const insertTry = async (trx: Db, { id, tries }: DueDelivery, made: DeliveryTry): Promise<void> => {
  await sql`insert into webhook_try (delivery_id, number, at, status, failure, address, sent_headers, headers, body, is_body_cut, certificate_until, timings)
    values (${id}, ${tries + 1}, ${made.at}, ${made.status}, ${made.failure ?? null}, ${made.address}, ${JSON.stringify(made.sentHeaders)}::jsonb,
      ${JSON.stringify(made.headers)}::jsonb, ${made.body}, ${made.isBodyCut}, ${made.certificateUntil}, ${JSON.stringify(made.timings)}::jsonb)
    on conflict do nothing`.execute(trx);
};
