/** Reading the end of long logs without the rest: time and memory depend on the requested lines. */
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatLogLine } from './log-line.ts';
import { readLogs, type LogOptions } from './log-reader.ts';

let directory: string;
const START = Date.parse('2026-11-20T12:00:00Z');
const linesOf = (from: number, to: number, text: string, stepMs = 1): string =>
  Array.from({ length: to - from }, (_, index) => {
    const number = from + index + 1;
    return formatLogLine({ number, at: new Date(START + number * stepMs), source: 'stdout', line: `${text} ${number}` });
  }).join('');

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'slipway-logs-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const read = async (place: string, options: LogOptions): Promise<string[]> => {
  const lines: string[] = [];
  for await (const { instance, line } of readLogs(place, options)) lines.push(`${instance}: ${line}`);
  return lines;
};
const make = async (name: string, files: Readonly<Record<string, string>>): Promise<string> => {
  const place = await mkdtemp(join(directory, `${name}-`));
  for (const [file, text] of Object.entries(files)) await writeFile(join(place, file), text);
  return place;
};

test.each([1, 2, 5, 6, 8, 17, 100, 5000])('the last %i lines are the last of all, from the former file, too', async (tailLines) => {
  const place = await make('tail', {
    'a.log.1': linesOf(0, 3000, 'größer', 3),
    'a.log': `${linesOf(3000, 3007, 'größer', 3)}3008 2026-11-20T12:00:09.024Z o begun`,
    'b.log': linesOf(0, 4000, 'b', 2),
    'c.log': '',
  });
  expect(await read(place, { tailLines })).toEqual((await read(place, {})).slice(-tailLines));
});

test('what is written after the end that was read follows, and nothing twice', async () => {
  const place = await make('follow', { 'a.log': `${linesOf(0, 5000, 'a')}5001 2026-11-20T12:00:05.001Z o be` });
  const done = new AbortController();
  const lines: string[] = [];
  for await (const { line } of readLogs(place, { tailLines: 2, follow: true, signal: done.signal })) {
    lines.push(line);
    if (lines.length === 2) await appendFile(join(place, 'a.log'), `gun\n${linesOf(5001, 5002, 'a')}`);
    if (lines.length === 4) await writeFile(join(place, 'b.log'), linesOf(0, 4, 'b'));
    if (lines.length === 8) done.abort();
  }
  expect(lines).toEqual(['a 4999', 'a 5000', 'begun', 'a 5002', 'b 1', 'b 2', 'b 3', 'b 4']);
});

test('a few lines of many long logs cost little', async () => {
  const long = linesOf(0, 100_000, 'GET /healthz 200');
  const place = await make('long', Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`i${index}.log`, long])));
  const before = process.cpuUsage();
  expect(await read(place, { tailLines: 24 })).toHaveLength(24);
  // Reading and parsing all 45 MB would block the process for seconds.
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(500);
});
