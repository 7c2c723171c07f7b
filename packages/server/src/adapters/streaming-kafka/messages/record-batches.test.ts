/** Batches from hostile or faulty clients: decompression bombs, damaged batches and aborted transactions. */
import { gzipSync } from 'node:zlib';
import { crc32c, createRecordsBatch } from '@platformatic/kafka';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readBatches } from './record-batches.ts';

type Compression = 'none' | 'gzip' | 'snappy' | 'lz4' | 'zstd';
const batchOf = (values: readonly Buffer[], compression: Compression = 'none', firstOffset = 0n): Buffer => {
  const messages = values.map((value) => ({
    topic: 'a.b',
    key: Buffer.from('k'),
    value,
    headers: new Map([[Buffer.from('h'), Buffer.from('v')]]),
  }));
  const batch = Buffer.from(createRecordsBatch(messages, { compression }).buffer);
  batch.writeBigInt64BE(firstOffset, 0);
  return batch;
};
/** Fixes the checksum, as a faulty client would. */
const sealed = (batch: Buffer): Buffer => {
  batch.writeUInt32BE(crc32c(batch.subarray(21)), 17);
  return batch;
};
const read = (...batches: readonly Buffer[]) =>
  [...readBatches(Buffer.concat(batches), 3)].map(({ messages, skipped, nextOffset }) => ({
    values: messages.map(({ offset, value }) => `${offset}=${Buffer.from(value ?? []).toString()}`),
    skipped,
    next: Number(nextOffset),
  }));
const text = (...texts: readonly string[]): Buffer[] => texts.map((one) => Buffer.from(one));

test('reads keys, values, headers, offsets and times', () => {
  const [batch] = [...readBatches(batchOf(text('a', 'b'), 'none', 7n), 3)];
  expect(batch).toMatchObject({ firstOffset: 7n, nextOffset: 9n, control: undefined, skipped: undefined, isTransactional: false });
  const [first, second] = batch?.messages ?? [];
  expect(second).toMatchObject({ partition: 3, offset: 8n, key: Buffer.from('k'), value: Buffer.from('b') });
  expect(first?.headers).toEqual([{ key: 'h', value: Buffer.from('v') }]);
  expect(Math.abs((first?.timestamp.getTime() ?? 0) - Date.now())).toBeLessThan(30_000);
});

test.each(['gzip', 'snappy', 'lz4', 'zstd'] as const)(
  'opens %s, but not what would become far larger than a batch can be',
  (compression) => {
    const large = 40 * 1024 * 1024;
    const bomb = batchOf([Buffer.alloc(large)], compression, 1n);
    expect(bomb.length).toBeLessThan(large / 10);
    expect(read(batchOf(text('before'), compression), bomb, batchOf(text('after'), compression, 2n))).toEqual([
      { values: ['0=before'], skipped: undefined, next: 1 },
      { values: [], skipped: 'tooLarge', next: 2 },
      { values: ['2=after'], skipped: undefined, next: 3 },
    ]);
  },
);

test.each(['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const)(
  'a batch (%s) that was damaged, or written wrong, is named as what it is, and those after it are read',
  (compression) => {
    const wrong = batchOf(text('x'.repeat(200)), compression);
    wrong.fill(0xff, 66);
    const after = batchOf(text('after'), 'none', 1n);
    const afterIt = { values: ['1=after'], skipped: undefined, next: 2 };
    expect(read(wrong, after)).toEqual([{ values: [], skipped: 'checksum', next: 1 }, afterIt]);
    expect(read(sealed(wrong), after)).toEqual([{ values: [], skipped: 'unreadable', next: 1 }, afterIt]);
  },
);

test('one changed bit of a message is damage, although it could be shown', () => {
  const changed = batchOf(text('berth 7'));
  const at = changed.indexOf('berth 7');
  changed[at] = (changed[at] ?? 0) ^ 1;
  expect(read(changed)).toEqual([{ values: [], skipped: 'checksum', next: 1 }]);
});

test.each([-1, 2 ** 30])('where a damaged batch says that it ends at %i, the one behind it says better', (last) => {
  const damaged = batchOf(text('a', 'b'), 'none', 5n);
  damaged.writeInt32BE(last, 23);
  expect(read(damaged, batchOf(text('after'), 'none', 7n)).map(({ next }) => next)).toEqual([7, 8]);
});

test('a batch that claims more messages than it has bytes is not believed', () => {
  const batch = batchOf(text('a'));
  batch.writeInt32BE(2_000_000_000, 57);
  expect(read(sealed(batch))).toMatchObject([{ values: [], skipped: 'unreadable' }]);
});

test('what a broker cut off, and bytes that are no batch, end the reading', () => {
  const whole = batchOf(text('a'));
  expect(read(whole, batchOf(text('b')).subarray(0, 70))).toHaveLength(1);
  expect(read(Buffer.alloc(500))).toEqual([]);
  expect(read(Buffer.alloc(500, 0xff))).toEqual([]);
});

test('whatever stands in a batch, it is read in no time, or named', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('none', 'gzip', 'snappy', 'lz4', 'zstd'),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 12 }),
      (compression, changes) => {
        const batch = batchOf(text('one', 'two', 'three'), compression);
        for (const [place, byte] of changes) batch[12 + (place % (batch.length - 12))] = byte;
        sealed(batch);
        const startedAt = performance.now();
        expect(read(batch, batchOf(text('after'))).length).toBe(2);
        expect(performance.now() - startedAt).toBeLessThan(2000);
      },
    ),
    { numRuns: 1500 },
  );
});

