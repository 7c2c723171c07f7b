/**
 * Leadership by a session advisory lock: PostgreSQL frees it the moment the holder's connection ends, so that another replica takes
 * over from one that was killed. A holder must stop acting in `onLost`: by then another may already have the lock.
 */
import type pg from 'pg';
import type { Log } from '#ports/log.ts';
import { keepConnection, sleep } from './kept-connection.ts';

export interface HoldLockOptions {
  readonly onAcquired: () => void;
  /** Not called by `stop()`. After it the lock is sought again, and `onAcquired` may come again. */
  readonly onLost: () => void;
  /** Somebody else has it; called for as long as that is so. */
  readonly onElsewhere?: () => void;
  readonly pollMs?: number;
  readonly log?: Log;
}

export interface LockHolder {
  isHeld(): boolean;
  /** Frees the lock; another can take it when this resolves. */
  stop(): Promise<void>;
}

const POLL_MS = 500;

/** Seeks the lock named `key` until `stop()`. One connection each. Polls, since waiting inside pg_advisory_lock holds a snapshot. */
export function holdLock(config: pg.ClientConfig, key: string, options: HoldLockOptions): LockHolder {
  const { onAcquired, onElsewhere, onLost, pollMs = POLL_MS, log } = options;
  let isHeld = false;
  const connection = keepConnection(config, {
    name: `lock ${key}`,
    ...(log && { log }),
    use: async (client, signal) => {
      while (!signal.aborted && !(await tryLock(client, key))) {
        onElsewhere?.();
        await sleep(pollMs, signal);
      }
      if (signal.aborted) return;
      isHeld = true;
      signal.addEventListener('abort', () => {
        isHeld = false;
        if (!connection.isStopping()) onLost();
      });
      onAcquired();
    },
  });
  return { isHeld: () => isHeld, stop: connection.stop };
}

/** One attempt, on a session of the caller's; the lock goes with that session or with pg_advisory_unlock. */
export async function tryLock(client: pg.ClientBase, key: string): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock(hashtextextended($1, 0)) as taken', [key]);
  return rows[0]?.taken === true;
}
