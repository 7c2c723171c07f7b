/** The broker's program. See program.ts for its input and output. */
import { mkdirSync, writeSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { tryLockFile } from '@slipway/foundation/directory-lock.ts';
import { startBroker } from './broker.ts';
import { BrokerOptions } from './program.ts';

const STDERR = 2;
const log = (level: 'info' | 'warn' | 'error', message: string, detail: Readonly<Record<string, unknown>> = {}): void => {
  try {
    writeSync(STDERR, `${JSON.stringify({ level, time: new Date().toISOString(), message, ...detail })}\n`);
  } catch {
    // The log may be on the full disk. The program must not die of that, since it can still read and delete.
  }
};

const lines = createInterface({ input: process.stdin });
const ended = new Promise<void>((resolve) => {
  lines.once('close', resolve);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
});
const firstLine = new Promise<string>((resolve) => lines.once('line', resolve));

/** Parses the options. Errors never quote them, because they contain a password. */
const optionsOf = (line: string): BrokerOptions => {
  const read = BrokerOptions.safeParse(JSON.parse(line));
  if (read.success) return read.data;
  throw new Error(`the options make no sense: ${read.error.issues.map(({ path: place }) => place.join('.')).join(', ')}`);
};

const run = async (): Promise<void> => {
  const line = await Promise.race([firstLine, ended.then(() => undefined)]);
  if (line === undefined) return;
  const options = optionsOf(line);
  mkdirSync(options.directory, { recursive: true, mode: 0o700 });
  const lock = tryLockFile(path.join(options.directory, 'lock'));
  if (lock === undefined) throw new Error('another broker works in this directory');
  const broker = await startBroker(options, log);
  process.stdout.write(`${JSON.stringify(broker.ready)}\n`);
  await ended;
  await broker.close();
  lock.release();
};

try {
  await run();
} catch (error) {
  log('error', error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
// An open connection must not keep the process alive.
process.exit();
