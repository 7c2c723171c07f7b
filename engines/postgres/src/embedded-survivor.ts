/**
 * Ends a PostgreSQL that outlived the process which started it. Normally its lifeline stops it within 0.1 s of its parent's death. This
 * waits for that, and stops it if the lifeline was killed too. Call it only while holding the directory's lock.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode } from '@slipway/foundation/caught.ts';
import { StartError } from '@slipway/foundation/start-error.ts';
import type { Log } from '@slipway/foundation/ports/log.ts';

const POLL_MS = 15;
const SHUTDOWN_MS = 20_000;
const ABORT_MS = 5000;
/** Higher than any kernel's maximum. */
const IMPOSSIBLE_PID = 99_999_999;

export async function endSurvivor(cluster: string, log: Log): Promise<void> {
  const pidFile = path.join(cluster, 'postmaster.pid');
  const pid = readPid(pidFile);
  if (pid === undefined) return;
  if (!isPostmaster(pid, cluster)) return disownPid(pidFile, pid);
  log.warn({ pid }, 'Ending the PostgreSQL that a dead process left behind');
  const isGone = () => !isPostmaster(pid, cluster);
  // The lifeline may have sent it already; a second signal changes nothing.
  signal(pid, 'SIGINT');
  if (await until(isGone, SHUTDOWN_MS)) return;
  signal(pid, 'SIGQUIT');
  if (await until(isGone, ABORT_MS)) return;
  throw new StartError(`The PostgreSQL process ${pid} still uses ${cluster} and does not stop: end it and start again`);
}

/**
 * After a restart of the machine or container another process may have the id, and PostgreSQL would refuse to start. The file itself
 * stays, since PostgreSQL uses its other lines to find backends that still use the old shared memory.
 */
function disownPid(pidFile: string, pid: number): void {
  if (!isAlive(pid)) return;
  fs.writeFileSync(pidFile, fs.readFileSync(pidFile, 'utf8').replace(/^\d+/, String(IMPOSSIBLE_PID)));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

export function readPid(pidFile: string): number | undefined {
  try {
    return Number.parseInt(fs.readFileSync(pidFile, 'utf8'), 10) || undefined;
  } catch {
    return undefined;
  }
}

/** Returns true if the process is alive and its command line names this cluster. */
export function isPostmaster(pid: number, cluster: string): boolean {
  return commandLine(pid).includes(`-D ${cluster} `);
}

function commandLine(pid: number): string {
  try {
    if (process.platform === 'linux') return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return `${execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).trim()} `;
  } catch {
    return '';
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

async function until(condition: () => boolean, ms: number): Promise<boolean> {
  const deadline = performance.now() + ms;
  while (!condition()) {
    if (performance.now() > deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}
