/**
 * Leadership by a session advisory lock: PostgreSQL frees it the moment the holder's connection ends, so that another replica takes
 * over from one that was killed. A lost connection alone is no loss: while the database is away nobody can take the lock, so what is
 * led goes on, and only when another session is seen to hold the lock must the holder let go (decision record 23).
 */
import type pg from 'pg';
import type { Log } from '#ports/log.ts';
import type { DirectoryLock } from './directory-lock.ts';
import { keepConnection, sleep } from './kept-connection.ts';

export interface HoldLockOptions {
  /** Also after an interruption. */
  readonly onAcquired: () => void;
  /** The session is gone. `onAcquired` or `onLost` follows, when the database is back. */
  readonly onInterrupted: () => void;
  /** Another session has the lock. Not called by `stop()`. The lock is sought again, and `onAcquired` may come again. */
  readonly onLost: () => void;
  /** Somebody else has it; called for as long as that is so. */
  readonly onElsewhere?: () => void;
  /** What replicas of one machine agree by before they ask for the lock: the one that has it gets the lock back after a restart of the database. */
  readonly fence?: (() => DirectoryLock | undefined) | undefined;
  readonly pollMs?: number;
  readonly log?: Log;
}

export interface LockHolder {
  isHeld(): boolean;
  /** Frees the lock; another can take it when this resolves. */
  stop(): Promise<void>;
}

/** A process id alone may belong to another session by now. */
interface Session {
  readonly pid: number;
  readonly since: string;
}

const POLL_MS = 500;

/** Seeks the lock named `key` until `stop()`. One connection each. Polls, since waiting inside pg_advisory_lock holds a snapshot. */
export function holdLock(config: pg.ClientConfig, key: string, options: HoldLockOptions): LockHolder {
  const { onAcquired, onElsewhere, onInterrupted, onLost, pollMs = POLL_MS, log } = options;
  let isHeld = false;
  let last: Session | undefined;
  let fence: DirectoryLock | undefined;
  const seek = async (client: pg.Client, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted && options.fence && !(fence ??= options.fence())) {
      onElsewhere?.();
      await sleep(pollMs, signal);
    }
    while (!signal.aborted && !(await tryLock(client, key))) {
      onElsewhere?.();
      if (last && (await isTaken(client, key, last))) {
        last = undefined;
        onLost();
      }
      await sleep(pollMs, signal);
    }
  };
  const connection = keepConnection(config, {
    name: `lock ${key}`,
    ...(log && { log }),
    use: async (client, signal) => {
      await seek(client, signal);
      if (signal.aborted) return;
      const session = await ownSession(client);
      // The listener below would not hear of what has happened already.
      if (signal.aborted) return;
      last = session;
      isHeld = true;
      signal.addEventListener('abort', () => {
        isHeld = false;
        if (!connection.isStopping()) onInterrupted();
      });
      onAcquired();
    },
  });
  const stop = async (): Promise<void> => {
    await connection.stop();
    fence?.release();
  };
  return { isHeld: () => isHeld, stop };
}

/** One attempt, on a session of the caller's; the lock goes with that session or with pg_advisory_unlock. */
export async function tryLock(client: pg.ClientBase, key: string): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock(hashtextextended($1, 0)) as taken', [key]);
  return rows[0]?.taken === true;
}

async function ownSession(client: pg.ClientBase): Promise<Session | undefined> {
  const { rows } = await client.query<Session>(
    'select pid, backend_start::text as since from pg_stat_activity where pid = pg_backend_pid()',
  );
  return rows[0];
}

/** True when the lock is another's. Our own last session, which the server may believe alive for a while, is ended. */
async function isTaken(client: pg.ClientBase, key: string, last: Session): Promise<boolean> {
  const { rows } = await client.query<Session>(
    `select pid, backend_start::text as since from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())
       and ((classid::bigint << 32) | objid::bigint) = hashtextextended($1, 0)`,
    [key],
  );
  const holder = rows[0];
  if (holder?.pid !== last.pid || holder.since !== last.since) return holder !== undefined;
  await client.query('select pg_terminate_backend($1)', [holder.pid]);
  return false;
}
