/** Tests webhooks over HTTP with a real receiver: signing, delivery, retries, resending, test deliveries, and disabling after failures. */
import { createHmac } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import {
  webhookCreate,
  webhookDelete,
  webhookDeliveryList,
  webhookDeliveryResend,
  webhookDeliveryView,
  webhookList,
  webhookSecretRotate,
  webhookTest,
  webhookUpdate,
  webhookView,
  type Webhook,
  type WebhookDelivery,
  type WebhookDeliveryDetails,
  type WebhookDeliveryPage,
} from '@slipway/contract/registry/webhook.ts';
import type * as z from 'zod/mini';
import { transaction } from '#db/database.ts';
import { RegistryClient } from '#ports/registry.suite-client.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import { PATIENCE_MS } from '#testing/patience.ts';
import { openPolicy } from '../project/policy.ts';
import { applyDue } from '../retention/retention-task.ts';
import { enqueueRegistryEvent } from './enqueue-event.ts';

const RECEIVER = '127.0.0.2';
const SILENT = '127.0.0.9';
const place = { app: 'yard', env: 'development' };
interface Received {
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}
let app: TestApp;
let client: RegistryClient;
let port = 0;
let received: Received[] = [];
/** HTTP status of the receiver's next answers, by path. */
let answers: Record<string, number> = {};
const receiver = http.createServer((asked, answer) => {
  let body = '';
  asked.setEncoding('utf8').on('data', (part: string) => (body += part));
  asked.on('end', () => {
    const path = asked.url ?? '';
    received.push({ path, headers: asked.headers, body });
    answer.writeHead(answers[path] ?? 204, { 'content-type': 'text/plain', 'set-cookie': 'session=secret', server: 'receiver' });
    answer.end(answers[path] === undefined ? undefined : 'no healthy upstream \0');
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, RECEIVER, resolve));
  port = (receiver.address() as AddressInfo).port;
  app = await testApp({ outgoing: { allow: [RECEIVER, SILENT] } });
  await app.database.db
    .insertInto('app')
    .values({ id: 'yard', display_name: 'Yard', team_id: 'cranes', state: 'ACTIVE', created_by: 'olga' })
    .execute();
  await app.adapters.registry.projectEnsure('yard', 'app:yard');
  client = new RegistryClient(app.adapters.registry, await app.adapters.registry.robotEnsure('yard', 'ci', ['pull', 'push', 'delete']));
});
afterAll(async () => {
  await app.close();
  receiver.closeAllConnections();
  receiver.close();
});
beforeEach(async () => {
  received = [];
  answers = {};
  await app.database.pool.query('delete from webhook');
});

const url = (path: string): string => `http://${RECEIVER}:${port}${path}`;
const call = async <T>(route: RouteShape, params: object = {}, body?: unknown, query?: Record<string, unknown>): Promise<T> => {
  const answer = await app.call('member', route, {
    params: { ...place, ...params },
    ...(body === undefined ? {} : { body }),
    ...(query && { query }),
  });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body as T;
};
const settings = (path: string, more: object = {}) => ({ targetUrl: url(path), eventTypes: ['PUSH_ARTIFACT'], ...more });
const create = (name: string, path: string, more: object = {}) =>
  call<Webhook & { secret: string }>(webhookCreate, {}, { name, ...settings(path, more) });
const view = (webhook: string): Promise<Webhook> => call(webhookView, { webhook });
type LogPage = z.output<typeof WebhookDeliveryPage>;
const log = (webhook: string, query?: Record<string, unknown>): Promise<LogPage> =>
  call(webhookDeliveryList, { webhook }, undefined, query);
const ended = async (webhook: string, state: WebhookDelivery['state'] = 'DELIVERED'): Promise<WebhookDelivery> => {
  await expect.poll(async () => (await log(webhook)).content[0]?.state, { timeout: PATIENCE_MS }).toBe(state);
  return (await log(webhook)).content[0] as WebhookDelivery;
};
const details = (webhook: string, delivery: string): Promise<WebhookDeliveryDetails> => call(webhookDeliveryView, { webhook, delivery });
const header = ({ headers }: Received, name: string): string => String(headers[name]);
const signatureOf = (secret: string, message: Received): string => {
  const content = `${header(message, 'webhook-id')}.${header(message, 'webhook-timestamp')}.${message.body}`;
  return `v1,${createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
    .update(content)
    .digest('base64')}`;
};
const last = (path: string): Received => {
  const found = received.findLast((one) => one.path === path);
  if (!found) throw new Error(`Nothing came to ${path}`);
  return found;
};

