/** Takes a service off the edge and stops whatever of it runs. */
import type { Db } from '#db/database.ts';
import { liveRevisions, setServing, wantRevision } from './rollout.sql.ts';
import type { ServiceKey } from '../services.sql.ts';
import { waitUntilRouted, waitUntilStopped } from './wait.ts';

export const stopAll = async (db: Db, key: ServiceKey, signal: AbortSignal, log: (line: string) => void): Promise<void> => {
  const revisions = await liveRevisions(db, key);
  await setServing(db, key, []);
  for (const revision of revisions) await wantRevision(db, key, revision.id, { replicas: 0 });
  for (const revision of revisions) {
    await waitUntilStopped(db, revision.id, signal);
    log(`${revision.name} stopped`);
  }
  await waitUntilRouted(db, key, [], signal);
};
