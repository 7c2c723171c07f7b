/** Tests deliveries with a real SMTP server and a real webhook receiver: formats, signature, retries, dead receivers, two replicas. */
import { createHmac } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  notificationChannelCreate,
  notificationChannelList,
  notificationChannelTest,
  notificationChannelUpdate,
  notificationDeliveryList,
  type NotificationChannel,
  type NotificationDelivery,
} from '@slipway/contract/notification/notification.ts';
import { SmtpMailer } from '#adapters/mail-smtp/smtp-mailer.ts';
import { createLog } from '#kernel/log.ts';
import { createSeals, DeliveryWorker, type DueDelivery } from '#modules/deliveries/index.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { PATIENCE_MS } from '#testing/patience.ts';
import { channelDeliveries, type ChannelRow } from './channel-deliveries.ts';
import { expandEvents } from './expand.sql.ts';
import { notify } from './notify.ts';

const RECEIVER = '127.0.0.2';
const SILENT = '127.0.0.9';
const log = createLog('silent');
const params = { team: 'cranes' };

interface Mail {
  readonly to: string[];
  readonly text: string;
}
let mails: Mail[] = [];
/** Answers of the mail server to recipients. */
let refusal: { responseCode: number; text: string } | undefined;
/** Time that the mail server takes for each answer about sender and recipients. */
let slownessMs = 0;
const smtp = new SMTPServer({
  disabledCommands: ['STARTTLS', 'AUTH'],
  onMailFrom: (_address, _session, done) => void setTimeout(done, slownessMs),
  onRcptTo: (_address, _session, done) => {
    const answer = refusal && Object.assign(new Error(refusal.text), { responseCode: refusal.responseCode });
    setTimeout(() => done(answer), slownessMs);
  },
  onData: (stream, session, done) => {
    let text = '';
    stream.setEncoding('utf8').on('data', (part: string) => (text += part));
    stream.on('end', () => {
      mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text });
      done(null, 'Accepted as 1');
    });
  },
});

interface Received {
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}
let received: Received[] = [];
let answers: Record<string, number> = {};
const receiver = http.createServer((asked, answer) => {
  let body = '';
  asked.setEncoding('utf8').on('data', (part: string) => (body += part));
  asked.on('end', () => {
    const path = asked.url ?? '';
    received.push({ path, headers: asked.headers, body });
    answer.writeHead(answers[path] ?? 204).end();
  });
});
/** Accepts connections and never answers. */
const silent = http.createServer(() => {});

let app: TestApp;
let mailer: SmtpMailer;
/** Another replica's worker, which the tests wake. */
let worker: ReturnType<typeof newWorker>;
const kind = () => {
  const { db, pool } = app.database;
  const { outgoing, keys } = app.adapters;
  return channelDeliveries({ db, outgoing, mailer, seals: createSeals(pool, keys, 'channel'), publicUrl: app.url });
};
const newWorker = () => new DeliveryWorker({ db: app.database.db, log, of: kind() });
const portOf = (server: { address(): AddressInfo | string | null }): number => (server.address() as AddressInfo).port;
beforeAll(async () => {
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => receiver.listen(0, RECEIVER, resolve));
  await new Promise<void>((resolve) => silent.listen(0, SILENT, resolve));
  const tls = { tls: 'off', user: undefined, password: undefined } as const;
  mailer = new SmtpMailer({ host: '127.0.0.1', port: portOf(smtp.server), from: 'Slipway <slipway@example.test>', ...tls });
  app = await testApp({ outgoing: { allow: [RECEIVER, SILENT] }, mailer });
  worker = newWorker();
  worker.start();
});
afterAll(async () => {
  await worker.stop();
  await app.close();
  await mailer.close();
  for (const server of [receiver, silent]) {
    server.closeAllConnections();
    server.close();
  }
  await new Promise<void>((resolve) => smtp.close(resolve));
});
beforeEach(async () => {
  for (const table of ['notification_channel', 'notification_event', 'notice']) await app.database.pool.query(`delete from ${table}`);
  [mails, received, answers, refusal, slownessMs] = [[], [], {}, undefined, 0];
});

