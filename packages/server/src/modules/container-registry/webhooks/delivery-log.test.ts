// @long (shared process): fills tables with many rows
/** A log of 100,000 deliveries: a page, one delivery, the list of webhooks and what is due cost as much as in a log of a hundred. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import {
  webhookDeliveryList,
  webhookDeliveryView,
  webhookList,
  webhookLogDays,
  webhookRetrySeconds,
  type WebhookDeliveryPage,
} from '@slipway/contract/registry/webhook.ts';
import type * as z from 'zod/mini';
import { testApp, type TestApp } from '#testing/app.ts';
import { readBy } from '#testing/load/rows-read.ts';
import { nextDue, sweepDeliveries } from '../../deliveries/delivery-rows.sql.ts';

type LogPage = z.output<typeof WebhookDeliveryPage>;
const params = { app: 'yard', env: 'development', webhook: 'board' };
const tables = { target: 'webhook', delivery: 'webhook_delivery', key: 'webhook_id', retrySeconds: webhookRetrySeconds } as const;
let app: TestApp;
beforeAll(async () => {
  app = await testApp({ isWorker: false });
  await app.database.pool.query(`
    insert into app (id, display_name, team_id, state, created_by) values ('yard', 'Yard', 'cranes', 'ACTIVE', 'olga');
    insert into webhook (id, app_id, name, description, target_url, event_types, secret_sealed, skip_verification, enabled, created_by, created_by_name)
      values ('wh_1', 'yard', 'board', '', 'https://board.example/', '{PUSH_ARTIFACT}', '', false, true, 'olga', 'Olga')`);
});
afterAll(() => app.close());

/** One in a hundred has failed; the newest is the last of them. */
const fill = (from: number, to: number) =>
  app.database.pool.query(
    `with made as (
       insert into webhook_delivery (id, webhook_id, event, state, created_at, operator, repository, reference, body, tries, max_tries, status)
       select 'msg_' || n, 'wh_1', 'PUSH_ARTIFACT', case when n % 100 = 0 then 'FAILED' else 'DELIVERED' end,
         now() - make_interval(secs => (100000 - n) * 20), 'ci', 'yard/api', n::text, '{}', 1, 8, 200
       from generate_series($1::integer, $2) n returning id)
     insert into webhook_try (delivery_id, number, at, status, sent_headers, headers, body, is_body_cut, timings)
     select id, 1, now(), 200, '[]', '[]', '', false, '{"lookup": 1, "connect": 1, "tls": null, "firstByte": 1, "total": 3}' from made`,
    [from, to],
  );
const ask = async <T>(route: RouteShape, query: Record<string, unknown> = {}, more: object = {}): Promise<T> => {
  const answer = await app.call('member', route, { params: { ...params, ...more }, query });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body as T;
};

const reads: Readonly<Record<string, () => Promise<unknown>>> = {
  page: () => ask(webhookDeliveryList),
  'failed ones': () => ask(webhookDeliveryList, { state: 'FAILED' }),
  'none of a state': () => ask(webhookDeliveryList, { state: 'PENDING' }),
  one: () => ask(webhookDeliveryView, {}, { delivery: 'msg_99990' }),
  webhooks: () => ask(webhookList),
  'what is due': () => nextDue(app.database.db, tables, 'wh_1'),
};
const costs = async (): Promise<Record<string, number>> => {
  await app.database.pool.query('analyze webhook_delivery');
  const found: Record<string, number> = {};
  for (const [name, read] of Object.entries(reads)) {
    // Once before: who calls is remembered.
    await read();
    found[name] = (await readBy(app.database.pool, read)).rows;
  }
  return found;
};

test('nothing reads more in a long log than in a short one, but for what is counted to a thousand', { timeout: 120_000 }, async () => {
  await fill(99_001, 100_000);
  const few = await costs();
  await fill(1, 99_000);
  const many = await costs();
  const grown = Object.entries(many).filter(([name, rows]) => rows > (few[name] ?? 0) * 1.5 + 2500);
  expect(grown, JSON.stringify({ few, many })).toEqual([]);
});

test('pages follow each other to the end, although new ones come in meanwhile', async () => {
  const seen = new Set<string>();
  let { content, next } = await ask<LogPage>(webhookDeliveryList, { size: 100, state: 'FAILED' });
  for (let pages = 1; pages < 5; pages += 1) {
    for (const { id } of content) seen.add(id);
    await app.database.pool.query(
      `insert into webhook_delivery (webhook_id, event, state, operator, body, max_tries) values ('wh_1', 'TEST', 'FAILED', 'ci', '{}', 1)`,
    );
    ({ content, next } = await ask<LogPage>(webhookDeliveryList, { size: 100, state: 'FAILED', after: next ?? '' }));
  }
  expect(seen.size).toBe(400);
  expect(content[0]?.id).toBe('msg_60000');
});

test('what is older than its days is swept, some at a time', async () => {
  await app.database.pool.query(
    `update webhook_delivery set created_at = now() - make_interval(days => $1 + 1) where id in (select 'msg_' || n from generate_series(1, 1500) n)`,
    [webhookLogDays],
  );
  const swept = [
    await sweepDeliveries(app.database.db, tables, webhookLogDays),
    await sweepDeliveries(app.database.db, tables, webhookLogDays),
  ];
  expect(swept).toEqual([1000, 500]);
  expect(await sweepDeliveries(app.database.db, tables, webhookLogDays)).toBe(0);
});
