// @long: starts, ends and kills programs
/** The program is killed while a target holds a delivery, and starts again: the delivery comes once more, with the same id, and none is lost. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applicationCreate } from '@slipway/contract/application.ts';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { webhookCreate, webhookDeliveryList, type WebhookDeliveryPage } from '@slipway/contract/registry/webhook.ts';
import type * as z from 'zod/mini';
import { Place } from '#testing/outliving.fixture.ts';
import type { Program } from '#testing/program.ts';

const RECEIVER = '127.0.0.2';
const params = { app: 'yard', env: 'development' };
let place: Place;
let program: Program;
let isHolding = true;
const ids: string[] = [];
let held: () => void = () => {};
const receiver = http.createServer((asked, answer) => {
  asked.resume().on('end', () => {
    ids.push(String(asked.headers['webhook-id']));
    if (isHolding) held();
    else answer.writeHead(204).end();
  });
});

const start = (): Promise<Program> => place.start({ SLIPWAY_OUTGOING_ALLOW: RECEIVER, SLIPWAY_RUNTIME_GRACE_SECONDS: '0' });

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, RECEIVER, resolve));
  place = await Place.open();
  program = await start();
  await program.makeTeam();
  const body = { id: 'yard', displayName: 'Yard', teamId: 'cranes' };
  await program.ended(((await program.call(applicationCreate, { body })) as PipelineRun).pipelineId);
}, 120_000);
afterAll(async () => {
  await place?.close();
  receiver.closeAllConnections();
  receiver.close();
}, 60_000);

test('kill -9 while a delivery is under way', { timeout: 120_000 }, async () => {
  const { port } = receiver.address() as AddressInfo;
  const webhook = { name: 'board', targetUrl: `http://${RECEIVER}:${port}/`, eventTypes: ['PUSH_ARTIFACT'] };
  await program.call(webhookCreate, { params, body: webhook });
  const reached = new Promise<void>((resolve) => (held = resolve));
  for (const tag of ['1', '2'])
    await place.rows(`select webhook_enqueue('yard', 'PUSH_ARTIFACT', 'ci', 'yard/api', '${tag}', null, 'localhost', '{}', '{}')`);
  await reached;
  await program.end('SIGKILL');
  isHolding = false;
  // As the time would.
  await place.rows('update webhook set leased_until = now() where lease is not null');
  program = await start();
  const log = async () =>
    ((await program.call(webhookDeliveryList, { params: { ...params, webhook: 'board' } })) as z.output<typeof WebhookDeliveryPage>)
      .content;
  await expect
    .poll(async () => (await log()).map(({ state }) => state), { timeout: 60_000, interval: 250 })
    .toEqual(['DELIVERED', 'DELIVERED']);
  expect(ids[1]).toBe(ids[0]);
  expect(new Set(ids)).toEqual(new Set((await log()).map(({ id }) => id)));
});
