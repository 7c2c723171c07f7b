/**
 * One agent acts on a data directory. The kernel frees the lock with its holder; a holder that outlived its server, because it stood
 * still when the server ended, is ended by the next one, and everything it runs with it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { killQuietly, readProcess } from '#adapters/sandbox/process-tree.ts';
import { tryLockFile, type DirectoryLock } from '#db/directory-lock.ts';
import { PortFailure } from '#ports/failure.ts';
import type { Log } from '#ports/log.ts';

interface Holder {
  readonly pid: number;
  readonly startTicks?: number | undefined;
  readonly server: number;
}
const RETRY_MS = 50;

export class AgentLock {
  readonly #file: string;
  readonly #log: Log;
  /** Of this agent: remembered, since an orphan has another parent. */
  readonly #server = process.ppid;
  #lock: DirectoryLock | undefined;

  constructor(dataDir: string, log: Log) {
    this.#file = join(dataDir, 'agent.lock');
    this.#log = log;
  }

  async take(patienceMs: number): Promise<void> {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      this.#lock ??= tryLockFile(this.#file);
      if (this.#lock) break;
      this.#endOrphan();
      if (performance.now() > deadline) {
        throw new PortFailure('unavailable', `Another node agent (process ${this.#holder()?.pid}) acts on this data directory.`);
      }
      await delay(RETRY_MS);
    }
    const holder: Holder = { pid: process.pid, startTicks: readProcess(process.pid)?.startTicks, server: this.#server };
    writeFileSync(`${this.#file}.holder`, JSON.stringify(holder), { mode: 0o600 });
  }

  release(): void {
    this.#lock?.release();
    this.#lock = undefined;
  }

  #endOrphan(): void {
    const holder = this.#holder();
    if (holder?.startTicks === undefined) return;
    const found = readProcess(holder.pid);
    if (found?.startTicks !== holder.startTicks || found.parent === holder.server) return;
    this.#log.warn({ pid: holder.pid }, 'A node agent outlived its server: it is ended');
    killQuietly(holder.pid, 'SIGKILL');
  }

  #holder(): Holder | undefined {
    try {
      return JSON.parse(readFileSync(`${this.#file}.holder`, 'utf8')) as Holder;
    } catch {
      return undefined;
    }
  }
}
