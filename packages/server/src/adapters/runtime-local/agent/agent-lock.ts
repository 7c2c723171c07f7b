/**
 * One agent acts on a data directory, and one edge on a machine's data: an agent has this lock from its first moment to its end, and the
 * kernel frees it however that end comes. Beside the lock stands who has it, for the servers that must end one that stands still. Both
 * files stay as they are in every protocol.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { killQuietly, readProcess } from '#adapters/sandbox/process-tree.ts';
import { tryLockFile, type DirectoryLock } from '#db/directory-lock.ts';

interface Agent {
  readonly pid: number;
  readonly startTicks?: number | undefined;
}
const RETRY_MS = 50;

const lockFile = (dataDir: string): string => join(dataDir, 'agent.lock');
const agentFile = (dataDir: string): string => `${lockFile(dataDir)}.pid`;

/** Undefined where another agent keeps it for longer than `patienceMs`. */
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

/** The process of the agent that acts there; undefined where none does. */
export function actingAgent(dataDir: string): number | undefined {
  try {
    const { pid, startTicks } = JSON.parse(readFileSync(agentFile(dataDir), 'utf8')) as Agent;
    const found = readProcess(pid);
    return found && found.startTicks === startTicks ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** With all that it runs: instances end with their agent. */
export function killAgent(dataDir: string): void {
  const pid = actingAgent(dataDir);
  if (pid !== undefined) killQuietly(pid, 'SIGKILL');
}

/** True when none acts there any more. */
export async function agentEnded(dataDir: string, patienceMs: number): Promise<boolean> {
  const deadline = performance.now() + patienceMs;
  while (actingAgent(dataDir) !== undefined) {
    if (performance.now() > deadline) return false;
    await delay(RETRY_MS);
  }
  return true;
}
