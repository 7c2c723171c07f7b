/** A program that floods its log waits for its own turn; its neighbour's lines come as they are said. Seconds are turned by hand. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { handClock } from '@slipway/runtime/local/hand-clock.fixture.ts';
import { MAX_LINE } from '@slipway/runtime/local/log/line-splitter.ts';
import { readLogs } from '@slipway/runtime/local/log/log-reader.ts';
import { LogWriter } from '@slipway/runtime/local/log/log-writer.ts';
import { OUTPUT_LIMITS } from '@slipway/runtime/local/log/output-limit.ts';
import { until } from '#ports/runtime.suite-runtime.ts';

let directory = '';
let children: ChildProcess[] = [];
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'slipway-flood-'))));
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

const failed = (error: unknown): never => {
  throw error;
};
const run = (instance: string, program: string) => {
  const clock = handClock();
  const writer = new LogWriter({ directory, instance, onError: failed, clock });
  const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'pipe'] });
  children.push(child);
  writer.attach(child.stdout, 'stdout');
  writer.attach(child.stderr, 'stderr');
  return { child, clock, writer };
};
const lines = async (instance: string): Promise<readonly string[]> => {
  const found: string[] = [];
  for await (const { line } of readLogs(directory, { instance })) found.push(line);
  return found;
};
/** How far the program has come: it writes so much and waits for its pipe. */
const bytesWritten = (child: ChildProcess): number => Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${child.pid}/io`, 'utf8'))?.[1]);
/** Looks until the program has come no further for a while. */
const untilItWaits = (child: ChildProcess): Promise<number> => {
  let [before, same] = [-1, 0];
  return until('a pause of the program', async () => {
    const now = bytesWritten(child);
    same = now === before ? same + 1 : 0;
    before = now;
    return now > 0 && same > 20 ? now : undefined;
  });
};
const paused = (line: string): boolean => line.includes('output paused');

const FLOOD = `const lines = 'flood\\n'.repeat(1000); for (;;) require('node:fs').writeSync(1, lines);`;
const QUIET = `process.stdin.on('data', (text) => process.stdout.write(text));`;

test.runIf(process.platform === 'linux')('a flooding program waits, and a quiet one beside it is heard at once', async () => {
  const [flood, quiet] = [run('flood', FLOOD), run('quiet', QUIET)];
  for (let second = 1; second <= 3; second++) {
    const written = await until('its share of lines', async () => {
      const said = (await lines('flood')).filter((line) => !paused(line));
      return said.length >= second * OUTPUT_LIMITS.lines ? said.length : undefined;
    });
    await untilItWaits(flood.child);
    expect(written).toBe(second * OUTPUT_LIMITS.lines);
    expect((await lines('flood')).filter((line) => !paused(line))).toHaveLength(written);
    quiet.child.stdin.write(`line ${second}\n`);
    await until('the quiet line', async () => (await lines('quiet')).length === second);
    flood.clock.turn(1000);
  }
  expect((await lines('flood')).filter(paused)).toHaveLength(1);
});

test.runIf(process.platform === 'linux')('so does one that writes an endless line, of which the log keeps the beginning', async () => {
  const { child, clock } = run('endless', `const text = 'x'.repeat(65536); for (;;) require('node:fs').writeSync(1, text);`);
  const first = await untilItWaits(child);
  // What was read, and what stands in the pipe and in this process.
  expect(first).toBeLessThan(OUTPUT_LIMITS.bytes + 512 * 1024);
  clock.turn(1000);
  const second = await until('its next share', async () => {
    const now = await untilItWaits(child);
    return now > first && now;
  });
  expect(second - first).toBeLessThanOrEqual(OUTPUT_LIMITS.bytes + 128 * 1024);
  const [line = '', ...others] = (await lines('endless')).filter((text) => !paused(text));
  expect(line.length).toBeLessThan(MAX_LINE + 20);
  expect(others).toEqual([]);
});

test('what a program said last is heard out, however much it was', async () => {
  const { child, writer } = run('last', `process.stdout.write('\\n'.repeat(${OUTPUT_LIMITS.lines * 3}) + 'the last word')`);
  await new Promise((ended) => child.once('exit', ended));
  await writer.heardOut(30_000);
  await writer.flushed();
  expect((await lines('last')).at(-1)).toBe('the last word');
});
