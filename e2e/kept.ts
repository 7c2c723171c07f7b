/**
 * Runs a program for as long as somebody holds this one's standard input open, then ends it, and removes its data directory:
 * `node kept.ts <data directory> <program> <arguments…>`. However a run ends, also by kill -9, nothing of it goes on.
 */
import { spawn } from 'node:child_process';
import { realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const GRACE_MS = 30_000;
const [data = '', program = '', ...args] = process.argv.slice(2);
/** As root the database lies elsewhere, behind a link, which is there once the server has made it. */
const databaseOf = (directory: string): string => {
  try {
    return realpathSync(join(directory, 'pg'));
  } catch {
    return directory;
  }
};

const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });

const end = (): void => {
  child.kill('SIGTERM');
  setTimeout(() => child.kill('SIGKILL'), GRACE_MS).unref();
};
process.stdin.resume().once('close', end);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);

child.once('close', (code) => {
  for (const path of [databaseOf(data), data]) rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  process.exit(code ?? 1);
});
