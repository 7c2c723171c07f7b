/** Runs key rotations, one worker at a time. If that worker dies, another one resumes the rotation in its next round. */
import type { Pool } from 'pg';
import { tryLock } from '#db/advisory-lock.ts';
import { Rounds } from '#kernel/rounds.ts';
import { runningRotation } from './keys.sql.ts';
import { carryOut, type RotationDeps } from './rotate.ts';

const EVERY_MS = 1000;
const LOCK = 'slipway:key-rotation';

export const keyRotator = (deps: RotationDeps, pool: Pool): Rounds => {
  const round = async (signal: AbortSignal): Promise<void> => {
    const rotation = await runningRotation(deps.db);
    if (!rotation) return;
    // Uses its own session, so that PostgreSQL releases the lock as soon as this process is gone.
    const client = await pool.connect();
    let isLocked = false;
    try {
      isLocked = await tryLock(client, LOCK);
      if (isLocked) await carryOut(deps, rotation.id, signal);
    } finally {
      // A session that still holds the lock must not return to the pool.
      client.release(isLocked);
    }
  };
  return new Rounds({ everyMs: EVERY_MS, round, log: deps.log, warning: 'The rotation of the key is held up; trying again' });
};