const url = (path: string): string => `http://${RECEIVER}:${portOf(receiver)}${path}`;
const create = async (name: string, kind: string, address: string): Promise<NotificationChannel & { secret: string | null }> => {
  const answer = await app.call('owner', notificationChannelCreate, { params, body: { name, kind, address } });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body as NotificationChannel & { secret: string | null };
};
let serial = 0;
const flush = async (): Promise<void> => {
  await expandEvents(app.database.db, log);
  worker.lookAround();
};
const announce = (context: object = {}): Promise<void> =>
  notify(app.database.db, {
    id: `event-${serial++}`,
    type: 'pipeline.failed',
    entity: `service:berth/development/berth-${serial}`,
    team: 'cranes',
    context: { pipeline: 'Deploy', name: 'berth', place: '', step: 'Start instances', ...context },
    path: '/app/berth',
  });
const say = async (context: object = {}): Promise<void> => {
  await announce(context);
  await flush();
};
const deliveries = async (): Promise<NotificationDelivery[]> =>
  ((await app.call('member', notificationDeliveryList, { params })).body as { content: NotificationDelivery[] }).content;
const channels = async (): Promise<NotificationChannel[]> =>
  (await app.call('member', notificationChannelList, { params })).body as NotificationChannel[];
const until = { timeout: PATIENCE_MS, interval: 100 };
const tried = (tries: number) => expect.poll(async () => (await deliveries())[0]?.tries, until).toBe(tries);
const header = ({ headers }: Received, name: string): string => String(headers[name]);

test('e-mail reaches the mail server, with the event and a link', async () => {
  await create('Mail', 'EMAIL', 'cranes@example.test');
  // Without a nudge: the platform's own loops find it.
  await announce({ name: 'berth\r\nBcc: spy@example.test' });
  await expect.poll(() => mails.length, until).toBe(1);
  expect(mails[0]?.to).toEqual(['cranes@example.test']);
  expect(mails[0]?.text).toMatch(/^From: Slipway <slipway@example\.test>\r\nTo: cranes@example\.test\r\n/m);
  expect(mails[0]?.text).not.toMatch(/^Bcc:/m);
  expect(mails[0]?.text).toContain('Deploy failed for berth Bcc: spy@example.test');
  expect(mails[0]?.text).toContain(`${app.url}/app/berth`);
  await expect.poll(async () => await deliveries(), until).toMatchObject([{ state: 'DELIVERED', answer: expect.stringContaining('250') }]);
});

test.each([
  [550, 'no such mailbox', 'MAIL_REJECTED'],
  [451, 'try again later', 'MAIL_UNAVAILABLE'],
])('a mail server that answers %i makes the channel failing: %s, %s', async (responseCode, text, failure) => {
  refusal = { responseCode, text };
  await create('Mail', 'EMAIL', 'cranes@example.test');
  await say();
  await tried(1);
  expect(await deliveries()).toMatchObject([{ state: 'PENDING', failure, maxTries: 6, answer: expect.stringContaining(text) }]);
  expect(await channels()).toMatchObject([
    { failingSince: expect.any(String), waiting: 1, nextTryAt: expect.any(String), lastDelivery: { failure } },
  ]);
});

test('a mail server that answers slowly is given up after ten seconds, with its connection', { timeout: PATIENCE_MS * 2 }, async () => {
  // Each answer comes within the time that one answer may take.
  slownessMs = 6000;
  await create('Mail', 'EMAIL', 'cranes@example.test');
  await say();
  await expect.poll(async () => (await deliveries())[0]?.tries, { ...until, timeout: PATIENCE_MS + 10_000 }).toBe(1);
  const [delivery] = await deliveries();
  expect(delivery).toMatchObject({ state: 'PENDING', failure: 'MAIL_UNAVAILABLE', answer: expect.stringMatching(/abort/i) });
  expect(delivery?.durationMs).toBeLessThan(11_500);
  await expect.poll(() => smtp.connections.size, { ...until, timeout: 1500 }).toBe(0);
  expect(mails).toEqual([]);
});

