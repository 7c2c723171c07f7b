/** PostgreSQL's own programs, if the machine has a version that fits the server. They copy what our own copy cannot. */
import { execFile, spawn } from 'node:child_process';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { CopySession } from './session.ts';

export const pathFolders = (): string[] => (process.env['PATH'] ?? '').split(path.delimiter).filter(Boolean);
/** `18.4` is of the major version 18. */
export const majorOf = (version: string): number => Number.parseInt(version, 10);

/** Returns the first program with at least this major version, by default from the PATH. An older one refuses the server. */
export const findProgram = async (
  name: 'pg_dump' | 'pg_restore',
  major: number,
  folders: readonly string[] = pathFolders(),
): Promise<string | undefined> => {
  for (const folder of folders) {
    const program = path.join(folder, name);
    const { stdout } = await promisify(execFile)(program, ['--version']).catch(() => ({ stdout: '' }));
    if (Number(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1] ?? 0) >= major) return program;
  }
  return undefined;
};

export interface RunningProgram {
  readonly input: Writable;
  readonly output: Readable;
  /** Rejects with the program's first error unless it succeeds. */
  readonly ended: Promise<void>;
  stop(): void;
}

/** Starts a program on a database. The password is in its environment, which other users of the machine cannot read. */
export const startProgram = (
  program: string,
  { host, port, sslMode, database, user, password }: CopySession,
  { args, signal }: { readonly args: readonly string[]; readonly signal: AbortSignal },
): RunningProgram => {
  const login = { PGHOST: host, PGPORT: String(port), PGUSER: user, PGPASSWORD: password, PGDATABASE: database, PGSSLMODE: sslMode };
  const authorities = sslMode === 'verify-full' ? { PGSSLROOTCERT: 'system' } : {};
  const env = { PATH: process.env['PATH'], LC_ALL: 'C', PGAPPNAME: 'Slipway: backup', ...login, ...authorities };
  const child = spawn(program, args, { env, cwd: '/', signal, stdio: ['pipe', 'pipe', 'pipe'] });
  const errors = text(child.stderr);
  // A program that fails closes its input. Its error says why.
  child.stdin.on('error', () => {});
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else errors.then((said) => reject(new Error(firstError(said))), reject);
    });
  });
  ended.catch(() => undefined);
  return { input: child.stdin, output: child.stdout, ended, stop: () => void child.kill('SIGKILL') };
};

/** Returns the main message only: the lines after it may quote rows. */
const firstError = (said: string): string => {
  const lines = said.split('\n');
  return lines.find((line) => /\berror: /.test(line)) ?? lines[0] ?? '';
};
