import fs from 'node:fs';
import { expect, test } from 'vitest';
import { isSound, readHead } from './batch.ts';
import { batchOf, logDirectory, logTools, settingsOf, type Clock } from './batch.fixture.ts';
import { compact } from './compaction.ts';
import { openLog } from './open-log.ts';
import { openBatch, type OpenedRecord } from './records/opened.fixture.ts';
import type { PartitionLog } from './partition-log.ts';

const recordsOf = (log: PartitionLog): OpenedRecord[] => {
  const found: OpenedRecord[] = [];
  for (let offset = 0; ;) {
    const bytes = log.read(offset, 1 << 20, true);
    if (bytes === undefined) return found;
    for (let at = 0; at < bytes.length;) {
      const head = readHead(bytes, at);
      const batch = bytes.subarray(at, at + head.bytes);
      expect(isSound(batch)).toBe(true);
      found.push(...openBatch(batch));
      at += head.bytes;
      offset = head.lastOffset + 1;
    }
  }
};
const compacted = (directory: string, clock: Clock = { ms: 1000 }) =>
  openLog(directory, settingsOf({ 'cleanup.policy': 'compact', 'min.cleanable.dirty.ratio': '0' }, { segmentBytes: 600 }), logTools(clock));

test('the newest record of each key stays, where it was', async () => {
  const directory = logDirectory();
  const log = compacted(directory);
  for (let round = 0; round < 20; round += 1)
    log.append(
      batchOf(
        [
          { key: 'a', value: `${round}` },
          { key: `only ${round}`, value: 'x' },
          { key: 'b', value: `${round}` },
        ],
        { isPacked: round % 3 === 0 },
      ),
    );
  const before = log.bytes;
  const closedEnd = log.active.base;
  expect(await compact(log)).toBe(true);
  expect(log.bytes).toBeLessThan(before);
  const kept = recordsOf(log);
  const closed = kept.filter(({ offset }) => offset < closedEnd);
  expect(closed.filter(({ key }) => String(key) === 'a')).toHaveLength(1);
  expect(closed.filter(({ key }) => String(key).startsWith('only'))).toHaveLength(closedEnd / 3);
  expect(closed.find(({ key }) => String(key) === 'a')?.offset).toBe(closedEnd - 3);
  expect(log.endOffset).toBe(60);
  expect(await compact(log)).toBe(false);
  const after = compacted(directory);
  expect(recordsOf(after).map(({ offset }) => offset)).toEqual(kept.map(({ offset }) => offset));
});

test('a key without a value is forgotten after its time', async () => {
  const clock: Clock = { ms: 1000 };
  const log = compacted(logDirectory(), clock);
  log.append(batchOf([{ key: 'gone', value: 'x' }]));
  log.append(batchOf([{ key: 'gone', value: null }]));
  log.roll();
  log.append(batchOf([{ key: 'other', value: 'x' }]));
  await compact(log);
  expect(recordsOf(log).map(({ offset }) => offset)).toEqual([1, 2]);
  clock.ms += 25 * 60 * 60 * 1000;
  log.roll();
  log.append(batchOf([{ key: 'last', value: 'x' }]));
  await compact(log);
  expect(recordsOf(log).map(({ offset }) => offset)).toEqual([2, 3]);
});

test('what cannot be opened is kept whole', async () => {
  const log = compacted(logDirectory());
  for (let round = 0; round < 3; round += 1) log.append(batchOf([{ key: 'a', value: 'x' }], { attributes: 2 }));
  const { bytes } = log;
  log.roll();
  log.append(batchOf([{ key: 'a', value: 'new' }]));
  await compact(log);
  expect(log.bytes).toBe(bytes + log.active.bytes);
});

test('a topic that is deleted meanwhile leaves no file', async () => {
  const log = compacted(logDirectory());
  for (let round = 0; round < 20; round += 1) log.append(batchOf([{ key: 'a', value: 'x'.repeat(50) }]));
  const running = compact(log);
  log.end();
  expect(await running).toBe(false);
  expect(fs.readdirSync(log.directory).filter((name) => name.endsWith('.new'))).toEqual([]);
});

test('more keys than the memory shall hold are compacted in several rounds, in the middle of a segment', async () => {
  const log = compacted(logDirectory());
  for (let round = 0; round < 6; round += 1)
    log.append(
      batchOf(Array.from({ length: 10 }, (_, index) => ({ key: `${index}`, value: round === 5 && index === 9 ? null : `${round}` }))),
    );
  log.roll();
  log.append(batchOf([{ key: 'other', value: 'x' }]));
  const rounds: number[] = [];
  while (await compact(log, 4)) rounds.push(log.cleanedTo);
  expect(rounds.length).toBeGreaterThan(2);
  expect(rounds).toEqual(rounds.toSorted((one, other) => one - other));
  expect(rounds.at(-1)).toBe(60);
  // The newest value of each key is kept, and deleted keys never come back.
  expect(new Set(recordsOf(log).map(({ key }) => key)).size).toBe(11);
  for (let index = 0; index < 10; index += 1)
    expect(recordsOf(log).findLast(({ key }) => key === `${index}`)?.offset, `${index}`).toBe(50 + index);
});

test('what was packed is packed again, however much it would be otherwise', async () => {
  const log = compacted(logDirectory());
  const many = Array.from({ length: 2000 }, (_, index) => ({ key: `${index % 1999}`, value: 'x'.repeat(100) }));
  log.append(batchOf(many, { isPacked: true }));
  const { bytes } = log;
  log.roll();
  log.append(batchOf([{ key: 'other', value: 'x' }]));
  expect(await compact(log)).toBe(true);
  expect(recordsOf(log)).toHaveLength(2000);
  expect(log.bytes - log.active.bytes).toBeLessThan(bytes * 1.1);
});
