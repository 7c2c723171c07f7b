/** A test of a webhook: a fixed body, sent at once; the caller learns status and duration and nothing of the answer. Once a minute. */
import { sql } from 'kysely';
import type { DeliveryFailure } from '@slipway/contract/kernel/delivery.ts';
import { webhookResource, webhookTest } from '@slipway/contract/registry/webhook.ts';
import { transaction } from '#db/database.ts';
import { Problem } from '#kernel/problem.ts';
import { recordChange, type Change } from '#modules/resources/index.ts';
import { claimTest, recordOutcome, testPauseSeconds } from '#modules/deliveries/index.ts';
import { insertTry, type DueWebhook } from './deliveries.sql.ts';
import { webhookDeliveries, type WebhookRow } from './send-delivery.ts';
import type { WebhookDeps } from './webhook-entity.ts';

/** Seconds until a worker sends a test whose replica died. */
const LEFT_SECONDS = 60;

interface Asked {
  readonly params: { readonly app: string; readonly webhook: string };
  readonly caller: { readonly displayName: string };
}
interface Outcome {
  readonly status: number | null;
  readonly failure: DeliveryFailure | null;
  readonly durationMs: number;
}

/** Harbor's shape with nothing in it that anybody could act on. */
const bodyOf = (app: string, operator: string): string =>
  JSON.stringify({
    type: 'TEST',
    occur_at: Math.floor(Date.now() / 1000),
    operator,
    event_data: { resources: [], repository: { name: '', namespace: app, repo_full_name: app, repo_type: 'private' } },
  });

export const sendTest = async <C extends Asked>(
  deps: WebhookDeps,
  c: C,
  changeOf: (c: C, change: Pick<Change, 'reason' | 'message'>) => Change,
): Promise<Outcome> => {
  const { db } = deps;
  const of = webhookDeliveries(deps);
  const { app, webhook: name } = c.params;
  const { webhook, due } = await transaction(db, async (trx) => {
    const row = await claimTest<WebhookRow>(trx, of, sql`webhook.app_id = ${app} and webhook.name = ${name}`);
    if (!row) throw await refusal(deps, c);
    // The log keeps it as every other delivery. Where this replica dies meanwhile, a worker sends it.
    const made = await sql<DueWebhook>`insert into webhook_delivery (webhook_id, event, operator, body, max_tries, next_try_at)
      values (${row.id}, 'TEST', ${c.caller.displayName}, ${bodyOf(app, c.caller.displayName)}, 1, now() + make_interval(secs => ${LEFT_SECONDS}))
      returning id, event, body, tries, max_tries`.execute(trx);
    const message = `${c.caller.displayName} tested the webhook ${name}`;
    await recordChange(trx, webhookResource, webhookTest, changeOf(c, { reason: 'Tested', message }));
    return { webhook: row, due: made.rows[0] };
  });
  if (!due) throw new Error('A test was not written');
  const made = await of.send(webhook, due);
  await transaction(db, async (trx) => {
    await recordOutcome(trx, of, due, made);
    await insertTry(trx, due, made);
  });
  return { status: made.status, failure: made.failure ?? null, durationMs: made.timings.total };
};

const refusal = async ({ db }: WebhookDeps, { params: { app, webhook } }: Asked): Promise<Problem> => {
  const row = await db.selectFrom('webhook').select('tested_at').where('app_id', '=', app).where('name', '=', webhook).executeTakeFirst();
  if (!row) return new Problem('WebhookDoesNotExist');
  return new Problem('WebhookTestTooSoon', { context: { seconds: String(testPauseSeconds(row.tested_at)) } });
};

/** For a repeat of the request: how the test that it made ended. */
export const lastTest = async ({ db }: WebhookDeps, { params: { app, webhook } }: Asked): Promise<Outcome> => {
  const { rows } = await sql<{ status: number | null; failure: DeliveryFailure | null; duration_ms: number | null }>`
    select delivery.status, delivery.failure, delivery.duration_ms from webhook_delivery delivery
    join webhook on webhook.id = delivery.webhook_id
    where webhook.app_id = ${app} and webhook.name = ${webhook} and delivery.event = 'TEST'
    order by delivery.created_at desc, delivery.id desc limit 1`.execute(db);
  return { status: rows[0]?.status ?? null, failure: rows[0]?.failure ?? null, durationMs: rows[0]?.duration_ms ?? 0 };
};
