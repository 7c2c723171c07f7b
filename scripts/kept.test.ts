/** The server of the journeys in the browser ends with the run, however that ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const kept = resolve(import.meta.dirname, '../e2e/kept.ts');
let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'slipway-kept-')));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test.each<NodeJS.Signals>(['SIGKILL', 'SIGTERM', 'SIGINT'])('a run that is ended by %s leaves no server and no data', async (signal) => {
  const [data, database] = [join(folder, `data-${signal}`), join(folder, `database-${signal}`)];
  for (const path of [data, database]) mkdirSync(path);
  symlinkSync(database, join(data, 'pg'));
  const pidFile = join(folder, `pid-${signal}`);
  const server = `require('fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => {}, 1000);`;
  const command = JSON.stringify([kept, data, process.execPath, '-e', server]);
  const options = `{ stdio: ['pipe', 'inherit', 'inherit'], detached: true }`;
  const run = spawn(process.execPath, ['-e', `require('child_process').spawn(process.execPath, ${command}, ${options});`], {
    stdio: 'inherit',
  });
  await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8')).toMatch(/^\d+$/);
  const pid = Number(readFileSync(pidFile, 'utf8'));
  expect(isRunning(pid)).toBe(true);
  run.kill(signal);
  await once(run, 'exit');
  await expect.poll(() => isRunning(pid) || existsSync(data) || existsSync(database)).toBe(false);
});
