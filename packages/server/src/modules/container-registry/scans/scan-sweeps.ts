/** Sweeps for changes that no event announced: pushes whose replica died, outdated results, and scans of deleted images. */
import { sql } from 'kysely';
import { transaction, type Db } from '#db/database.ts';
import type { Registry } from '#ports/registry.ts';
import { forgetPlace, queueScan, turns } from './scan-queue.sql.ts';
import { READER } from './scan-result.sql.ts';

/** A slow push becomes visible late, with an earlier time. Each look goes back this far. */
const LATE_MS = 60_000;
const PUSHES = 500;
const PLACES = 200;
/** The platform's own project. Its content is also part of the images built from it. */
const OWN_PROJECT = 'library/';
export const isScanned = (repository: string): boolean => !repository.startsWith(OWN_PROJECT);

/** Queues scans for pushes since the last look. Returns true if there may be more. */
export const queuePushes = async (db: Db, registry: Pick<Registry, 'pushes'>): Promise<boolean> => {
  const { pushed_at: seen } = await db.selectFrom('image_scan_watermark').select('pushed_at').executeTakeFirstOrThrow();
  const pushes = await registry.pushes(new Date(Math.max(0, seen.getTime() - LATE_MS)), PUSHES);
  const last = pushes.at(-1);
  if (!last) return false;
  const digests = pushes.map(({ digest }) => digest);
  const known = await db.selectFrom('image_scan_place').select(['digest', 'repository']).where('digest', 'in', digests).execute();
  const places = new Set(known.map(({ digest, repository }) => `${repository}@${digest}`));
  for (const { digest, repository } of pushes) {
    if (places.has(`${repository}@${digest}`) || !isScanned(repository)) continue;
    await transaction(db, (trx) => queueScan(trx, { digest, repository }, { turn: turns.pushed, isAgain: false }));
  }
  await db.updateTable('image_scan_watermark').set({ pushed_at: last.pushedAt }).where('pushed_at', '<', last.pushedAt).execute();
  return pushes.length === PUSHES && last.pushedAt > seen;
};

/** Queues results of an outside scanner that are due, and results of an earlier reader, also of a replica that is not upgraded yet. */
export const queueRenewals = async (db: Db): Promise<void> => {
  const again = db
    .updateTable('image_scan')
    .set({ state: 'QUEUED', since: sql<Date>`now()`, due_at: sql<Date>`now()`, turn: turns.renewed, tries: 0, renew_at: null });
  await again
    .where('renew_at', '<', sql<Date>`now()`)
    .where('state', 'in', ['COMPLETED', 'FAILED'])
    .execute();
  await again.where('reader', '<', READER).where('state', '=', 'COMPLETED').where('renew_at', 'is', null).execute();
};

/** Checks the places that were checked longest ago and forgets deleted images. Deletes idle scans that have no place. */
export const forgetGone = async (db: Db, registry: Pick<Registry, 'image'>): Promise<void> => {
  const places = await db.selectFrom('image_scan_place').select(['digest', 'repository']).orderBy('seen_at').limit(PLACES).execute();
  for (const { digest, repository } of places) {
    if (!(await registry.image(repository, digest))) await forgetPlace(db, { digest, repository });
    else
      await db
        .updateTable('image_scan_place')
        .set({ seen_at: sql<Date>`now()` })
        .where('digest', '=', digest)
        .where('repository', '=', repository)
        .execute();
  }
  await db
    .deleteFrom('image_scan')
    .where('state', 'not in', ['QUEUED', 'SCANNING'])
    .where((row) =>
      row.not(
        row.exists(row.selectFrom('image_scan_place').select('repository').whereRef('image_scan_place.digest', '=', 'image_scan.digest')),
      ),
    )
    .execute();
};
