import { gzipSync, zstdCompressSync } from 'node:zlib';
import { compressionsAlgorithms } from '@platformatic/kafka';
import { expect, test } from 'vitest';
import { errors } from '../../protocol/errors.ts';
import { batchOf, settingsOf } from '../batch.fixture.ts';
import { HEAD_BYTES, readHead, seal } from '../batch.ts';
import { checkBatch, checkRecords } from '../check-batch.ts';
import { bombRecords } from './opened.fixture.ts';
import { Turns } from './turns.ts';

const codecs = {
  gzip: gzipSync,
  snappy: compressionsAlgorithms.snappy.compressSync,
  lz4: compressionsAlgorithms.lz4.compressSync,
  zstd: zstdCompressSync,
};
type Codec = keyof typeof codecs;
const names = ['gzip', 'snappy', 'lz4', 'zstd'] as const;
const numbers: Record<Codec, number> = { gzip: 1, snappy: 2, lz4: 3, zstd: 4 };

/** Returns the batch with these bytes as its compressed records. */
const withBody = (batch: Buffer, codec: Codec, body: Buffer): Buffer => {
  const made = Buffer.concat([batch.subarray(0, HEAD_BYTES), body]);
  made.writeInt16BE(numbers[codec], 21);
  seal(made);
  return made;
};
const packed = (batch: Buffer, codec: Codec): Buffer => withBody(batch, codec, codecs[codec](batch.subarray(HEAD_BYTES)));
const withCount = (batch: Buffer, count: number): Buffer => {
  const made = Buffer.from(batch);
  made.writeInt32BE(count, 57);
  made.writeInt32BE(count - 1, 23);
  seal(made);
  return made;
};
const check = (batch: Buffer, configs: Record<string, string> = {}, turns = new Turns()) => {
  const settings = settingsOf({ 'max.message.bytes': '33000000', ...configs });
  return checkBatch(batch, settings, 1000) ?? checkRecords(batch, { settings, now: 1000, turns, principal: 'x' });
};
const codeOf = async (batch: Buffer, configs?: Record<string, string>): Promise<number | undefined> =>
  (await check(batch, configs))?.errorCode;
/** Text with some repetition, so that every codec emits copies. */
const texts = (count: number): { key: string; value: string }[] =>
  Array.from({ length: count }, (_, index) => ({
    key: `${index}`,
    value: `berth ${index % 7} `.repeat(index % 40) + 'x'.repeat(index % 300),
  }));

test.each(names)('%s: what clients pack is taken, in small batches and large ones', async (codec) => {
  for (const count of [1, 50, 5000]) expect(await check(packed(batchOf(texts(count)), codec)), `${count}`).toBeUndefined();
});

test.each(names)('%s: garbage, a cut end, bytes behind the end, and a wrong count are refused', async (codec) => {
  for (const count of [20, 5000]) {
    const plain = batchOf(texts(count));
    const body = packed(plain, codec).subarray(HEAD_BYTES);
    expect(await codeOf(withBody(plain, codec, Buffer.from('no such thing')))).toBe(errors.INVALID_RECORD);
    expect(await codeOf(withBody(plain, codec, body.subarray(0, -1)))).toBe(errors.INVALID_RECORD);
    expect(await codeOf(withBody(plain, codec, Buffer.concat([body, Buffer.from('more')])))).toBe(errors.INVALID_RECORD);
    for (const wrong of [count - 1, count + 1, 2_000_000])
      expect(await codeOf(withCount(packed(plain, codec), wrong))).toBe(errors.INVALID_RECORD);
  }
});

test('records that are not packed are looked at as well', async () => {
  const batch = batchOf(texts(3));
  expect(await codeOf(withCount(batch, 2))).toBe(errors.INVALID_RECORD);
  expect(await codeOf(withCount(batch, 4))).toBe(errors.INVALID_RECORD);
  const longer = Buffer.concat([batch, Buffer.alloc(5)]);
  seal(longer);
  expect(await codeOf(longer)).toBe(errors.INVALID_RECORD);
});

