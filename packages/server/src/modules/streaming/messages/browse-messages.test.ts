/** Searches for a key among many messages: in few calls, with progress, and resumable. */
import { expect, test } from 'vitest';
import type { StreamMessage } from '#ports/streaming.ts';
import { MemoryStreaming } from '#testing/streaming/memory-streaming.ts';
import { browseMessages, type Browsing, type Found } from './browse-messages.ts';

const COUNT = 200_000;
const topic = 'berth.many';
const rare = Buffer.from('rare');
const usual = Buffer.from('usual');
const cluster = new MemoryStreaming();
cluster.make({ name: topic, partitions: 2, replication: 1, configs: {} });
for (const [partition, messages] of (cluster.topics.get(topic)?.partitions ?? []).entries())
  for (let offset = 0; offset < COUNT; offset += 1) {
    const message = { partition, offset: BigInt(offset), timestamp: new Date(offset), value: null, headers: [] };
    messages.push({ ...message, key: offset === 5 && partition === 0 ? rare : usual } satisfies StreamMessage);
  }

let calls = 0;
const port = new Proxy(cluster.port, {
  get(target, name) {
    if (name === 'browse') calls += 1;
    return Reflect.get(target, name, target) as unknown;
  },
});
const ask = (query: Partial<Browsing['query']>, key?: Buffer): Promise<Found> =>
  browseMessages(port, { environment: 'development', topic, query: { from: 'NEWEST', limit: 50, ...query }, key });
const all = async (query: Partial<Browsing['query']>, key: Buffer, isEnough: (found: Found) => boolean): Promise<Found[]> => {
  const answers = [await ask(query, key)];
  for (let last = answers[0]; last && last.next !== null && !isEnough(last); last = answers.at(-1))
    answers.push(await ask({ ...query, next: last.next }, key));
  return answers;
};
const isFound = ({ messages }: Found): boolean => messages.length > 0;

test('backwards: stretches grow, every message is looked at once, and what is left shrinks to nothing', async () => {
  calls = 0;
  const answers = await all({}, rare, isFound);
  expect(answers.at(-1)).toMatchObject({ messages: [{ offset: 5n, key: rare }] });
  expect(answers.reduce((sum, { scanned }) => sum + scanned, 0)).toBe(2 * COUNT);
  for (const { scanned, left, isPartial } of answers.slice(0, -1)) {
    expect(isPartial).toBe(true);
    expect(scanned).toBeGreaterThan(0);
    expect(left).toBeGreaterThan(0);
  }
  // Stretches of 500, 2,000, 8,000, 32,000 and then 75,000 offsets. Fifty at a time would need four thousand calls.
  expect(calls).toBeLessThan(12);
});

test('a usual key fills a page with the newest, and the next page goes on before them', async () => {
  const first = await ask({}, usual);
  expect(first.messages).toHaveLength(50);
  expect(first.messages[0]?.offset).toBe(BigInt(COUNT - 1));
  const second = await ask({ next: first.next ?? '' }, usual);
  const pages = [...first.messages, ...second.messages].map(({ partition, offset }) => `${partition}/${offset}`);
  expect(new Set(pages).size).toBe(100);
  expect(second.messages.at(-1)?.offset).toBe(BigInt(COUNT - 50));
});

test('without a key one call brings a page, however many partitions there are', async () => {
  calls = 0;
  const first = await ask({});
  expect(first).toMatchObject({ scanned: 100, left: 2 * COUNT - 50 });
  await ask({ next: first.next ?? '' });
  expect(calls).toBe(2);
  await ask({ from: 'OFFSET', offset: '1000' });
  expect(calls).toBe(3);
});

test.each([{ from: 'OLDEST' }, { from: 'NEWEST' }] as const)(
  'what is damaged is named once, in the page where it lies: %o',
  async (query) => {
    const damaged = { topic: 'berth.damaged', partition: 1, fromOffset: 4n, toOffset: 11n, reason: 'checksum' } as const;
    cluster.make({ name: damaged.topic, partitions: 2, replication: 1, configs: {} });
    for (let count = 0; count < 40; count += 1)
      cluster.produce(damaged.topic, { partition: count % 2, key: null, value: null }, new Date(count));
    cluster.damaged = [damaged];
    const seen: string[] = [];
    for (let next: string | null | undefined; next !== null;) {
      const asked = { ...query, limit: 6, ...(next === undefined ? {} : { next }) };
      const found = await browseMessages(port, { environment: 'development', topic: damaged.topic, query: asked, key: undefined });
      seen.push(...found.messages.map(({ partition, offset }) => `${partition}/${offset}`));
      for (const { partition, fromOffset, toOffset, reason } of found.skipped)
        for (let offset = fromOffset; offset <= toOffset; offset += 1n) seen.push(`${partition}/${offset} ${reason}`);
      ({ next } = found);
    }
    cluster.damaged = [];
    cluster.topics.delete(damaged.topic);
    const isDamaged = (partition: number, offset: number): boolean => partition === 1 && offset >= 4 && offset <= 11;
    const all = [0, 1].flatMap((partition) =>
      Array.from({ length: 20 }, (_, offset) => `${partition}/${offset}${isDamaged(partition, offset) ? ' checksum' : ''}`),
    );
    expect(seen.toSorted()).toEqual(all.toSorted());
  },
);

test('where to go on is checked', async () => {
  for (const cursor of ['{"b":true,"at":{"0":"1"},"s":0}', '{"b":true,"at":{"0":"1"},"s":1.5}', '{"b":true,"at":{"0":-1}}'])
    await expect(ask({ next: Buffer.from(cursor).toString('base64url') })).rejects.toMatchObject({ code: 'InvalidValue' });
});
