/** The audit log, forwarded to real receivers: order, outages, several workers, limits, and what operators see. */
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { operationsView, type Operations } from '@slipway/contract/operations.ts';
import { auditReceiverOf } from '#adapters/audit/audit-receiver.ts';
import { readExposition } from '#testing/exposition.ts';
import { freePort } from '#testing/free-port.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import type { AuditReceiver } from '#ports/audit-receiver.ts';
import { recordActivity } from '../activity.sql.ts';
import { AuditForwarder } from './audit-forwarder.ts';
import { setForwarding, takeQueue } from './waiting.sql.ts';

const warnings: string[] = [];
const log = {
  debug() {},
  error() {},
  warn: (_: object, text: string) => warnings.push(text),
  info: (_: object, text: string) => warnings.push(text),
};
let app: TestApp;
let port: number;
let receiver: AuditReceiver;
let server: net.Server | undefined;
/** Bodies or connections, each with its text. */
let received: string[] = [];
let isRefusing = false;
const forwarders: AuditForwarder[] = [];

beforeAll(async () => {
  port = await freePort();
  receiver = auditReceiverOf({ url: `http://127.0.0.1:${port}/in`, authorization: 'Bearer hunter-secret', sender: 'slipway.example.com' });
  app = await testApp({ isWorker: false, adapt: (adapters) => ({ ...adapters, auditReceiver: receiver }) });
});
afterEach(async () => {
  for (const forwarder of forwarders.splice(0)) await forwarder.stop();
  await stopServer();
  [received, isRefusing, warnings.length] = [[], false, 0];
  await app.database.pool.query(
    'delete from audit_waiting; update audit_forward set is_on = false, lease = null, leased_until = null, tries = 0, next_try_at = null, failing_since = null, failure = null',
  );
});
afterAll(() => app?.close());

const stopServer = async (): Promise<void> => {
  const closing = server;
  server = undefined;
  if (closing instanceof http.Server) closing.closeAllConnections();
  if (closing) await new Promise((resolve) => closing.close(resolve));
};
const listen = async (of: net.Server): Promise<void> => {
  server = of;
  await once(of.listen(port, '127.0.0.1'), 'listening');
};
const httpServer = (): Promise<void> =>
  listen(
    http.createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (part: string) => (body += part));
      request.on('end', () => {
        const isKnown = request.headers.authorization === 'Bearer hunter-secret' && !isRefusing;
        if (isKnown && body !== '') received.push(body);
        response.writeHead(isKnown ? 204 : 403).end();
      });
    }),
  );
const syslogServer = (): Promise<void> =>
  listen(
    net.createServer((socket) => {
      let text = '';
      socket.setEncoding('utf8').on('data', (part: string) => (text += part));
      socket.on('end', () => received.push(text)).on('error', () => {});
    }),
  );

/** Takes the lease as another worker does. */
const start = async (of: AuditReceiver | undefined = receiver): Promise<AuditForwarder> => {
  const forwarder = new AuditForwarder(app.database.db, of, log);
  forwarders.push(forwarder);
  await forwarder.start();
  return forwarder;
};
const write = async (...messages: readonly string[]): Promise<void> => {
  for (const message of messages)
    await recordActivity(app.database.db, {
      type: 'serviceUpdate',
      reason: 'Changed',
      message,
      actor: { id: 'olga', displayName: 'Olga Owner' },
      origin: 'console',
      outcome: 'DONE',
    });
};
const entries = (): { id: string; message: string; isCut: boolean; before: unknown }[] =>
  received.flatMap((text) => text.trim().split('\n')).map((line) => JSON.parse(line));
const messages = (): string[] => entries().map(({ message }) => message);
const waiting = async (): Promise<number> => Number((await app.database.pool.query('select count(*) from audit_waiting')).rows[0].count);
const forwardRow = async () => (await app.database.pool.query('select * from audit_forward')).rows[0];
const retryNow = () => app.database.pool.query('update audit_forward set next_try_at = null');

test('an entry reaches the receiver as one line of JSON', async () => {
  await httpServer();
  await start();
  await write('Olga changes “größe”');
  await start();
  await expect.poll(messages).toEqual(['Olga changes “größe”']);
  expect(received.join('')).toMatch(/^[\x20-\x7e\n]+$/);
  expect(entries()[0]).toMatchObject({ type: 'serviceUpdate', actor: { id: 'olga' }, outcome: 'DONE', isCut: false, traceId: null });
  await expect.poll(waiting).toBe(0);
});

