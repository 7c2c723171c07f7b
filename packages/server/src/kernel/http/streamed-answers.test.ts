/** Answers that a handler streams itself: to their end, and to clients that leave before it. */
import { once } from 'node:events';
import http from 'node:http';
import type net from 'node:net';
import { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import fastify from 'fastify';
import * as z from 'zod/mini';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { route } from '@slipway/contract/kernel/kernel.ts';
import { FloodGate } from './flood-gate.ts';
import { handle } from './handle.ts';
import { mountRoutes } from './mount.ts';

const bargeList = route({
  id: 'bargeList',
  method: 'GET',
  path: '/barges',
  summary: 'Lists barges, also as text',
  tag: 'Barges',
  access: 'public',
  response: z.object({ barges: z.number() }),
  codes: [],
});
let [lines, closed, logged] = [0, 0, ''];
async function* endless(): AsyncGenerator<string> {
  try {
    for (let line = 0; line < lines; line++) {
      yield `barge ${line}\n`;
      await delay(1);
    }
  } finally {
    closed++;
  }
}
const log = new Writable({
  write: (chunk, _encoding, done) => {
    logged += String(chunk);
    done();
  },
});
const server = fastify({ logger: { level: 'warn', stream: log } });
let url = '';
beforeAll(async () => {
  const streamed = handle(bargeList, async ({ reply }) => reply.type('text/plain').send(Readable.from(endless())));
  mountRoutes(server, [streamed], {
    log: { debug() {}, info() {}, warn() {}, error() {} },
    authenticate: async () => undefined,
    scopes: {},
    idempotency: { once: (_request, work) => work(), past: async () => undefined, made: async () => [] },
    runOf: async () => undefined,
    floods: new FloodGate(),
    isStrict: true,
  });
  await server.listen({ port: 0, host: '127.0.0.1' });
  url = `http://127.0.0.1:${(server.server.address() as net.AddressInfo).port}/barges`;
});
afterAll(() => server.close());

test('an answer arrives whole, and nothing is logged', async () => {
  [lines, closed, logged] = [3, 0, ''];
  expect(await (await fetch(url)).text()).toBe('barge 0\nbarge 1\nbarge 2\n');
  await expect.poll(() => closed).toBe(1);
  await delay(20);
  expect(logged).toBe('');
});

test('a client that leaves ends the reading, and nothing is logged', async () => {
  [lines, closed, logged] = [Infinity, 0, ''];
  const request = http.get(url);
  const [answer] = (await once(request, 'response')) as [http.IncomingMessage];
  await once(answer, 'data');
  request.destroy();
  await expect.poll(() => closed).toBe(1);
  await delay(20);
  expect(logged).toBe('');
});
