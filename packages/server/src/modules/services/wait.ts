/** Waits for what the runtime reports: a step writes the wanted state, then waits here for the observed one. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '#db/database.ts';
import { PortFailure } from '#ports/failure.ts';
import { observeRevision, type Observed } from './rollout.sql.ts';

const pollMs = 50;
/** The holder writes every 2 s; silent for so long, nobody drives the runtime. */
const silentSeconds = 15;

/**
 * Polls until `check` answers something. While nobody drives the runtime there is nothing to wait for: `unavailable` makes the
 * pipeline say so and try again.
 */
export const waitForRevision = async <T>(
  db: Db,
  id: string,
  signal: AbortSignal,
  check: (seen: Observed) => T | undefined | Promise<T | undefined>,
): Promise<T> => {
  for (;;) {
    const seen = await observeRevision(db, id);
    if (!seen) throw new Error(`Revision ${id} is gone`);
    const answer = await check(seen);
    if (answer !== undefined) return answer;
    if (seen.runtimeSeenSeconds === null || seen.runtimeSeenSeconds > silentSeconds) {
      throw new PortFailure('unavailable', 'No replica drives the runtime', { context: { engine: 'runtime' } });
    }
    await delay(pollMs, undefined, { signal });
  }
};

/** Resolves when nothing of the revision runs any more. */
export const waitUntilStopped = (db: Db, id: string, signal: AbortSignal): Promise<true> =>
  waitForRevision(db, id, signal, (seen) =>
    seen.instances.length === 0 && (seen.status === 'NO_INSTANCES' || seen.status === 'DELETED') ? true : undefined,
  );
