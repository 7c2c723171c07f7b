// @long: starts, ends and kills programs
/**
 * kill -9 of the broker alone, and of broker and server, while clients write and read and pipelines change what they use: nothing that was
 * acknowledged is lost or doubled, groups go on where they were, the platform brings the broker back, and its pipelines wait for it.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountCreate } from '@slipway/contract/streaming/account.ts';
import { accountFormerPasswordEnd, accountRotate } from '@slipway/contract/streaming/account-password.ts';
import { topicUpdate } from '@slipway/contract/streaming/topic.ts';
import { PATIENCE_MS, roundsOf } from '#testing/patience.ts';
import { KafkaLoad } from './streaming/kafka-load.ts';
import { KilledPlatform, place, topicLists, topicSpec } from './streaming/killed-platform.ts';

const KILLS = roundsOf(20, 2);
/** Number of messages that are acknowledged between two kills. */
const BETWEEN = 100;

let on: KilledPlatform;
let load: KafkaLoad;
/** Milliseconds from a kill to the next acknowledgement. */
const recoveries: number[] = [];
/** Milliseconds that the platform took to end. */
const ends: number[] = [];

beforeAll(async () => {
  on = await KilledPlatform.open();
  await on.completed(await on.send(accountCreate, {}, { name: 'loader', ...topicLists(['orders'], ['orders']) }));
  await on.completed(await on.make.account('turning'));
  load = new KafkaLoad(on.kafkaPort, { topic: 'berth.orders', user: 'berth.loader', password: await on.takePassword('loader') });
  await load.start();
});
afterAll(async () => {
  if (recoveries.length > 0) {
    const sorted = recoveries.toSorted((one, other) => one - other);
    console.log(
      `${recoveries.length} kills, ${load.acknowledged.length} acknowledged messages; until the next one was acknowledged: ` +
        `${sorted[Math.floor(sorted.length / 2)]} ms in the middle, ${sorted.at(-1)} ms at most; ends within ${ends.join(' and ')} ms`,
    );
  }
  await on?.close();
});

const topicNamed = (round: number): string => `loaded${String.fromCharCode(97 + round)}`;
/** Changes that are under way while the broker dies. Each function starts one change and returns its pipeline ID. */
const works: readonly ((round: number) => Promise<string>)[] = [
  (round) => on.make.topic(topicNamed(round)),
  (round) =>
    on.send(topicUpdate, { topic: 'moves' }, { description: `Of round ${round}`, spec: { ...topicSpec, retentionHours: 25 + round } }),
  () => on.send(accountRotate, { account: 'turning' }, { overlapHours: 1 }),
  (round) => on.remove.topic(topicNamed(round - 3)),
];

test.each(Array.from({ length: KILLS }, (_, round) => round))('kill -9 of the broker under load, round %i', async (round) => {
  await load.more(BETWEEN);
  const pipelineId = await works[round % works.length]?.(round);
  // Every fifth time its server dies with it.
  const isBoth = round % 5 === 4;
  await on.killBroker();
  const killedAt = performance.now();
  if (isBoth) {
    await on.server.end('SIGKILL');
    await on.start();
  }
  await load.more(1);
  recoveries.push(Math.round(performance.now() - killedAt));
  await on.completed(pipelineId ?? '');
  if (round % works.length === 2) await on.server.call(accountFormerPasswordEnd, { params: { ...place, account: 'turning' } });
  await on.expectExact();
});

test.skipIf(process.platform !== 'linux')('nobody who asks whether the platform is ready waits for a broker that hangs', async () => {
  const pid = await on.brokerPid();
  process.kill(pid, 'SIGSTOP');
  const since = performance.now();
  const answer = await fetch(`http://127.0.0.1:${on.server.port}/readyz`);
  const tookMs = performance.now() - since;
  process.kill(pid, 'SIGCONT');
  expect([answer.status, await answer.json()]).toMatchObject([200, { checks: { streaming: 'low' } }]);
  // A request to the broker itself is given up after 20 s.
  expect(tookMs).toBeLessThan(15_000);
  await load.more(1);
});

test.each(['SIGTERM', 'SIGINT'] as const)('the platform ends at once by %s while clients are connected', async (signal) => {
  await load.more(BETWEEN);
  const since = performance.now();
  expect(await on.server.end(signal)).toBe(0);
  ends.push(Math.round(performance.now() - since));
  expect(ends.at(-1)).toBeLessThan(PATIENCE_MS / 4);
  await on.start();
  await load.more(1);
});

test('nothing that was acknowledged is lost or doubled, and the group has read it', async () => {
  await load.stopWriting();
  const there = await load.everything();
  const known = new Set(there);
  expect(load.acknowledged.filter((value) => !known.has(value))).toEqual([]);
  expect(there).toHaveLength(known.size);
  expect(load.acknowledged.length).toBeGreaterThan(KILLS * BETWEEN);
  await load.untilRead();
  await load.close();
});