test('a webhook gets signed JSON', async () => {
  const { secret } = await create('Hook', 'WEBHOOK', url('/hook'));
  await say();
  await expect.poll(() => received.length, until).toBe(1);
  const [message] = received as [Received];
  const key = Buffer.from((secret ?? '').replace('whsec_', ''), 'base64');
  const content = `${header(message, 'webhook-id')}.${header(message, 'webhook-timestamp')}.${message.body}`;
  const signature = `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
  expect(header(message, 'x-slipway-signature')).toBe(signature);
  expect(header(message, 'webhook-signature')).toBe(signature);
  expect(JSON.parse(message.body)).toMatchObject({
    id: header(message, 'webhook-id'),
    event: 'pipeline.failed',
    isTest: false,
    notices: [{ type: 'pipeline.failed', title: 'Deploy failed for berth', url: `${app.url}/app/berth`, count: 1 }],
  });
});

test('Slack and Teams get their own formats, escaped and unsigned', async () => {
  await create('Slack', 'SLACK', url('/slack'));
  await create('Teams', 'TEAMS', url('/teams'));
  await say({ name: '<!channel> *berth*' });
  await expect.poll(() => received.length, until).toBe(2);
  const bodyAt = (at: string): Received | undefined => received.find(({ path }) => path === at);
  expect(JSON.parse(bodyAt('/slack')?.body ?? '{}')).toEqual({
    text: `*<${app.url}/app/berth|Deploy failed for &lt;!channel&gt; *berth*>*\nStopped at Start instances`,
  });
  const card = JSON.parse(bodyAt('/teams')?.body ?? '{}') as { attachments: { content: { body: { text: string }[] } }[] };
  expect(card.attachments[0]?.content.body[0]?.text).toBe(`[Deploy failed for <!channel> \\*berth\\*](${app.url}/app/berth)`);
  expect(received.flatMap(({ headers }) => headers['x-slipway-signature'] ?? [])).toEqual([]);
});

test('a refused delivery is retried with the same id after one minute, and fails after the sixth try', async () => {
  answers['/down'] = 503;
  const { id } = await create('Hook', 'WEBHOOK', url('/down'));
  await say();
  await tried(1);
  const [waiting] = await deliveries();
  const seconds = (Date.parse(waiting?.nextTryAt ?? '') - Date.now()) / 1000;
  expect(seconds).toBeGreaterThan(55);
  expect(seconds).toBeLessThan(67);
  expect(await channels()).toMatchObject([{ failingSince: expect.any(String), lastDelivery: { status: 503, failure: 'STATUS' } }]);
  await app.database.pool.query(`update notification_delivery set tries = 5, next_try_at = now()`);
  await flush();
  await tried(6);
  expect(await deliveries()).toMatchObject([{ state: 'FAILED', nextTryAt: null }]);
  expect(new Set(received.map((one) => header(one, 'webhook-id'))).size).toBe(1);
  answers = {};
  await say();
  await expect.poll(async () => (await channels())[0]?.failingSince, until).toBeNull();
  expect(id).toBe((await channels())[0]?.id);
});

test('a notice that comes while a digest is sent goes into another one', async () => {
  const { id } = await create('Hook', 'WEBHOOK', url('/digest'));
  await app.call('owner', notificationChannelUpdate, {
    params: { ...params, channel: id },
    body: { cadences: { 'pipeline.failed': 'DAILY' } },
  });
  await say();
  const { rows } = await app.database.pool.query<DueDelivery>('select * from notification_delivery');
  const channel = await app.database.pool.query<ChannelRow>('select * from notification_channel');
  const [due, target] = [rows[0] as DueDelivery, channel.rows[0] as ChannelRow];
  // Before the outcome is recorded.
  expect(await kind().send(target, due)).toMatchObject({ status: 204 });
  await say();
  await app.database.pool.query(`update notification_delivery set next_try_at = now() where id <> $1`, [due.id]);
  await flush();
  await expect.poll(() => received.length, until).toBe(2);
  const noticesIn = received.map(({ body }) => (JSON.parse(body) as { notices: { id: string }[] }).notices.map((notice) => notice.id));
  expect(noticesIn.map(({ length }) => length)).toEqual([1, 1]);
  expect(noticesIn[0]).not.toEqual(noticesIn[1]);
});

test('a new address gets at once what waited for the old one', async () => {
  answers['/gone'] = 410;
  const { id } = await create('Hook', 'WEBHOOK', url('/gone'));
  await say();
  await tried(1);
  await app.call('owner', notificationChannelUpdate, { params: { ...params, channel: id }, body: { address: url('/new') } });
  await flush();
  await expect.poll(() => received.map(({ path }) => path), until).toEqual(['/gone', '/new']);
});

test('dead receivers delay nobody else', async () => {
  const dead = `http://${SILENT}:${portOf(silent)}`;
  for (let count = 0; count < 12; count += 1) await create(`Dead ${count}`, 'WEBHOOK', `${dead}/${count}`);
  const connections = () => new Promise<number>((resolve) => silent.getConnections((_, count) => resolve(count)));
  await say();
  await expect.poll(connections, until).toBeGreaterThanOrEqual(12);
  await create('Live', 'WEBHOOK', url('/live'));
  await create('Mail', 'EMAIL', 'cranes@example.test');
  await say();
  const at = Date.now();
  await expect.poll(() => [received.length, mails.length], until).toEqual([1, 1]);
  // The dead receivers hold their connections for ten.
  expect(Date.now() - at).toBeLessThan(3000);
});

