/** The PostgreSQL process: starts it with a lifeline, waits until it accepts connections, and stops it gracefully. */
import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { KeptProcess } from '@slipway/foundation/processes/keep-running.ts';
import { StartError } from '@slipway/foundation/start-error.ts';
import type { PostgresDirectory } from './embedded-directory.ts';
import { isPostmaster, readPid } from './embedded-survivor.ts';

export interface LaunchOptions {
  readonly directory: PostgresDirectory;
  readonly programs: string;
  readonly cluster: string;
  /** The directory of the socket. */
  readonly socket: string;
  readonly settings: Record<string, string>;
  /** Memory limit in bytes of each process, without shared buffers. A session beyond it gets an error; the others continue. */
  readonly processBytes?: number | undefined;
}

/** `exited` resolves with the end of PostgreSQL's log. */
export type PostgresProcess = KeptProcess;

const READY_POLL_MS = 10;
const START_MS = 120_000;
const STOP_MS = 20_000;
const INTERLOCK_MS = 10_000;
const LOG_BYTES = 10_000_000;

/**
 * Standard input is the lifeline: when Node ends, even by SIGKILL, `read` returns and the shell stops PostgreSQL. The process has its own
 * process group, so that Ctrl-C in the terminal reaches only Node, which then shuts down in order. If PostgreSQL exits by itself, the
 * shell ends the reader before the process id can be reused.
 */
const LIFELINE =
  'exec 3<&0; "$@" </dev/null 3<&- & p=$!; (read x <&3; kill -INT $p) & r=$!; wait $p; s=$?; [ $s -eq 0 ] || kill $r 2>/dev/null; exit $s';

/** Sets the limit that every process of the server inherits. If the machine's limit is lower, it stays. */
const LIMITED = 'ulimit -d "$0" 2>/dev/null; exec "$@"';
const KIBIBYTE = 1024;

/** The last backends of a killed postmaster take a moment to end; PostgreSQL refuses to start until then. */
const INTERLOCK = /pre-existing shared memory block|lock file "[^"]*" already exists/;

/** Resolves when PostgreSQL accepts connections. Throws with the end of its log. */
export async function launchPostgres(options: LaunchOptions): Promise<PostgresProcess> {
  const deadline = performance.now() + INTERLOCK_MS;
  for (;;) {
    try {
      return await launchOnce(options);
    } catch (error) {
      if (!INTERLOCK.test(String(error)) || performance.now() > deadline) throw error;
      await delay(100);
    }
  }
}

async function launchOnce({ directory, programs, cluster, socket, settings, processBytes }: LaunchOptions): Promise<PostgresProcess> {
  const log = openLog(directory);
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = [path.join(programs, 'bin/postgres'), '-D', cluster, '-k', socket, ...flags];
  const limited = processBytes === undefined ? [] : ['/bin/sh', '-c', LIMITED, String(Math.floor(processBytes / KIBIBYTE))];
  const child = spawn('/bin/sh', ['-c', LIFELINE, 'slipway-postgres', ...limited, ...command], {
    ...directory.user,
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', log.descriptor],
    env: { PATH: process.env.PATH, TZ: 'UTC' },
  });
  fs.closeSync(log.descriptor);
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(`PostgreSQL ended with ${signal ?? `status ${code}`}: ${log.tail()}`));
  });
  const stop = () => endLifeline(child, cluster, exited);
  try {
    await waitUntilReady(cluster, exited);
  } catch (error) {
    await stop();
    throw error;
  }
  return { exited, stop };
}

async function waitUntilReady(cluster: string, exited: Promise<string>): Promise<void> {
  let failure: string | undefined;
  void exited.then((detail) => (failure = detail));
  const deadline = performance.now() + START_MS;
  while (!isReady(cluster)) {
    if (failure !== undefined) throw new StartError(failure);
    // Recovery after a power failure replays the log first, which may take long.
    if (performance.now() > deadline) throw new StartError(`PostgreSQL did not get ready within ${START_MS / 1000} s`);
    await delay(READY_POLL_MS);
  }
}

/** Reads the eighth line of postmaster.pid. A dead server may have left the file, so the process is checked too. */
function isReady(cluster: string): boolean {
  const file = path.join(cluster, 'postmaster.pid');
  const lines = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n') : [];
  return lines[7]?.trim() === 'ready' && isPostmaster(Number(lines[0]), cluster);
}

async function endLifeline(child: ChildProcess, cluster: string, exited: Promise<string>): Promise<void> {
  child.stdin?.on('error', () => {});
  child.stdin?.end();
  const timeout = new AbortController();
  const late = delay(STOP_MS, 'late', { signal: timeout.signal }).catch(() => undefined);
  const pid = (await Promise.race([exited, late])) === 'late' ? readPid(path.join(cluster, 'postmaster.pid')) : undefined;
  timeout.abort();
  if (pid !== undefined && isPostmaster(pid, cluster)) process.kill(pid, 'SIGQUIT');
  await exited;
}

function openLog({ home }: PostgresDirectory): { descriptor: number; tail: () => string } {
  const file = path.join(home, 'postgres.log');
  if ((fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES) fs.renameSync(file, `${file}.1`);
  const descriptor = fs.openSync(file, 'a', 0o600);
  const start = fs.fstatSync(descriptor).size;
  const tail = () => fs.readFileSync(file).subarray(start).toString('utf8').trim().split('\n').slice(-4).join(' | ');
  return { descriptor, tail };
}