test('a receiver that was dead gets everything afterwards, in order, and operators see why it waited', async () => {
  await start();
  await write('one', 'two');
  await start();
  await expect.poll(async () => (await forwardRow()).tries).toBe(1);
  expect(await forwardRow()).toMatchObject({ failure: expect.stringContaining('ECONNREFUSED'), lease: null });
  const look = async () => (await app.call('administrator', operationsView)).body as Operations;
  const seen = await look();
  expect(seen.engines.find(({ id }) => id === 'auditReceiver')).toMatchObject({
    technology: 'http',
    state: 'FAILED',
    failure: expect.stringContaining('ECONNREFUSED'),
  });
  expect(seen.queues.find(({ id }) => id === 'audit')).toMatchObject({ count: 2 });
  const metrics = readExposition(await (await fetch(`${app.url}/metrics`)).text());
  expect(metrics.get('slipway_queue_items')?.samples.find(({ labels }) => labels['queue'] === 'audit')).toMatchObject({ value: 2 });
  // The platform goes on.
  await write('three');
  await httpServer();
  // Not before its time.
  await start();
  expect(received).toEqual([]);
  await retryNow();
  await start();
  await expect.poll(messages).toEqual(['one', 'two', 'three']);
  await expect.poll(forwardRow).toMatchObject({ failure: null, tries: 0, failing_since: null });
  expect(warnings).toContain('The audit log cannot be forwarded; its entries wait');
});

test('refused credentials are named, and never shown', async () => {
  await httpServer();
  isRefusing = true;
  await start();
  await write('one');
  await start();
  await expect.poll(async () => (await forwardRow()).failure).toBe('It refuses the credentials (403)');
  expect(warnings.join()).not.toContain('hunter');
});

test('syslog gets more entries than one batch holds, in order, and a receiver that dies in between loses none', async () => {
  const syslog = auditReceiverOf({ url: `tcp://127.0.0.1:${port}`, authorization: undefined, sender: 'slipway.example.com' });
  const all = Array.from({ length: 230 }, (_, number) => `entry ${number}`);
  await start(syslog);
  await write(...all);
  // Takes the connection, and dies without reading.
  await listen(net.createServer((socket) => void setImmediate(() => socket.resetAndDestroy())));
  await start(syslog);
  await expect.poll(async () => (await forwardRow()).tries).toBe(1);
  await stopServer();
  await syslogServer();
  await retryNow();
  await start(syslog);
  await expect.poll(waiting).toBe(0);
  expect(received).toHaveLength(3);
  let text = received.join('');
  const found: string[] = [];
  while (text !== '') {
    const [length = '', count = '0'] = /^(\d+) /.exec(text) ?? [];
    const frame = text.slice(length.length, length.length + Number(count));
    text = text.slice(length.length + Number(count));
    const [, json = ''] = /^<110>1 \S+Z slipway\.example\.com slipway - serviceUpdate - (\{.*\})$/.exec(frame) ?? [];
    found.push(JSON.parse(json).message);
  }
  expect(found).toEqual(all);
});

test('one worker sends at a time, and another one takes over when its lease has expired', async () => {
  const { db } = app.database;
  await setForwarding(db, true);
  await write('one');
  expect(await takeQueue(db, 'first')).toBe(true);
  expect(await takeQueue(db, 'second')).toBe(false);
  await httpServer();
  await start();
  expect(received).toEqual([]);
  await app.database.pool.query(`update audit_forward set leased_until = now() - interval '1 second'`);
  await start();
  await expect.poll(messages).toEqual(['one']);
});

test('a transaction that commits late is not skipped', async () => {
  await httpServer();
  await start();
  const late = await app.database.pool.connect();
  await late.query('begin');
  await late.query(`insert into activity (id, type, reason, level, message, actor_id, actor_name, origin, outcome)
    values ('act_late', 'appUpdate', 'Changed', 'INFO', 'late', 'olga', 'Olga', 'console', 'DONE')`);
  await write('early');
  await start();
  await expect.poll(messages).toEqual(['early']);
  await late.query('commit');
  late.release();
  await start();
  await expect.poll(messages).toEqual(['early', 'late']);
});

test('without a receiver nothing is queued, and what waited stays', async () => {
  await setForwarding(app.database.db, true);
  await write('one');
  const without = new AuditForwarder(app.database.db, undefined, log);
  await without.start();
  await write('two');
  await without.stop();
  expect(await waiting()).toBe(1);
});

test('no entry is longer than its limit', async () => {
  await httpServer();
  await start();
  const entry = { type: 'x', reason: 'Changed', actor: { id: 'o', displayName: 'O' }, origin: 'console', outcome: 'DONE' } as const;
  await recordActivity(app.database.db, { ...entry, message: 'large', before: { text: 'ü'.repeat(30_000) } });
  await recordActivity(app.database.db, { ...entry, message: '€'.repeat(30_000), actor: { id: 'o', displayName: '€'.repeat(30_000) } });
  await start();
  await expect
    .poll(() => entries())
    .toMatchObject([
      { message: 'large', isCut: true, before: null },
      { message: '€'.repeat(500), isCut: true },
    ]);
  for (const line of received.join('').trim().split('\n')) expect(line.length).toBeLessThan(receiver.maxBytes);
});