const keyed = (keys: readonly (string | null)[], compression: Compression = 'none'): Buffer => {
  const messages = keys.map((key, index) => ({
    topic: 'a.b',
    key: key === null ? null : Buffer.from(key),
    value: Buffer.from(`${index}`),
  }));
  return Buffer.from(createRecordsBatch(messages as Parameters<typeof createRecordsBatch>[0], { compression }).buffer);
};
const withKey = (batch: Buffer, key: string) => [...readBatches(batch, 3, { key: Buffer.from(key) })];

test('a search by key finds what reading everything finds, and says how many it looked at', () => {
  const keys = fc.array(fc.option(fc.constantFrom('', 'a', 'ab', 'b'.repeat(200)), { nil: null }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(
      keys,
      fc.constantFrom<Compression>('none', 'gzip', 'zstd'),
      fc.constantFrom('', 'a', 'ab', 'none'),
      (all, compression, key) => {
        const batch = keyed(all, compression);
        const [whole] = [...readBatches(batch, 3)];
        const [found] = withKey(batch, key);
        expect(found?.scanned).toBe(all.length);
        expect(found?.messages).toEqual(whole?.messages.filter((message) => message.key && Buffer.from(message.key).toString() === key));
      },
    ),
  );
});

test('a search in a damaged batch ends, and says that it cannot be read or what is there', () => {
  const batch = keyed(['a', 'b', 'a', null, 'c']);
  fc.assert(
    fc.property(fc.integer({ min: 61, max: batch.length - 1 }), fc.integer({ min: 0, max: 255 }), (at, byte) => {
      const damaged = Buffer.from(batch);
      damaged[at] = byte;
      const [found] = withKey(sealed(damaged), 'a');
      expect(found?.skipped === 'unreadable' || (found?.messages.length ?? 0) <= 5).toBe(true);
    }),
  );
});

test('of a batch that holds very many messages only those that are wanted are opened', () => {
  const count = 2_000_000;
  const record = Buffer.from([12, 0, 0, 0, 1, 1, 0]);
  const batch = Buffer.concat([batchOf(text('a')).subarray(0, 61), gzipSync(Buffer.alloc(count * record.length, record))]);
  batch.writeInt32BE(batch.length - 12, 8);
  batch.writeInt16BE(1, 21);
  batch.writeInt32BE(count - 1, 23);
  batch.writeInt32BE(count, 57);
  const [some] = [...readBatches(sealed(batch), 3, { most: 5 })];
  expect(some).toMatchObject({ scanned: 5, skipped: undefined });
  expect(some?.messages).toHaveLength(5);
  const [all] = [...readBatches(batch, 3)];
  expect(all?.messages.length).toBeLessThanOrEqual(10_000);
});

test('reading goes on within a batch', () => {
  const [batch] = [...readBatches(batchOf(text('a', 'b', 'c', 'd'), 'gzip', 10n), 3, { from: 11n, most: 2 })];
  expect(batch?.messages.map(({ offset }) => offset)).toEqual([11n, 12n]);
  expect(batch?.nextOffset).toBe(13n);
});
