import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { errors } from '../protocol/errors.ts';
import { crc32c } from './crc32c.ts';
import { readHead } from './batch.ts';
import { batchOf, logDirectory, logTools, settingsOf, type Clock } from './batch.fixture.ts';
import { checkBatch, checkRecords } from './check-batch.ts';
import { openLog } from './open-log.ts';
import { Turns } from './records/turns.ts';
import { openBatch } from './records/opened.fixture.ts';
import type { PartitionLog } from './partition-log.ts';
import { applyRetention, deleteBefore } from './retention.ts';

const one = (value: string, timestamp = 1000) => batchOf([{ value, timestamp }]);
/** Returns the offset of every record from an offset on, and whether it has a value. */
const offsetsFrom = (log: PartitionLog, from: number): number[] => {
  const found: number[] = [];
  for (let offset = from; ;) {
    const bytes = log.read(offset, 1 << 20, true);
    if (bytes === undefined) return found;
    for (let at = 0; at < bytes.length;) {
      const head = readHead(bytes, at);
      for (const record of openBatch(bytes.subarray(at, at + head.bytes))) if (record.offset >= offset) found.push(record.offset);
      at += head.bytes;
      offset = head.lastOffset + 1;
    }
  }
};
const upTo = (end: number, from = 0): number[] => Array.from({ length: end - from }, (_, index) => from + index);

test('the CRC is the one of RFC 3720', () => {
  expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
  expect(crc32c(Buffer.alloc(32))).toBe(0x8a9136aa);
  expect(crc32c(Buffer.concat([Buffer.from('x'), Buffer.alloc(32, 0xff)]), 1)).toBe(0x62a8ab43);
});

describe('writing and reading', () => {
  test('offsets follow one another, over segments', () => {
    const log = openLog(logDirectory(), settingsOf({}, { segmentBytes: 1000 }), logTools());
    for (let index = 0; index < 100; index += 1) log.append(batchOf([{ value: `a${index}` }, { value: 'b' }]));
    expect(log.endOffset).toBe(200);
    expect(log.segments.length).toBeGreaterThan(5);
    expect(offsetsFrom(log, 0)).toEqual(upTo(200));
    expect(offsetsFrom(log, 151)).toEqual(upTo(200, 151));
    expect(log.read(200, 1000, true)).toBeUndefined();
  });

  test('a read is whole batches, one at least where it is the first', () => {
    const log = openLog(logDirectory(), settingsOf(), logTools());
    const size = one('x'.repeat(500)).length;
    for (let index = 0; index < 4; index += 1) log.append(one('x'.repeat(500)));
    expect(log.read(0, size * 2 + 10, false)).toHaveLength(size * 2);
    expect(log.read(0, size - 1, false)).toBeUndefined();
    expect(log.read(0, 1, true)).toHaveLength(size);
  });

  test('a segment is rolled when its first message is old', () => {
    const clock: Clock = { ms: 1000 };
    const log = openLog(logDirectory(), settingsOf({ 'segment.ms': '500' }), logTools(clock));
    log.append(one('a', 1000));
    log.append(one('b', 1400));
    clock.ms = 1600;
    log.append(one('c', 1600));
    expect(log.segments.map(({ base }) => base)).toEqual([0, 2]);
  });

  test('what a producer sends is checked', async () => {
    const settings = settingsOf({ 'max.message.bytes': '300', 'cleanup.policy': 'compact', 'message.timestamp.after.max.ms': '1000' });
    const check = { settings, now: 1000, turns: new Turns(), principal: 'x' };
    const codeOf = async (batch: Buffer | null) =>
      (checkBatch(batch, settings, 1000) ?? (batch && (await checkRecords(batch, check))))?.errorCode;
    const good = batchOf([{ key: 'k', value: 'v' }]);
    expect(await codeOf(good)).toBeUndefined();
    expect(await codeOf(null)).toBe(errors.INVALID_RECORD);
    expect(await codeOf(Buffer.concat([good, good]))).toBe(errors.INVALID_RECORD);
    expect(await codeOf(good.subarray(0, -1))).toBe(errors.CORRUPT_MESSAGE);
    const changed = Buffer.from(good);
    changed[65] = (changed[65] ?? 0) ^ 1;
    expect(await codeOf(changed)).toBe(errors.CORRUPT_MESSAGE);
    expect(await codeOf(batchOf([{ key: 'k', value: 'x'.repeat(400) }]))).toBe(errors.MESSAGE_TOO_LARGE);
    expect(await codeOf(batchOf([{ value: 'no key' }]))).toBe(errors.INVALID_RECORD);
    expect(await codeOf(batchOf([{ value: 'no key' }], { isPacked: true }))).toBe(errors.INVALID_RECORD);
    expect(await codeOf(batchOf([{ key: 'k', timestamp: 2001 }]))).toBe(errors.INVALID_TIMESTAMP);
    expect(await codeOf(batchOf([{ key: 'k' }], { attributes: 0b1_0000 }))).toBe(errors.INVALID_RECORD);
    expect(await codeOf(batchOf([{ key: 'k' }], { attributes: 7 }))).toBe(errors.UNSUPPORTED_COMPRESSION_TYPE);
    const old = Buffer.from(good);
    old.writeInt8(1, 16);
    expect(await codeOf(old)).toBe(errors.UNSUPPORTED_FOR_MESSAGE_FORMAT);
  });
});

