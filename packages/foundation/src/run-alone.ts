/** Helps to run an engine by itself, without the platform: one data directory, one password, and an orderly end. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tryLockFile } from './directory-lock.ts';
import { StartError } from './start-error.ts';

export interface OwnDirectory {
  readonly directory: string;
  release(): void;
}

/** Opens the data directory, which one process may use at a time. Relative paths are the caller's: npm changes the working directory. */
export const openOwnDirectory = (given: string): OwnDirectory => {
  const directory = path.resolve(process.env['INIT_CWD'] ?? process.cwd(), given);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const lock = tryLockFile(path.join(directory, 'lock'));
  if (!lock) throw new StartError(`Another process uses ${directory}`);
  return { directory, release: () => lock.release() };
};

export interface OwnPassword {
  readonly password: string;
  readonly passwordFile: string;
  /** Compares in constant time. */
  isPassword(given: string): boolean;
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Returns the password of the first start. A file keeps it, because command lines are visible to every user of the machine. */
export const ownPassword = (directory: string): OwnPassword => {
  const passwordFile = path.join(directory, 'password');
  if (!existsSync(passwordFile)) writeFileSync(passwordFile, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
  const password = readFileSync(passwordFile, 'utf8').trim();
  return { password, passwordFile, isPassword: (given) => timingSafeEqual(digestOf(given), digestOf(password)) };
};

/** Closes the engine when the user or the system ends the program. */
export const closeOnSignal = (close: () => Promise<void>): void => {
  // An open connection must not keep the process alive.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void close().finally(() => process.exit()));
};

const line =
  (level: string) =>
  (context: object, message: string): void =>
    void process.stderr.write(`${JSON.stringify({ level, time: new Date().toISOString(), message, ...context })}\n`);
/** Writes one JSON object per line to standard error. */
export const lineLog = { debug() {}, info: line('info'), warn: line('warn'), error: line('error') };
