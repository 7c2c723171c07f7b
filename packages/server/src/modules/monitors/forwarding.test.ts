/** Forwarding to an OTLP endpoint: what it gets, retries, and what happens if it stays away. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { monitorForward, monitorView, type Monitor } from '@slipway/contract/monitoring/monitor.ts';
import { failure, monitorWorld, payloadOf, vital, type MonitorWorld } from './monitors.fixture.ts';

const HOST = '127.0.0.2';
interface Got {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: string;
}
let world: MonitorWorld;
let got: Got[] = [];
/** Statuses of the next answers; 200 after them. */
let answers: number[] = [];
const receiver = http.createServer((request, response) => {
  const parts: Buffer[] = [];
  request
    .on('data', (part: Buffer) => parts.push(part))
    .on('end', () => {
      got.push({ path: request.url ?? '', authorization: request.headers.authorization, body: Buffer.concat(parts).toString() });
      response.writeHead(answers.shift() ?? 200).end('{}');
    });
});
let url = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, HOST, resolve));
  url = `http://${HOST}:${(receiver.address() as AddressInfo).port}`;
  world = await monitorWorld({ outgoing: { allow: [HOST] }, collector: { foldMs: 50, retryMs: [20, 20] } });
});
afterAll(async () => {
  await world?.app.close();
  receiver.close();
});
beforeEach(() => {
  got = [];
  answers = [];
});
const forwarding = async (name: string): Promise<Monitor> => {
  await world.make(name);
  return world.call<Monitor>('member', monitorForward, {
    params: { monitor: name },
    body: { url: `${url}/otlp/`, authorization: 'Bearer otlp-secret' },
  });
};
const state = async ({ name }: Monitor) => (await world.call<Monitor>('member', monitorView, { params: { monitor: name } })).forwarding;

test('sends logs and traces, with the authorization that nobody can read', async () => {
  const monitor = await forwarding('all');
  expect(JSON.stringify(monitor)).not.toContain('otlp-secret');
  const traces = { resourceSpans: [{ scopeSpans: [{ spans: [{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), name: 'HTTP GET' }] }] }] };
  await world.send(monitor, payloadOf('f', { measurements: [vital('lcp', 900)], exceptions: [failure('boom')], traces }));
  await world.until(async () => expect(got.map(({ path }) => path)).toEqual(['/otlp/v1/logs', '/otlp/v1/traces']));
  expect(got.map(({ authorization }) => authorization)).toEqual(['Bearer otlp-secret', 'Bearer otlp-secret']);
  const [logs, spans] = got.map(({ body }) => JSON.parse(body));
  expect(logs.resourceLogs[0].scopeLogs[0].logRecords).toHaveLength(2);
  expect(JSON.stringify(logs)).not.toContain('olga@example.test');
  expect(spans).toEqual(traces);
});

test('tries again, and reports an endpoint that stays away', async () => {
  const monitor = await forwarding('tries');
  answers = [503, 429];
  await world.send(monitor, payloadOf('f', { measurements: [vital('lcp', 900)] }));
  await world.until(async () => expect(got).toHaveLength(3));
  await world.until(async () => expect(await state(monitor)).toMatchObject({ failingSince: null, dropped: 0 }));
  answers = [503, 503, 503];
  await world.send(monitor, payloadOf('f', { measurements: [vital('lcp', 900)] }));
  await world.until(async () => expect(await state(monitor)).toMatchObject({ failure: 'STATUS', dropped: 1 }));
  expect(got).toHaveLength(6);
  answers = [400];
  await world.send(monitor, payloadOf('f', { measurements: [vital('lcp', 900)] }));
  await world.until(async () => expect(await state(monitor)).toMatchObject({ dropped: 2 }));
  expect(got).toHaveLength(7);
});

test('checks the address again with every call, and keeps the header for the same URL only', async () => {
  const monitor = await forwarding('inside');
  await world.app.database.pool.query(`update monitor set forward_url = 'http://127.0.0.1:4318' where name = 'inside'`);
  await world.call('member', monitorForward, { params: { monitor: 'tries' }, body: { url: null } });
  await world.send(monitor, payloadOf('f', { measurements: [vital('lcp', 900)] }));
  await world.until(async () => expect(await state(monitor)).toMatchObject({ failure: 'REFUSED_ADDRESS', dropped: 1 }));
  const same = await world.call<Monitor>('member', monitorForward, { params: { monitor: 'all' }, body: { url: `${url}/otlp/` } });
  expect(same.forwarding?.hasAuthorization).toBe(true);
  const moved = await world.call<Monitor>('member', monitorForward, { params: { monitor: 'all' }, body: { url } });
  expect(moved.forwarding?.hasAuthorization).toBe(false);
});
