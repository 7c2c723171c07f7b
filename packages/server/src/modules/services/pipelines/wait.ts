/** Waits for observed state: a step writes the desired state, then waits here until the runtime reports it. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '#db/database.ts';
import { PortFailure } from '#ports/failure.ts';
import { ENGINE_AWAY } from '#ports/runtime.ts';
import { liveRevisions, observeRevision, routedOf, runtimeSeen, setServing, wantRevision, type Observed } from './rollout.sql.ts';
import type { ServiceRef } from '../services.sql.ts';

const POLL_MS = 50;
/** The holder writes every 2 seconds. After this time without a write, the runtime counts as down. */
const SILENT_SECONDS = 15;
const LOOK_EVERY = 20;

/** Polls until `look` returns a value. Throws `unavailable` without a runtime holder, or while its engine is away, so that the pipeline reports it and retries. */
const waitFor = async <T>(db: Db, signal: AbortSignal, look: () => Promise<T | undefined>): Promise<T> => {
  for (let tries = 1; ; tries++) {
    const answer = await look();
    if (answer !== undefined) return answer;
    if (tries % LOOK_EVERY === 0) {
      const seen = await runtimeSeen(db);
      if (seen?.serving?.startsWith(ENGINE_AWAY)) throw new PortFailure('unavailable', seen.serving, { context: { engine: 'runtime' } });
      if (!seen || seen.seconds > SILENT_SECONDS)
        throw new PortFailure('unavailable', 'No replica drives it', { code: 'RuntimeDown', context: { engine: 'runtime' } });
    }
    await delay(POLL_MS, undefined, { signal });
  }
};

const epoch = new Date(0);

/** `check` sees only problems since `since`: a revision that is enabled again may have had earlier ones. */
export const waitForRevision = <T>(
  db: Db,
  id: string,
  signal: AbortSignal,
  check: (seen: Observed) => T | undefined | Promise<T | undefined>,
  since: Date = epoch,
): Promise<T> =>
  waitFor(db, signal, async () => {
    const seen = await observeRevision(db, id, since);
    if (!seen) throw new Error(`Revision ${id} is gone`);
    return check(seen);
  });

/** Resolves when no instance of the revision runs. */
export const waitUntilStopped = (db: Db, id: string, signal: AbortSignal): Promise<true> =>
  waitForRevision(db, id, signal, (seen) =>
    seen.instances.length === 0 && (seen.status === 'NO_INSTANCES' || seen.status === 'DELETED') ? true : undefined,
  );

/** Resolves when the runtime has deleted the revision. A stopped revision may not be deleted yet. */
export const waitUntilDeleted = (db: Db, id: string, signal: AbortSignal): Promise<true> =>
  waitForRevision(db, id, signal, (seen) => (seen.status === 'DELETED' ? true : undefined));

/** Resolves when the edge routes only to these revisions, or the service was deleted. */
export const waitUntilRouted = (db: Db, service: ServiceRef, revisions: readonly string[], signal: AbortSignal): Promise<true> =>
  waitFor(db, signal, async () => {
    const routed = await routedOf(db, service.id);
    return routed === undefined || routed.join() === revisions.join() ? true : undefined;
  });

/** Removes a service's routes and stops all its instances. */
export const stopAll = async (db: Db, service: ServiceRef, signal: AbortSignal, log: (line: string) => void): Promise<void> => {
  const revisions = await liveRevisions(db, service.id);
  await setServing(db, service, []);
  for (const revision of revisions) await wantRevision(db, service, revision.id, { replicas: 0 });
  for (const revision of revisions) {
    await waitUntilStopped(db, revision.id, signal);
    log(`${revision.name} stopped`);
  }
  await waitUntilRouted(db, service, [], signal);
};
