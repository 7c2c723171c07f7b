/** Writing and reading logs together: file rotation, followers, and programs that write faster than the disk. */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from '@slipway/foundation/ports/runtime.suite-runtime.ts';
import type { LogLine } from '@slipway/foundation/ports/runtime.ts';
import { dropOldestLogs, loggedInstances } from './log-files.ts';
import { readLogs, type LogOptions } from './log-reader.ts';
import { LogWriter } from './log-writer.ts';

let directory = '';
beforeEach(() => (directory = join(mkdtempSync(join(tmpdir(), 'slipway-logs-')), 'shop-1')));
afterEach(() => rmSync(join(directory, '..'), { recursive: true, force: true }));

const failed = (error: unknown): never => {
  throw error;
};
const writerOf = (instance: string, maxFileBytes?: number): LogWriter =>
  new LogWriter({ directory, instance, onError: failed, ...(maxFileBytes ? { maxFileBytes } : {}) });

async function read(options: LogOptions = {}): Promise<readonly LogLine[]> {
  const lines: LogLine[] = [];
  for await (const line of readLogs(directory, options)) lines.push(line);
  return lines;
}

test('two files of bounded size hold the end of the log', async () => {
  const writer = writerOf('a', 1000);
  for (let round = 1; round <= 100; round++) {
    writer.write('stdout', `line ${round}`);
    await writer.flushed();
  }
  expect(readdirSync(directory).toSorted()).toEqual(['a.log', 'a.log.1']);
  for (const name of readdirSync(directory)) expect(statSync(join(directory, name)).size).toBeLessThanOrEqual(1000);
  const numbers = (await read()).map(({ number }) => number);
  expect(numbers.at(-1)).toBe(100);
  expect(numbers).toEqual(Array.from({ length: numbers.length }, (_none, index) => 101 - numbers.length + index));
});

test('a follower misses nothing while files turn, and sees instances that come later', async () => {
  const ending = new AbortController();
  const seen: string[] = [];
  const following = (async () => {
    for await (const { instance, number } of readLogs(directory, { follow: true, signal: ending.signal }))
      seen.push(`${instance}${number}`);
  })();
  const writers = [writerOf('a', 2000), writerOf('b', 2000)];
  for (let round = 1; round <= 60; round++) {
    for (const writer of writers) writer.write('stdout', `line ${round}`);
    await Promise.all(writers.map((writer) => writer.flushed()));
    if (round % 20 === 0) await until('the follower', async () => seen.includes(`a${round}`) && seen.includes(`b${round}`));
  }
  ending.abort();
  await following;
  const expected = ['a', 'b'].flatMap((id) => Array.from({ length: 60 }, (_none, index) => `${id}${index + 1}`));
  expect(seen.toSorted()).toEqual(expected.toSorted());
  expect(seen.filter((entry) => entry.startsWith('a'))).toEqual(expected.slice(0, 60));
});

test('lines of all instances stand in the order of time; a tail is the end of that', async () => {
  const [first, second] = [writerOf('a'), writerOf('b')];
  for (const [writer, line] of [
    [first, '1'],
    [second, '2'],
    [first, '3'],
  ] as const) {
    writer.write('stderr', line);
    await writer.flushed();
    const now = Date.now();
    await until('the next millisecond', async () => Date.now() > now);
  }
  expect((await read()).map(({ line }) => line)).toEqual(['1', '2', '3']);
  expect((await read({ tailLines: 2 })).map(({ line }) => line)).toEqual(['2', '3']);
  expect((await read({ instance: 'a', sinceNumber: 1 })).map(({ line }) => line)).toEqual(['3']);
});

test('a stream is read to its end, and held back when it is faster than the disk', async () => {
  const writer = writerOf('a');
  const source = new PassThrough();
  writer.attach(source, 'stdout');
  for (let round = 0; round < 200; round++) source.write(`${'x'.repeat(10_000)}\n`);
  source.end('last');
  await writer.heardOut(20_000);
  await writer.flushed();
  const lines = await read();
  expect(lines).toHaveLength(201);
  expect(lines.at(-1)?.line).toBe('last');
});

test('of many instances the oldest logs go', async () => {
  for (let instance = 10; instance < 35; instance++) {
    const writer = writerOf(`i${instance}`);
    writer.write('stdout', 'x');
    await writer.flushed();
  }
  await dropOldestLogs(directory);
  expect(await loggedInstances(directory)).toHaveLength(19);
  expect(await loggedInstances(directory)).toContain('i34');
});
