/** A cluster-wide lock for short work, by polling: pg_advisory_lock itself would wait with a snapshot open and block others' DDL. */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';

const POLL_MS = 25;

/** Runs `work` while no other session holds `name`. */
export async function pollLock<Result>(pool: pg.Pool, name: string, work: () => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  try {
    while (!(await tryLock(client, name))) await delay(POLL_MS);
    return await work();
  } finally {
    // Ends the session, and with it the lock, also when the connection is broken.
    client.release(true);
  }
}

/** True when this session now holds the lock; it keeps it until it unlocks or ends. */
export async function tryLock(client: pg.ClientBase, name: string): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock(hashtextextended($1, 0)) as taken', [name]);
  return rows[0]?.taken === true;
}

export async function unlock(client: pg.ClientBase, name: string): Promise<void> {
  await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name]);
}
