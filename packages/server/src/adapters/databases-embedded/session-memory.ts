/**
 * Keeps all sessions of the embedded server together within a share of the machine's memory. Each session has a limit of its own, but many
 * sessions could exhaust the machine. The kernel would then kill a process, and PostgreSQL ends every session if one of its processes is
 * killed. This watch makes PostgreSQL end single sessions before that happens.
 */
import os from 'node:os';
import { knownDescendants, memoryOf } from '@slipway/runtime/sandbox/process-tree.ts';
import { withClient } from '#db/connections.ts';
import type { EmbeddedConnection } from '#db/embedded-postgres.ts';
import type { Log } from '#ports/log.ts';

const EVERY_MS = 250;
/** Every session may show this much shared memory, which exists once. Only a parallel query maps more, for itself. */
const SERVER_SHARED_BYTES = 256 * 2 ** 20;

const bytesOf = (pid: number): number => {
  const { anonymousBytes, sharedBytes } = memoryOf(pid);
  return anonymousBytes + Math.max(0, sharedBytes - SERVER_SHARED_BYTES);
};

export interface SessionMemory {
  readonly pid: number;
  readonly database: string;
  readonly bytes: number;
}

/** Returns the sessions to end: the largest ones of the database that uses most, until the rest fits. */
export const sessionsBeyond = (sessions: readonly SessionMemory[], budgetBytes: number): SessionMemory[] => {
  const sumOf = (some: readonly SessionMemory[]): number => some.reduce((sum, { bytes }) => sum + bytes, 0);
  const left = new Map([...Map.groupBy(sessions, ({ database }) => database)].map(([name, own]) => [name, own.toSorted(bySize)]));
  const ended: SessionMemory[] = [];
  for (let used = sumOf(sessions); used > budgetBytes; used = sumOf([...left.values()].flat())) {
    const [heaviest = []] = [...left.values()].toSorted((one, other) => sumOf(other) - sumOf(one));
    const largest = heaviest.shift();
    if (!largest) break;
    ended.push(largest);
  }
  return ended;
};
const bySize = (one: SessionMemory, other: SessionMemory): number => other.bytes - one.bytes;

export interface SessionMemoryOptions {
  /** Returns the pid of the running server, if any. */
  readonly postmaster: () => number | undefined;
  readonly connection: EmbeddedConnection;
  readonly budgetBytes: number;
  readonly log: Log;
}

export class SessionMemoryWatch {
  readonly #options: SessionMemoryOptions;
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> | undefined;

  constructor(options: SessionMemoryOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#tick(), EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  #tick(): void {
    const { budgetBytes, postmaster, log } = this.#options;
    // The sessions cannot use more than the whole machine does.
    if (this.#looking || os.totalmem() - os.freemem() <= budgetBytes) return;
    const pid = postmaster();
    const sizes = new Map((pid === undefined ? [] : knownDescendants(pid)).map((child) => [child, bytesOf(child)]));
    if ([...sizes.values()].reduce((sum, bytes) => sum + bytes, 0) <= budgetBytes) return;
    this.#looking = this.#endLargest(sizes)
      .catch((error: unknown) => log.warn({ err: error }, 'Sessions of databases use too much memory and could not be ended; trying again'))
      .finally(() => (this.#looking = undefined));
  }

  /** Ends sessions of apps only: the platform's own role is left out, and so are the server's own processes. */
  async #endLargest(sizes: ReadonlyMap<number, number>): Promise<void> {
    const { connection, budgetBytes, log } = this.#options;
    await withClient({ ...connection, application_name: 'slipway-databases' }, async (client) => {
      const { rows } = await client.query<{ pid: number; database: string }>(
        'select pid, datname::text as database from pg_stat_activity where datname is not null and usename <> current_user',
      );
      const sessions = rows.map(({ pid, database }) => ({ pid, database, bytes: sizes.get(pid) ?? 0 }));
      for (const { pid, database, bytes } of sessionsBeyond(sessions, budgetBytes)) {
        await client.query('select pg_terminate_backend(pid) from pg_stat_activity where pid = $1 and datname = $2', [pid, database]);
        log.warn({ database, bytes }, 'Ended a session: all sessions together used too much memory');
      }
    });
  }
}