test('a push is delivered: signed, in Harbor’s shape, with the authorization header, and the log keeps what was answered', async () => {
  const { secret } = await create('board', '/board', { authorization: 'Bearer let-me-in', description: 'The board' });
  await client.pushImage('yard/api', '1', 'one');
  const delivery = await ended('board');
  expect(delivery).toMatchObject({
    event: 'PUSH_ARTIFACT',
    repository: 'yard/api',
    reference: '1',
    operator: 'robot$yard+ci',
    status: 204,
    tries: 1,
  });
  const message = last('/board');
  expect(header(message, 'authorization')).toBe('Bearer let-me-in');
  expect(header(message, 'webhook-id')).toBe(delivery.id);
  expect(header(message, 'webhook-signature')).toBe(signatureOf(secret, message));
  expect(JSON.parse(message.body)).toEqual({
    type: 'PUSH_ARTIFACT',
    occur_at: expect.any(Number),
    operator: 'robot$yard+ci',
    event_data: {
      resources: [{ digest: expect.stringMatching(/^sha256:/), tag: '1', resource_url: `${app.adapters.registry.host}/yard/api:1` }],
      repository: { date_created: expect.any(Number), name: 'api', namespace: 'yard', repo_full_name: 'yard/api', repo_type: 'private' },
    },
  });
  const kept = await details('board', delivery.id);
  expect(kept.request).toMatchObject({ method: 'POST', url: url('/board'), body: message.body });
  expect(kept.request.headers).toContainEqual({ name: 'authorization', value: '(set, hidden)' });
  expect(kept.attempts).toMatchObject([{ number: 1, status: 204, address: RECEIVER, timings: { total: expect.any(Number) } }]);
  const hook = await view('board');
  expect(hook).toMatchObject({
    authorization: { setBy: { id: 'mats' } },
    deliveries: { delivered: 1, failed: 0, pending: 0 },
    lastDelivery: { state: 'DELIVERED' },
  });
  const { rows } = await app.database.pool.query(`select jsonb_agg(to_jsonb(a)) as log from activity a`);
  const everywhere = JSON.stringify([kept, hook, await log('board'), rows]);
  expect(everywhere).not.toContain('let-me-in');
  expect(everywhere).not.toContain(secret);
});

test('deletions and pulls are delivered where they are wanted', async () => {
  await create('all', '/all', { eventTypes: ['DELETE_ARTIFACT', 'PULL_ARTIFACT'] });
  await client.pushImage('yard/web', '1', 'web');
  expect((await client.send('GET', '/v2/yard/web/manifests/1')).status).toBe(200);
  expect((await client.send('DELETE', '/v2/yard/web/manifests/1')).status).toBe(202);
  // The registry announces a pull after it has answered.
  const events = async () => (await log('all')).content.map(({ event }) => event).toSorted();
  await expect.poll(events, { timeout: PATIENCE_MS }).toEqual(['DELETE_ARTIFACT', 'PULL_ARTIFACT']);
});

test('receivers that never answer cost nobody else time, on other hosts and on the same one', async () => {
  // Accepts connections but never answers.
  const silent = http.createServer(() => {});

  await new Promise<void>((resolve) => silent.listen(0, SILENT, resolve));
  try {
    const targetUrl = `http://${SILENT}:${(silent.address() as AddressInfo).port}/`;
    for (let number = 1; number <= 9; number++)
      await create(`dead-${number}`, '/', { targetUrl: number < 9 ? `${targetUrl}${number}` : targetUrl });
    const reached = new Promise<void>((resolve) => silent.once('request', () => resolve()));
    const connections = () => new Promise<number>((resolve) => silent.getConnections((_, count) => resolve(count)));
    await client.pushImage('yard/slow', '1', 'one');
    await reached;
    await expect.poll(connections).toBeGreaterThanOrEqual(8);
    await app.database.pool.query(`delete from webhook_delivery where state <> 'PENDING'`);
    await create('live', '/live');
    const at = Date.now();
    await client.pushImage('yard/slow', '2', 'two');
    await expect
      .poll(() => received.filter(({ path }) => path === '/live').length, { timeout: PATIENCE_MS, interval: 50 })
      .toBeGreaterThan(0);
    expect(Date.now() - at).toBeLessThan(3000);
    expect(await connections()).toBeLessThanOrEqual(16);
  } finally {
    silent.closeAllConnections();
    silent.close();
  }
});

