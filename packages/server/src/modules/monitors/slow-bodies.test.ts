/** Bodies that arrive slowly, and payloads that are large after decompression: both are at the cost of their monitor alone. */
import http from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Monitor } from '@slipway/contract/monitoring/monitor.ts';
import { monitorWorld, ORIGIN, payloadOf, type MonitorWorld } from './monitors.fixture.ts';

const MEGABYTE = 1024 * 1024;
let world: MonitorWorld;
beforeAll(async () => {
  const limits = {
    bodyMs: 1500,
    readingPerSource: 4,
    waiting: { perSource: 2, inAll: 2 },
    burstBytes: 3 * MEGABYTE,
    bytesPerSecond: MEGABYTE / 16,
  };
  world = await monitorWorld({ collector: { foldMs: 50, limits } });
});
afterAll(() => world?.app.close());

/** Sends a part of a body, and resolves with the status of the answer. */
const sendPart = ({ appKey, apiKey }: Monitor): { readonly status: Promise<number | undefined> } => {
  const headers = { origin: ORIGIN, 'content-type': 'application/json', 'x-api-key': apiKey, 'content-length': '1000' };
  const request = http.request(`${world.app.url}/collect/${appKey}`, { method: 'POST', headers });
  request.write('{"meta":');
  const status = new Promise<number | undefined>((resolve, reject) => {
    request.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
  });
  return { status };
};

test('slow bodies hold up only their own monitor, and not for long', async () => {
  const [slow, other] = [await world.make('slow'), await world.make('other')];
  // The first payload of all makes partitions, which can take longer than a body may.
  for (const monitor of [slow, other]) expect((await world.send(monitor, payloadOf('first'))).status).toBe(202);
  const parts = Array.from({ length: 4 }, () => sendPart(slow));
  await world.until(async () => expect((await world.send(slow, payloadOf('slow'))).status).toBe(429));
  for (let turn = 0; turn < 3; turn++) expect((await world.send(other, payloadOf('other'))).status).toBe(202);
  expect(await Promise.all(parts.map(({ status }) => status))).toEqual([429, 429, 429, 429]);
  expect((await world.send(slow, payloadOf('slow'))).status).toBe(202);
});

test('counts the bytes after decompression against the rate', async () => {
  const [large, other] = [await world.make('large'), await world.make('calm')];
  const body = gzipSync(JSON.stringify(payloadOf('large', { padding: 'x'.repeat(1.9 * MEGABYTE) })));
  expect(body.length).toBeLessThan(10_000);
  const statuses = [];
  for (let turn = 0; turn < 3; turn++) statuses.push((await world.send(large, body)).status);
  expect(statuses).toEqual([202, 202, 429]);
  const refused = await world.send(large, payloadOf('large'));
  expect([refused.status, Number(refused.headers.get('retry-after')) > 1]).toEqual([429, true]);
  expect((await world.send(other, payloadOf('calm'))).status).toBe(202);
});
