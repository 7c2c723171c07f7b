import { appendFile, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';

import { directoryForTest } from '../access/access.fixture.ts';
import { readFrames } from './frames.ts';
import { Journal } from './journal.ts';
import { manualTime } from './manual-timers.fixture.ts';

const openJournal = async (file: string, compactAtBytes?: number) => {
  const seen: string[] = [];
  const lost: number[] = [];
  const journal = await Journal.open<string>({
    file,
    parse: String,
    apply: (entry) => seen.push(entry),
    // Behaves as if each entry replaced the previous one.
    snapshot: () => seen.slice(-1),
    timers: manualTime(),
    onDamage: (bytes) => lost.push(bytes),
    ...(compactAtBytes === undefined ? {} : { compactAtBytes }),
  });
  return { journal, seen, lost };
};

test('what was appended is there again, in its order, and for the broker alone', async () => {
  const home = await directoryForTest();
  const file = path.join(home.directory, 'journal');
  const first = await openJournal(file);
  await Promise.all(['a', 'b', 'c'].map((entry) => first.journal.append(entry)));
  await first.journal.append('d');
  expect(first.seen).toEqual(['a', 'b', 'c', 'd']);
  await first.journal.close();
  await expect(first.journal.append('e')).rejects.toThrow('closed');
  const second = await openJournal(file);
  expect([second.seen, second.lost]).toEqual([['a', 'b', 'c', 'd'], []]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await second.journal.close();
});

test('wherever a crash has cut the file off, all that is whole before is there, and what comes after can be read', async () => {
  const home = await directoryForTest();
  const file = path.join(home.directory, 'journal');
  const { journal } = await openJournal(file);
  for (const entry of ['a', 'b', 'c']) await journal.append(entry);
  await journal.close();
  const whole = await readFile(file);
  const each = whole.length / 3;
  for (let length = 0; length < whole.length; length += 1) {
    await writeFile(file, whole.subarray(0, length));
    const again = await openJournal(file);
    expect(again.seen).toEqual(['a', 'b', 'c'].slice(0, Math.floor(length / each)));
    expect(again.lost).toEqual(length % each === 0 ? [] : [length % each]);
    await again.journal.append('d');
    await again.journal.close();
    const last = await openJournal(file);
    expect([last.seen.at(-1), last.lost]).toEqual(['d', []]);
    await last.journal.close();
  }
});

test('a hole of noughts and changed bytes are no entries', async () => {
  const home = await directoryForTest();
  const file = path.join(home.directory, 'journal');
  const { journal } = await openJournal(file);
  await journal.append('a');
  await journal.append('b');
  await journal.close();
  await appendFile(file, Buffer.alloc(100));
  const holed = await openJournal(file);
  expect([holed.seen, holed.lost]).toEqual([['a', 'b'], [100]]);
  await holed.journal.close();
  const bytes = await readFile(file);
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  await writeFile(file, bytes);
  const changed = await openJournal(file);
  expect(changed.seen).toEqual(['a']);
  await changed.journal.close();
});

test('it is written anew when it has grown, and nothing is lost by it', async () => {
  const home = await directoryForTest();
  const file = path.join(home.directory, 'journal');
  const { journal, seen } = await openJournal(file, 1000);
  for (let count = 0; count < 300; count += 1) await journal.append(`entry ${count}`);
  expect(journal.bytes).toBeLessThan(1100);
  expect((await stat(file)).size).toBe(journal.bytes);
  expect(seen.at(-1)).toBe('entry 299');
  await Promise.all(Array.from({ length: 100 }, (_, count) => journal.append(`more ${count}`)));
  await journal.close();
  const again = await openJournal(file);
  expect([again.seen.at(-1), again.lost]).toEqual(['more 99', []]);
  await again.journal.close();
});

test('a crash while it is written anew leaves the file of before', async () => {
  const home = await directoryForTest();
  const file = path.join(home.directory, 'journal');
  const { journal } = await openJournal(file, 100);
  await journal.append('a');
  await writeFile(`${file}.new`, 'half of something');
  for (let count = 0; count < 20; count += 1) await journal.append(`entry ${count}`);
  await journal.close();
  const { entries, wholeBytes } = readFrames(await readFile(file));
  expect([entries.at(-1), wholeBytes]).toEqual(['entry 19', (await stat(file)).size]);
});