test('the largest time of a batch is put right', async () => {
  const batch = batchOf([{ timestamp: 400 }, { timestamp: 700 }, { timestamp: 600 }]);
  batch.writeBigInt64BE(5n, 35);
  seal(batch);
  expect(await check(batch)).toBeUndefined();
  expect(readHead(batch).maxTimestamp).toBe(700);
  expect(checkBatch(batch, settingsOf(), 1000)).toBeUndefined();
});

test('a time that the topic does not allow is found behind a head that is silent about it', async () => {
  const batch = batchOf([{ timestamp: 5_000_000 }, { timestamp: 900 }]);
  batch.writeBigInt64BE(900n, 35);
  seal(batch);
  expect(await codeOf(batch, { 'message.timestamp.after.max.ms': '1000' })).toBe(errors.INVALID_TIMESTAMP);
});

const bomb = (records: number): Buffer => {
  const { body, count } = bombRecords(records);
  return withCount(Buffer.concat([batchOf([{}]).subarray(0, HEAD_BYTES), body]), count);
};

test.each(names)(
  '%s: half a million records in a small batch are counted, while others are served',
  async (codec) => {
    const batch = packed(bomb(500_000), codec);
    const turns = new Turns();
    let longest = 0;
    let last = performance.now();
    const beat = setInterval(() => {
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
    }, 1);
    const checks = Array.from({ length: 2 }, () => check(Buffer.from(batch), { 'cleanup.policy': 'compact' }, turns));
    expect(await Promise.all(checks)).toEqual([undefined, undefined]);
    clearInterval(beat);
    expect(longest).toBeLessThan(1000);
  },
  60_000,
);

test('2.2 million records of seven bytes in 23 kB are refused by the second of them', async () => {
  const [count, record] = [2_200_000, Buffer.from([12, 0, 0, 0, 0, 1, 0])];
  const batch = withCount(withBody(batchOf([{}]), 'gzip', gzipSync(Buffer.alloc(count * record.length, record))), count);
  expect(batch.length).toBeLessThan(25_000);
  expect(await codeOf(batch, { 'cleanup.policy': 'compact' })).toBe(errors.INVALID_RECORD);
});

test('what unpacks to more than the limit is refused so that clients make smaller batches', async () => {
  const large = batchOf(Array.from({ length: 33 }, () => ({ value: 'x'.repeat(1024 * 1024) })));
  for (const codec of names) expect(await codeOf(packed(large, codec)), codec).toBe(errors.MESSAGE_TOO_LARGE);
}, 60_000);

test('clients take turns, however much one of them has waiting, and no one may hold too much', async () => {
  const turns = new Turns();
  const done: string[] = [];
  const work = (who: string) => turns.run(who, 1, async () => void done.push(who));
  await Promise.all([...Array.from({ length: 5 }, () => work('many')), work('few'), work('few')]);
  expect(done).toEqual(['many', 'many', 'few', 'many', 'few', 'many', 'many']);
  const first = turns.run('many', 1, () => new Promise<void>((resolve) => setImmediate(resolve)));
  await expect(turns.run('many', 65 * 1024 * 1024, async () => {})).rejects.toThrow();
  await first;
});

test('numbers that do not end, and lengths that disagree, throw nothing else', async () => {
  const batch = batchOf([{ key: 'k', value: 'v' }]);
  for (let at = HEAD_BYTES; at < batch.length; at += 1)
    for (const byte of [0x00, 0x01, 0x7f, 0x80, 0xff]) {
      const changed = Buffer.from(batch);
      changed[at] = byte;
      seal(changed);
      expect([undefined, errors.INVALID_RECORD, errors.INVALID_TIMESTAMP]).toContain(await codeOf(changed));
    }
});
