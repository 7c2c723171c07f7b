/**
 * Rewraps all data keys with the newest key, one small row at a time. Values stay untouched. An interrupted rotation resumes where it
 * stopped.
 */
import type { Db } from '#db/database.ts';
import { recordPlatformActivity } from '#modules/activity/index.ts';
import { isPortFailure } from '#ports/failure.ts';
import type { Keys } from '#ports/keys.ts';
import type { Log } from '#ports/log.ts';
import { firstPosition, nextWrapped, remaining, replaceWrapped, type Position, type WrappedRow } from './keys.sql.ts';

const BATCH = 100;
/** Further passes find rows that were wrapped with the old key but committed after the previous pass. */
const PASSES = 5;

export interface RotationDeps {
  readonly db: Db;
  readonly keys: Keys;
  readonly log: Log;
}

/** Returns false if the row does not open. The row stays unchanged and is counted. Throws if the key engine is unavailable. */
const rewrap = async ({ db, keys, log }: RotationDeps, row: WrappedRow): Promise<boolean> => {
  try {
    const key = await keys.unwrap(row.wrapped, row.purpose);
    await replaceWrapped(db, row, await keys.wrap(key, row.purpose));
    return true;
  } catch (error) {
    if (!isPortFailure(error, 'rejected')) throw error;
    log.error({ err: error, kid: row.wrapped.kid, purpose: row.purpose }, 'A wrapped key does not open; it stays with its old key');
    return false;
  }
};

/** Returns the number of rows that did not open. */
const pass = async (deps: RotationDeps, kid: string, signal: AbortSignal): Promise<number> => {
  let failed = 0;
  let after: Position = firstPosition;
  for (;;) {
    const rows = await nextWrapped(deps.db, kid, after, BATCH);
    for (const row of rows) {
      signal.throwIfAborted();
      if (!(await rewrap(deps, row))) failed += 1;
    }
    const last = rows.at(-1);
    if (last) after = last.at;
    else if (after.table === 'secret_version') after = { table: 'platform_key', id: '', version: 0 };
    else return failed;
  }
};

/** Runs or resumes the rotation with this id. Rejects when `signal` aborts, and can be called again. */
export const carryOut = async (deps: RotationDeps, id: string, signal: AbortSignal): Promise<void> => {
  const { db, keys } = deps;
  const kid = await keys.currentKid();
  await db.updateTable('key_rotation').set({ kid }).where('id', '=', id).execute();
  let failed = await pass(deps, kid, signal);
  for (let passes = 1; passes < PASSES && (await remaining(db, kid)) > failed; passes++) failed = await pass(deps, kid, signal);
  await db.transaction().execute(async (trx) => {
    const ended = await trx
      .updateTable('key_rotation')
      .set({ state: failed > 0 ? 'FAILED' : 'COMPLETED', failed, finished_at: new Date() })
      .where('id', '=', id)
      .where('state', '=', 'RUNNING')
      .returning(['total'])
      .executeTakeFirst();
    if (!ended) return;
    await recordPlatformActivity(trx, {
      type: 'keyRotationCreate',
      reason: failed > 0 ? 'FAILED' : 'COMPLETED',
      level: failed > 0 ? 'ERROR' : 'INFO',
      message: failed > 0 ? `${failed} wrapped keys do not open and stay with their old key` : `Everything is wrapped with ${kid}`,
      outcome: failed > 0 ? 'FAILED' : 'DONE',
    });
  });
};