describe('times', () => {
  test('the first record that is late enough, within a batch, too', async () => {
    const log = openLog(logDirectory(), settingsOf({}, { segmentBytes: 400 }), logTools());
    for (let index = 0; index < 50; index += 1)
      log.append(batchOf([{ timestamp: index * 100 }, { timestamp: index * 100 + 50 }], { isPacked: index % 2 === 0 }));
    expect(await log.offsetForTime(0, 'x')).toEqual({ offset: 0, timestamp: 0 });
    expect(await log.offsetForTime(2010, 'x')).toEqual({ offset: 41, timestamp: 2050 });
    expect(await log.offsetForTime(2100, 'x')).toEqual({ offset: 42, timestamp: 2100 });
    expect(await log.offsetForTime(4951, 'x')).toBeUndefined();
    expect(await log.latestTime('x')).toEqual({ offset: 99, timestamp: 4950 });
  });
  test('messages may have the time of their arrival', async () => {
    const log = openLog(logDirectory(), settingsOf({ 'message.timestamp.type': 'LogAppendTime' }), logTools({ ms: 7777 }));
    expect(log.append(one('a', 5)).appendTime).toBe(7777);
    expect(await log.offsetForTime(6, 'x')).toEqual({ offset: 0, timestamp: 7777 });
    const [bytes] = [log.read(0, 1000, true)];
    expect(bytes && checkBatch(bytes, settingsOf(), 7777)).toBeUndefined();
  });
});

describe('after a kill', () => {
  test('everything is there, and a torn end is cut off', () => {
    const directory = logDirectory();
    const before = openLog(directory, settingsOf({}, { segmentBytes: 2000 }), logTools());
    for (let index = 0; index < 40; index += 1) before.append(one(`message ${index}`));
    const { file, bytes } = before.active;
    fs.appendFileSync(file, one('half').subarray(0, 40));
    const tools = logTools();
    const after = openLog(directory, settingsOf({}, { segmentBytes: 2000 }), tools);
    expect(after.endOffset).toBe(40);
    expect(fs.statSync(file).size).toBe(bytes);
    expect(tools.logged).toEqual(['the end of a log was torn and is cut off']);
    expect(after.append(one('next')).baseOffset).toBe(40);
    expect(offsetsFrom(after, 0)).toEqual(upTo(41));
  });

  test('a batch that was changed on the disk ends the log', () => {
    const directory = logDirectory();
    const before = openLog(directory, settingsOf(), logTools());
    for (let index = 0; index < 5; index += 1) before.append(one('same length'));
    const size = before.active.bytes / 5;
    const descriptor = fs.openSync(before.active.file, 'r+');
    fs.writeSync(descriptor, Buffer.from([0xff]), 0, 1, size * 3 + 65);
    fs.closeSync(descriptor);
    expect(openLog(directory, settingsOf(), logTools()).endOffset).toBe(3);
  });

  test('indexes and checkpoints that are lost are made anew', async () => {
    const directory = logDirectory();
    const settings = settingsOf({}, { segmentBytes: 100_000 });
    const before = openLog(directory, settings, logTools());
    for (let index = 0; index < 300; index += 1) before.append(one('x'.repeat(1000), index));
    for (const name of fs.readdirSync(directory)) if (!name.endsWith('.log')) fs.rmSync(path.join(directory, name));
    const after = openLog(directory, settings, logTools());
    expect(after.endOffset).toBe(300);
    expect(await after.offsetForTime(250, 'x')).toEqual({ offset: 250, timestamp: 250 });
    expect(offsetsFrom(after, 270)).toEqual(upTo(300, 270));
    expect(fs.readdirSync(directory).some((name) => name.endsWith('.index'))).toBe(true);
  });

  test('a file that is shorter than its checkpoint is checked from its beginning', () => {
    const directory = logDirectory();
    const before = openLog(directory, settingsOf(), logTools());
    for (let index = 0; index < 5; index += 1) before.append(one('x'));
    const { bytes, file } = before.active;
    before.close();
    fs.truncateSync(file, bytes - 7);
    const after = openLog(directory, settingsOf(), logTools());
    expect(after.endOffset).toBe(4);
    expect(after.append(one('y')).baseOffset).toBe(4);
    expect(offsetsFrom(after, 0)).toEqual(upTo(5));
  });

  test('a clean end leaves nothing to check', () => {
    const directory = logDirectory();
    const before = openLog(directory, settingsOf(), logTools());
    for (let index = 0; index < 10; index += 1) before.append(one('x'));
    before.close();
    const after = openLog(directory, settingsOf(), logTools());
    expect(after.endOffset).toBe(10);
    expect(after.active.firstTimestamp).toBe(1000);
    expect(offsetsFrom(after, 0)).toEqual(upTo(10));
  });
});

