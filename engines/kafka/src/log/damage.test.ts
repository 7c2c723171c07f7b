/** Effects of a full disk and of a damaged file on a log: a full disk loses nothing that was written, and damage is reported. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { batchOf, logDirectory, logTools, settingsOf } from './batch.fixture.ts';
import { compact } from './compaction.ts';
import { openLog } from './open-log.ts';
import { applyRetention, deleteBefore } from './retention.ts';
import { damagedFile, DamagedSegment } from './segment.ts';

const one = (value: string, more: Parameters<typeof batchOf>[1] = {}) => batchOf([{ key: 'k', value }], more);
const change = (file: string, at: number, bytes: readonly number[]): void => {
  const descriptor = fs.openSync(file, 'r+');
  fs.writeSync(descriptor, Buffer.from(bytes), 0, bytes.length, at);
  fs.closeSync(descriptor);
};
/** Positions in a batch: its length field, and a byte of its content. */
const [LENGTH, CONTENT] = [8, 65];

describe('a disk without room', () => {
  /** Simulates a full disk for files with matching names. */
  const full = (isMeant: (file: string) => boolean): void => {
    const noRoom = (): never => {
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    };
    const [write, writeFile] = [fs.writeSync, fs.writeFileSync];
    const nameOf = (descriptor: number): string => fs.readlinkSync(`/proc/self/fd/${descriptor}`);
    vi.spyOn(fs, 'writeFileSync').mockImplementation((...asked) => (isMeant(String(asked[0])) ? noRoom() : writeFile(...asked)));
    vi.spyOn(fs, 'writeSync').mockImplementation((...asked: unknown[]) =>
      isMeant(nameOf(Number(asked[0]))) ? noRoom() : (Reflect.apply(write, fs, asked) as number),
    );
  };
  afterEach(() => void vi.restoreAllMocks());

  test('for indexes and checkpoints takes messages all the same, and finds them and their producers again', () => {
    const [directory, settings] = [logDirectory(), settingsOf({}, { segmentBytes: 60_000 })];
    full((file) => file.includes('checkpoint') || file.endsWith('.index'));
    const log = openLog(directory, settings, logTools());
    const sent = (index: number) => one('x'.repeat(20_000), { producerId: 7, producerEpoch: 0, baseSequence: index });
    for (let index = 0; index < 10; index += 1) expect(log.append(sent(index))).toMatchObject({ errorCode: 0, baseOffset: index });
    // Simulates a kill while the disk is still full.
    const again = openLog(directory, settings, logTools());
    expect([again.endOffset, again.segments.length]).toEqual([10, 5]);
    expect(again.read(9, 1, true)).toHaveLength(sent(9).length);
    expect(again.append(sent(7))).toMatchObject({ errorCode: 0, baseOffset: 7 });
    again.close();
  });

  test('is given room by retention', () => {
    const [directory, tools] = [logDirectory(), logTools()];
    const log = openLog(directory, settingsOf({ 'retention.bytes': '2000' }, { segmentBytes: 1000 }), tools);
    for (let index = 0; index < 40; index += 1) log.append(one('a message'));
    full(() => true);
    applyRetention(log);
    expect(log.bytes).toBeLessThan(3000);
    expect(tools.logged).toContain('a checkpoint could not be written');
    vi.restoreAllMocks();
    const again = openLog(directory, log.settings, logTools());
    expect([again.startOffset, again.endOffset]).toEqual([log.startOffset, 40]);
  });

  test('does not take the news that records were deleted, and so they are not', () => {
    const log = openLog(logDirectory(), settingsOf(), logTools());
    for (let index = 0; index < 4; index += 1) log.append(one('a message'));
    full((file) => file.includes('checkpoint'));
    expect(() => deleteBefore(log, 2)).toThrow('ENOSPC');
    expect(log.startOffset).toBe(0);
  });

  test('for a batch takes none of it', () => {
    const log = openLog(logDirectory(), settingsOf(), logTools());
    log.append(one('before'));
    full((file) => file.endsWith('.log'));
    expect(() => log.append(one('too much'))).toThrow('ENOSPC');
    vi.restoreAllMocks();
    expect(log.append(one('after'))).toMatchObject({ baseOffset: 1 });
  });
});