test('an event about the whole project, announced with what changed, comes with its transaction or not at all', async () => {
  await create('quota', '/quota', { eventTypes: ['QUOTA_WARNING'] });
  const event = {
    type: 'QUOTA_WARNING',
    project: 'yard',
    operator: 'platform',
    aboutEvent: { custom_attributes: { Details: '85 %' } },
  } as const;
  const undone = transaction(app.database.db, async (trx) => {
    await enqueueRegistryEvent(trx, app.adapters.registry, event);
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect((await log('quota')).content).toEqual([]);
  await transaction(app.database.db, (trx) => enqueueRegistryEvent(trx, app.adapters.registry, event));
  const [delivery] = (await log('quota')).content;
  expect(delivery).toMatchObject({ state: 'PENDING', repository: null, reference: null });
  const { request } = await details('quota', delivery?.id ?? '');
  expect(JSON.parse(request.body)).toMatchObject({ event_data: { resources: [], custom_attributes: { Details: '85 %' } } });
});

test('a quota says that it is nearly full and full, and retention what it deleted', async () => {
  await create('rules', '/rules', { eventTypes: ['QUOTA_WARNING', 'QUOTA_EXCEED', 'TAG_RETENTION'] });
  const { registry } = app.adapters;
  await client.pushImage('yard/quota', '1', 'kept');
  await client.pushBlob('yard/quota', Buffer.alloc(1_000_000));
  const { usedBytes, uploadingBytes } = await registry.storage('yard');
  await registry.projectQuota('yard', Math.ceil((usedBytes + uploadingBytes) / 0.9) + 2000);
  await client.pushBlob('yard/quota', Buffer.from('a little more'));
  await expect(client.pushBlob('yard/quota', Buffer.alloc(500_000))).rejects.toThrow();
  await registry.projectQuota('yard', null);
  const policy = JSON.stringify({ ...openPolicy, retention: { keepNewest: 1, keepDays: null, keepPattern: null } });
  await app.database.db
    .insertInto('container_registry')
    .values({ app_id: 'yard', policy })
    .onConflict((conflict) => conflict.column('app_id').doUpdateSet({ policy }))
    .execute();
  await client.pushImage('yard/quota', '2', 'newer');
  await applyDue({ db: app.database.db, registry });
  const events = async () => (await log('rules')).content.map(({ event }) => event).toSorted();
  await expect.poll(events, { timeout: PATIENCE_MS }).toEqual(['QUOTA_EXCEED', 'QUOTA_WARNING', 'TAG_RETENTION']);
});

test('a failure is tried again later; sent again by hand it comes at once, with the same id', async () => {
  answers['/broken'] = 503;
  await create('broken', '/broken');
  await client.pushImage('yard/api', '2', 'two');
  await expect.poll(async () => (await log('broken')).content[0]?.tries, { timeout: PATIENCE_MS }).toBe(1);
  const [waiting] = (await log('broken')).content;
  expect(waiting).toMatchObject({ state: 'PENDING', status: 503, failure: 'STATUS', maxTries: 8 });
  const until = Date.parse(waiting?.nextTryAt ?? '') - Date.now();
  expect(until).toBeGreaterThan(0);
  expect(until).toBeLessThan(12_000);
  const { attempts } = await details('broken', waiting?.id ?? '');
  expect(attempts[0]).toMatchObject({ status: 503, body: 'no healthy upstream \u{FFFD}', isBodyCut: false });
  expect(attempts[0]?.headers).toContainEqual({ name: 'server', value: 'receiver' });
  expect(attempts[0]?.headers.map(({ name }) => name)).not.toContain('set-cookie');
  answers = {};
  await call(webhookDeliveryResend, { webhook: 'broken', delivery: waiting?.id });
  expect((await ended('broken')).tries).toBe(2);
  expect(new Set(received.map((one) => header(one, 'webhook-id'))).size).toBe(1);
});

test('after its last try a delivery has failed, and can still be sent again, once', async () => {
  answers['/gone-wrong'] = 500;
  await create('hopeless', '/gone-wrong');
  await client.pushImage('yard/api', '3', 'three');
  await expect.poll(async () => (await log('hopeless')).content[0]?.tries, { timeout: PATIENCE_MS }).toBe(1);
  await app.database.pool.query(`update webhook_delivery set tries = 7, next_try_at = now()`);
  const failed = await ended('hopeless', 'FAILED');
  expect(failed).toMatchObject({ tries: 8, nextTryAt: null });
  expect((await log('hopeless', { state: 'FAILED' })).content).toHaveLength(1);
  expect((await log('hopeless', { state: 'DELIVERED' })).content).toEqual([]);
  await call(webhookDeliveryResend, { webhook: 'hopeless', delivery: failed.id });
  await expect.poll(async () => (await log('hopeless')).content[0]?.tries, { timeout: PATIENCE_MS }).toBe(9);
  expect(await ended('hopeless', 'FAILED')).toMatchObject({ maxTries: 9 });
});

test('a redirect is not followed', async () => {
  answers['/moved'] = 302;
  await create('moved', '/moved');
  await client.pushImage('yard/api', '4', 'four');
  await expect.poll(async () => (await log('moved')).content[0]?.failure, { timeout: PATIENCE_MS }).toBe('REDIRECTED');
  expect(received).toHaveLength(1);
});

test.each([
  [410, undefined, 'GONE'],
  [500, `now() - interval '4 days'`, 'FAILING'],
])('a target that answers %i is given up: %s, %s', async (status, since, reason) => {
  answers['/lost'] = status;
  await create('lost', '/lost');
  if (since) await app.database.pool.query(`update webhook set failing_since = ${since}`);
  await client.pushImage('yard/api', '5', 'five');
  await expect.poll(async () => (await view('lost')).disabledReason, { timeout: PATIENCE_MS }).toBe(reason);
  expect((await view('lost')).enabled).toBe(false);
  const entries = await app.database.db.selectFrom('activity').select(['level', 'message']).where('type', '=', 'webhookDisable').execute();
  expect(entries.at(-1)).toMatchObject({ level: 'WARNING', message: expect.stringContaining('disabled the webhook lost') });
  const [delivery] = (await log('lost')).content;
  expect(
    errorsOf(await app.call('member', webhookDeliveryResend, { params: { ...place, webhook: 'lost', delivery: delivery?.id ?? '' } })),
  ).toEqual([409, 'undefined: WebhookDisabled']);
  await call(webhookUpdate, { webhook: 'lost' }, settings('/lost', { enabled: true }));
  expect(await view('lost')).toMatchObject({ enabled: true, disabledReason: null });
});

test('a worker that died with a delivery leaves it to the next one', async () => {
  await create('left', '/left');
  await app.database.pool.query(`update webhook set lease = 'lease_of_the_dead', leased_until = now() + interval '2 seconds'`);
  await client.pushImage('yard/api', '6', 'six');
  expect((await log('left')).content[0]?.state).toBe('PENDING');
  expect((await ended('left')).tries).toBe(1);
});

test('a test answers status and duration alone, once a minute, and stands in the log', async () => {
  answers['/tested'] = 418;
  await create('tested', '/tested', { enabled: false });
  expect(await call(webhookTest, { webhook: 'tested' })).toEqual({ status: 418, failure: 'STATUS', durationMs: expect.any(Number) });
  expect(JSON.parse(last('/tested').body)).toMatchObject({ type: 'TEST' });
  expect((await log('tested')).content).toMatchObject([{ event: 'TEST', state: 'FAILED', tries: 1, operator: 'Mats Member' }]);
  expect(errorsOf(await app.call('member', webhookTest, { params: { ...place, webhook: 'tested' } }))).toEqual([
    429,
    'undefined: WebhookTestTooSoon',
  ]);
});

test('a target that leads inside later is refused when it is called', async () => {
  await create('sly', '/sly');
  await app.database.pool.query(`update webhook set target_url = 'http://127.0.0.3:${port}/'`);
  expect(await call(webhookTest, { webhook: 'sly' })).toMatchObject({ status: null, failure: 'REFUSED_ADDRESS' });
});

test('while a signing secret is replaced, both sign', async () => {
  const { secret: old } = await create('signed', '/signed');
  const { signingSecret } = await call<{ signingSecret: string }>(webhookSecretRotate, { webhook: 'signed' }, { overlapHours: 24 });
  await client.pushImage('yard/api', '7', 'seven');
  await ended('signed');
  const message = last('/signed');
  expect(header(message, 'webhook-signature').split(' ')).toEqual([signatureOf(signingSecret, message), signatureOf(old, message)]);
  await call(webhookSecretRotate, { webhook: 'signed' }, { overlapHours: 0 });
  await call(webhookTest, { webhook: 'signed' });
  expect(header(last('/signed'), 'webhook-signature').split(' ')).toHaveLength(1);
  expect((await view('signed')).signingSecret.previousEndsAt).toBeNull();
});

test('the authorization header stays, goes or changes as the form says', async () => {
  await create('headed', '/headed', { authorization: 'Bearer first' });
  await call(webhookUpdate, { webhook: 'headed' }, settings('/headed', { description: 'kept' }));
  expect(await view('headed')).toMatchObject({ description: 'kept', authorization: { setBy: { id: 'mats' } } });
  await call(webhookUpdate, { webhook: 'headed' }, settings('/headed', { authorization: null }));
  expect((await view('headed')).authorization).toBeNull();
});

test.each([
  [{ name: 'Board' }, 'name: KebabCase'],
  [{ eventTypes: [] }, 'eventTypes: Required'],
  [{ eventTypes: ['REPLICATION'] }, 'eventTypes.0: InvalidValue'],
  [{ targetUrl: '' }, 'targetUrl: Required'],
  [{ targetUrl: 'ftp://example.com' }, 'targetUrl: WebhookTargetInvalid'],
  [{ targetUrl: 'http://user:pass@example.com/' }, 'targetUrl: WebhookTargetInvalid'],
  [{ targetUrl: 'http://[nonsense/' }, 'targetUrl: WebhookTargetInvalid'],
  [{ targetUrl: 'http://127.0.0.1:4000/' }, 'targetUrl: WebhookTargetInside'],
  [{ targetUrl: 'http://0x7f.1/' }, 'targetUrl: WebhookTargetInside'],
  [{ targetUrl: 'http://localhost/' }, 'targetUrl: WebhookTargetInside'],
  [{ targetUrl: `http://${RECEIVER}:22/` }, 'targetUrl: WebhookTargetInside'],
  [{ authorization: 'Bearer a\r\nx-other: b' }, 'authorization: AuthorizationInvalid'],
  [{ authorization: ' Bearer a' }, 'authorization: AuthorizationInvalid'],
])('%j is refused', async (change, error) => {
  const body = { name: 'wrong', ...settings('/wrong'), ...change };
  expect(errorsOf(await app.call('member', webhookCreate, { params: place, body }))).toEqual([400, error]);
});

test('names are given once, twenty at most; a deleted one takes its log along', async () => {
  await create('one', '/one');
  const again = await app.call('member', webhookCreate, { params: place, body: { name: 'one', ...settings('/one') } });
  expect(errorsOf(again)).toEqual([409, 'name: WebhookAlreadyExists']);
  for (let at = 1; at < 20; at += 1) await create(`more-${at}`, '/one');
  const beyond = await app.call('member', webhookCreate, { params: place, body: { name: 'beyond', ...settings('/one') } });
  expect(errorsOf(beyond)).toEqual([409, 'undefined: TooManyWebhooks']);
  expect((await call<{ totalElements: number }>(webhookList)).totalElements).toBe(20);
  await call(webhookDelete, { webhook: 'one' });
  const missing = { ...place, webhook: 'one', delivery: 'msg_0' };
  expect(errorsOf(await app.call('member', webhookDeliveryView, { params: missing }))).toEqual([404, 'undefined: WebhookDoesNotExist']);
  const noSuch = await app.call('member', webhookDeliveryView, { params: { ...missing, webhook: 'more-1' } });
  expect(errorsOf(noSuch)).toEqual([404, 'undefined: WebhookDeliveryDoesNotExist']);
});