describe('idempotent producers', () => {
  const batch = (baseSequence: number, producerEpoch = 0) =>
    batchOf([{ value: 'a' }, { value: 'b' }], { producerId: 5, producerEpoch, baseSequence });

  test('a batch that comes again is answered, not written; a gap is refused', () => {
    const log = openLog(logDirectory(), settingsOf(), logTools());
    for (let index = 0; index < 7; index += 1) expect(log.append(batch(index * 2))).toMatchObject({ errorCode: 0, baseOffset: index * 2 });
    // The last five batches are remembered.
    for (let index = 2; index < 7; index += 1) expect(log.append(batch(index * 2))).toMatchObject({ errorCode: 0, baseOffset: index * 2 });
    expect(log.append(batch(2)).errorCode).toBe(errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
    expect(log.append(batch(16)).errorCode).toBe(errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
    expect(log.endOffset).toBe(14);
    expect(log.append(batch(4, 1)).errorCode).toBe(errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
    expect(log.append(batch(0, 1))).toMatchObject({ errorCode: 0, baseOffset: 14 });
    expect(log.append(batch(14, 0)).errorCode).toBe(errors.INVALID_PRODUCER_EPOCH);
  });

  test('of the very many the first ones are forgotten', () => {
    const log = openLog(logDirectory(), settingsOf(), logTools());
    const from = (producerId: number, baseSequence: number) => batchOf([{ value: 'a' }], { producerId, producerEpoch: 0, baseSequence });
    for (let producerId = 0; producerId <= 10_000; producerId += 1) log.append(from(producerId, 0));
    expect(log.append(from(1, 5)).errorCode).toBe(errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
    expect(log.append(from(0, 5)).errorCode).toBe(0);
  });

  test('they are known after a kill and after a clean end', () => {
    const directory = logDirectory();
    const first = openLog(directory, settingsOf(), logTools());
    first.append(batch(0));
    first.append(batch(2));
    const killed = openLog(directory, settingsOf(), logTools());
    expect(killed.append(batch(2))).toMatchObject({ errorCode: 0, baseOffset: 2 });
    expect(killed.append(batch(4))).toMatchObject({ errorCode: 0, baseOffset: 4 });
    killed.close();
    const closed = openLog(directory, settingsOf(), logTools());
    expect(closed.append(batch(4))).toMatchObject({ errorCode: 0, baseOffset: 4 });
    expect(closed.append(batch(8)).errorCode).toBe(errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
  });

  test('sequences begin again after the largest one', () => {
    const log = openLog(logDirectory(), settingsOf(), logTools());
    expect(log.append(batch(2 ** 31 - 2)).errorCode).toBe(0);
    expect(log.append(batch(0))).toMatchObject({ errorCode: 0, baseOffset: 2 });
  });
});

describe('retention', () => {
  const filled = (clock: Clock, configs: Record<string, string>, directory = logDirectory()): PartitionLog => {
    const log = openLog(directory, settingsOf(configs, { segmentBytes: 500 }), logTools(clock));
    for (let index = 0; index < 20; index += 1) log.append(one('x'.repeat(100), index * 1000));
    return log;
  };

  test('by time: what is too old goes, an idle last segment, too', () => {
    const clock: Clock = { ms: 19_000 };
    const log = filled(clock, { 'retention.ms': '5000' });
    applyRetention(log);
    expect(log.startOffset).toBeGreaterThan(5);
    expect(log.startOffset).toBeLessThanOrEqual(14);
    expect(log.endOffset).toBe(20);
    clock.ms = 60_000;
    applyRetention(log);
    expect([log.startOffset, log.endOffset, log.bytes]).toEqual([20, 20, 0]);
    expect(openLog(log.directory, log.settings, logTools(clock))).toMatchObject({ startOffset: 20, endOffset: 20 });
  });

  test('by size', () => {
    const log = filled({ ms: 0 }, { 'retention.ms': '-1', 'retention.bytes': '1000' });
    applyRetention(log);
    expect(log.bytes).toBeGreaterThanOrEqual(1000);
    expect(log.bytes).toBeLessThan(1500);
    expect(log.startOffset).toBe(log.segments[0]?.base);
  });

  test('deleted records are gone at once, and after a kill', async () => {
    const directory = logDirectory();
    const log = filled({ ms: 0 }, {}, directory);
    deleteBefore(log, 9);
    expect(log.startOffset).toBe(9);
    expect(log.segments[0]?.base).toBeGreaterThan(0);
    const after = openLog(directory, log.settings, logTools());
    expect([after.startOffset, after.endOffset]).toEqual([9, 20]);
    expect(await after.offsetForTime(0, 'x')).toEqual({ offset: 9, timestamp: 9000 });
    deleteBefore(after, 20);
    expect([after.startOffset, after.endOffset, after.bytes]).toEqual([20, 20, 0]);
    expect(after.append(one('y')).baseOffset).toBe(20);
  });
});