test('two more replicas share the work, and none sends a delivery twice', async () => {
  for (let count = 0; count < 6; count += 1) await create(`Hook ${count}`, 'WEBHOOK', url(`/hook-${count}`));
  const replicas = [newWorker(), newWorker()];
  for (const replica of replicas) replica.start();
  try {
    for (let count = 0; count < 10; count += 1) await announce();
    await flush();
    for (const replica of replicas) replica.lookAround();
    await expect.poll(async () => (await deliveries()).every(({ state }) => state === 'DELIVERED'), until).toBe(true);
    await expect.poll(() => received.length, until).toBe(60);
    expect(new Set(received.map((one) => header(one, 'webhook-id'))).size).toBe(60);
  } finally {
    for (const replica of replicas) await replica.stop();
  }
});

test('a delivery of a worker that died is sent by another one', async () => {
  const { id } = await create('Hook', 'WEBHOOK', url('/left'));
  await app.database.pool.query(
    `update notification_channel set lease = 'of_the_dead', leased_until = now() + interval '1 second' where id = $1`,
    [id],
  );
  await say();
  await expect.poll(async () => (await deliveries())[0]?.state, until).toBe('DELIVERED');
});

test('a test reports what the receiver answered, and the log marks it', async () => {
  answers['/tested'] = 418;
  const { id } = await create('Hook', 'WEBHOOK', url('/tested'));
  const answer = await app.call('owner', notificationChannelTest, { params: { ...params, channel: id } });
  expect(answer.body).toEqual({ status: 418, failure: 'STATUS', durationMs: expect.any(Number) });
  expect(JSON.parse(received[0]?.body ?? '{}')).toMatchObject({ event: 'TEST', isTest: true, notices: [] });
  expect(await deliveries()).toMatchObject([{ event: 'TEST', title: 'Test', state: 'FAILED', tries: 1, maxTries: 1 }]);
});
