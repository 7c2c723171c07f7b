/** PostgreSQL's own programs, if the machine has a version that fits the server. They copy what our own copy cannot. */
import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import tls from 'node:tls';
import { promisify } from 'node:util';
import type { CopySession } from './session.ts';

export const pathFolders = (): string[] => (process.env['PATH'] ?? '').split(path.delimiter).filter(Boolean);
/** `18.4` is of the major version 18. */
export const majorOf = (version: string): number => Number.parseInt(version, 10);

/** The first version whose pg_restore sets `transaction_timeout`, which older servers refuse. */
const SETS_TRANSACTION_TIMEOUT = 17;
const fits = (name: string, major: number, server: number): boolean =>
  major === server || (major > server && (name === 'pg_dump' || server >= SETS_TRANSACTION_TIMEOUT));

/** Returns the first program that fits a server of this major version, by default from the PATH. An older program refuses the server. */
export const findProgram = async (
  name: 'pg_dump' | 'pg_restore',
  major: number,
  folders: readonly string[] = pathFolders(),
): Promise<string | undefined> => {
  for (const folder of folders) {
    const program = path.join(folder, name);
    const { stdout } = await promisify(execFile)(program, ['--version']).catch(() => ({ stdout: '' }));
    if (fits(name, Number(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1] ?? 0), major)) return program;
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

let authorities: string | undefined;
/** Writes the authorities that this process trusts to a file for libpq: Node's own, and those of `NODE_EXTRA_CA_CERTS`. */
const authoritiesFile = (): string => {
  if (authorities !== undefined && fs.existsSync(authorities)) return authorities;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-authorities-'));
  process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  authorities = path.join(folder, 'authorities.pem');
  fs.writeFileSync(authorities, tls.getCACertificates('default').join('\n'));
  return authorities;
};

/** Starts a program on a database. The password is in its environment, which other users of the machine cannot read. */
export const startProgram = (
  program: string,
  { host, port, sslMode, database, user, password }: CopySession,
  { args, signal }: { readonly args: readonly string[]; readonly signal: AbortSignal },
): RunningProgram => {
  const login = { PGHOST: host, PGPORT: String(port), PGUSER: user, PGPASSWORD: password, PGDATABASE: database, PGSSLMODE: sslMode };
  const trusted = sslMode.startsWith('verify') ? { PGSSLROOTCERT: authoritiesFile() } : {};
  const env = { PATH: process.env['PATH'], LC_ALL: 'C', PGAPPNAME: 'Slipway: backup', ...login, ...trusted };
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