describe('damage', () => {
  test('with whole messages behind it is said when the log is opened, and those are kept beside', () => {
    const directory = logDirectory();
    const before = openLog(directory, settingsOf(), logTools());
    for (let index = 0; index < 5; index += 1) before.append(one('same length'));
    const { file, bytes } = before.active;
    change(file, (bytes / 5) * 3 + CONTENT, [0xff]);
    const tools = logTools();
    const after = openLog(directory, settingsOf(), tools);
    expect(after.endOffset).toBe(3);
    expect(tools.logged).toEqual(['a log is damaged: it ends there, and whole messages behind the damage are lost']);
    expect(fs.statSync(damagedFile(file)).size).toBe((bytes / 5) * 2);
    expect(after.append(one('next')).baseOffset).toBe(3);
  });

  test.each([0, 1, -5, 2 ** 30])('of a length, %i, is a failure for readers, and messages before it are read', (length) => {
    const log = openLog(logDirectory(), settingsOf(), logTools());
    for (let index = 0; index < 5; index += 1) log.append(one('same length'));
    const { file, bytes } = log.active;
    const field = Buffer.alloc(4);
    field.writeInt32BE(length);
    change(file, (bytes / 5) * 2 + LENGTH, [...field]);
    log.forgetHints();
    expect(log.read(0, 1 << 20, true)).toHaveLength((bytes / 5) * 2);
    expect(() => log.read(2, 1 << 20, true)).toThrow(DamagedSegment);
    expect(() => log.read(3, 1 << 20, true)).toThrow(DamagedSegment);
  });

  test('of a closed file is said, passed over by no reader, and not tidied away', async () => {
    const directory = logDirectory();
    const settings = settingsOf({ 'cleanup.policy': 'compact', 'min.cleanable.dirty.ratio': '0' }, { segmentBytes: 500 });
    const before = openLog(directory, settings, logTools());
    for (let index = 0; index < 20; index += 1) before.append(one('same length'));
    before.close();
    const [first] = before.segments;
    const size = one('same length').length;
    change(first?.file ?? '', size + LENGTH, [0x7f, 0xff, 0xff, 0xff]);
    const tools = logTools();
    const after = openLog(directory, settings, tools);
    expect(tools.logged).toEqual(['a log is damaged: the rest of this file cannot be read']);
    expect(after.endOffset).toBe(20);
    expect(() => after.read(1, 1 << 20, true)).toThrow(DamagedSegment);
    expect(after.read(after.segments[1]?.base ?? -1, 1 << 20, true)).toBeDefined();
    await expect(compact(after)).rejects.toThrow(DamagedSegment);
    expect(fs.statSync(first?.file ?? '').size).toBe(first?.bytes);
  });

  test('of a message is not made to look whole by compaction', async () => {
    const directory = logDirectory();
    const settings = settingsOf({ 'cleanup.policy': 'compact', 'min.cleanable.dirty.ratio': '0' }, { segmentBytes: 500 });
    const log = openLog(directory, settings, logTools());
    const two = () =>
      batchOf([
        { key: 'k', value: 'one' },
        { key: 'other', value: 'two' },
      ]);
    for (let index = 0; index < 20; index += 1) log.append(two());
    const [first] = log.segments;
    change(first?.file ?? '', two().length - 2, [0x41]);
    await compact(log);
    const kept = fs.readFileSync(path.join(directory, path.basename(first?.file ?? '')));
    // Only the damaged batch is left of this file, with its original CRC.
    expect([kept.length, kept.readUInt32BE(17)]).toEqual([two().length, two().readUInt32BE(17)]);
  });
});
