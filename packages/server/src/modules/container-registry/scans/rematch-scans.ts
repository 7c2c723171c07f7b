/** Results that were made with older advisories are made anew from the packages that were found: no image is read again for it. */
import { sql } from 'kysely';
import { transaction } from '#db/database.ts';
import { advisoryVersion } from '../advisories/advisories.sql.ts';
import { matchPackages } from '../advisories/match.ts';
import type { ScanDeps } from './scan-image.ts';
import { notifyScan, placesOf } from './scan-queue.sql.ts';
import { foundPackages, writeFindings } from './scan-result.sql.ts';

/** One image. False where all are up to date, or other replicas are at them. */
export const rematchScan = ({ db, emit }: ScanDeps): Promise<boolean> =>
  transaction(db, async (trx) => {
    const matchedVersion = await advisoryVersion(trx);
    const row = await trx
      .selectFrom('image_scan')
      .select(['digest', 'counts'])
      .where('matched_version', '<', matchedVersion)
      .orderBy('matched_version')
      .limit(1)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst();
    if (!row) return false;
    const { digest } = row;
    const packages = await foundPackages(trx, digest);
    const { findings, notes, advisories } = await matchPackages(trx, packages);
    const counts = await writeFindings(trx, digest, { packages, findings, advisories, matchedVersion, matchNotes: notes });
    await notifyScan(trx, digest);
    if (JSON.stringify(counts) === JSON.stringify({ ...counts, ...row.counts })) return true;
    for (const repository of await placesOf(trx, digest))
      await emit(trx, { type: 'SCANNING_COMPLETED', repository, digest, counts, reason: null });
    return true;
  });

export const countWaitingScans = async ({ db }: Pick<ScanDeps, 'db'>): Promise<number> => {
  const { waiting } = await db
    .selectFrom('image_scan')
    .select(sql<number>`count(*)::integer`.as('waiting'))
    .where((row) =>
      row.or([
        row('state', 'in', ['QUEUED', 'SCANNING']),
        row('matched_version', '<', row.selectFrom('advisory_version').select('number')),
      ]),
    )
    .executeTakeFirstOrThrow();
  return waiting;
};
