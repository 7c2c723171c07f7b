/**
 * Lock that allows one agent per data directory and one edge per machine's data. The agent holds it from start to end, and the kernel frees
 * it however the agent ends. A file next to the lock names the holder, so that servers can kill a hung agent. Both files have the same
 * format in every protocol version.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { killQuietly, readProcess } from '../../sandbox/process-tree.ts';
import { tryLockFile, type DirectoryLock } from '@slipway/foundation/directory-lock.ts';

interface Agent {
  readonly pid: number;
  readonly startTicks?: number | undefined;
}
const RETRY_MS = 50;

const lockFile = (dataDir: string): string => join(dataDir, 'agent.lock');
const agentFile = (dataDir: string): string => `${lockFile(dataDir)}.pid`;

/** Returns undefined if another agent holds the lock for longer than `patienceMs`. */
export async function takeAgentLock(dataDir: string, patienceMs: number): Promise<DirectoryLock | undefined> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const lock = tryLockFile(lockFile(dataDir));
    if (lock) {
      const agent: Agent = { pid: process.pid, startTicks: readProcess(process.pid)?.startTicks };
      writeFileSync(agentFile(dataDir), JSON.stringify(agent), { mode: 0o600 });
      return lock;
    }
    if (performance.now() > deadline) return undefined;
    await delay(RETRY_MS);
  }
}

/** Returns the pid of the active agent, or undefined. */
export function actingAgent(dataDir: string): number | undefined {
  try {
    const { pid, startTicks } = JSON.parse(readFileSync(agentFile(dataDir), 'utf8')) as Agent;
    const found = readProcess(pid);
    return found && found.startTicks === startTicks ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Kills the agent and everything it runs: instances end with their agent. */
export function killAgent(dataDir: string): void {
  const pid = actingAgent(dataDir);
  if (pid !== undefined) killQuietly(pid, 'SIGKILL');
}

/** Returns true when no agent is active. */
export async function agentEnded(dataDir: string, patienceMs: number): Promise<boolean> {
  const deadline = performance.now() + patienceMs;
  while (actingAgent(dataDir) !== undefined) {
    if (performance.now() > deadline) return false;
    await delay(RETRY_MS);
  }
  return true;
}
