/** Queue of scans in the database: queued scans, leased scans and their outcome. */
import { imageScanKind } from '@slipway/contract/kinds/scan.kind.ts';
import type { ScanNote } from '@slipway/contract/registry/scan-notes.ts';
import { sql } from 'kysely';
import { transaction, type Db } from '#db/database.ts';
import { notifyOf } from '#modules/resources/index.ts';
import type { ScanRow } from './scan-rows.ts';

/** Priorities: scans that a user requested, then scans of pushed images, then rescans. */
export const turns = { asked: 0, pushed: 1, renewed: 2 } as const;
/** A dead replica holds a scan at most this long. */
const LEASE_SECONDS = 60;
export const RENEW_LEASE_MS = 20_000;

export interface Place {
  readonly digest: string;
  readonly repository: string;
}
const projectOf = (repository: string): string => repository.split('/', 1)[0] ?? '';

export const placesOf = async (db: Db, digest: string): Promise<string[]> => {
  const rows = await db
    .selectFrom('image_scan_place')
    .select('repository')
    .where('digest', '=', digest)
    .orderBy('seen_at', 'desc')
    .execute();
  return rows.map(({ repository }) => repository);
};

/** Sends change hints for the projects that contain the image. */
export const notifyScan = async (trx: Db, digest: string): Promise<void> => {
  const projects = new Set((await placesOf(trx, digest)).map(projectOf));
  for (const app of projects) await notifyOf(trx, imageScanKind, { app });
};

interface Wish {
  readonly turn: number;
  /** Scans again even if there is a result. */
  readonly isAgain: boolean;
  /** Earliest start, in seconds from now. */
  readonly afterSeconds?: number;
}
const never = sql<boolean>`false`;

/** In the transaction of whoever learns of the image. One that is queued or under way is not queued twice. */
export const queueScan = async (trx: Db, { digest, repository }: Place, { turn, isAgain, afterSeconds = 0 }: Wish): Promise<void> => {
  const dueAt = sql<Date>`now() + make_interval(secs => ${afterSeconds})`;
  const queued = { state: 'QUEUED' as const, since: sql<Date>`now()`, due_at: dueAt, turn, tries: 0, reason: null };
  const made = await trx
    .insertInto('image_scan')
    .values({ digest, ...queued })
    .onConflict((conflict) =>
      conflict
        .column('digest')
        .doUpdateSet(queued)
        .where((row) =>
          row.or([
            // A queued scan can be moved forward.
            row.and([
              row('image_scan.state', '=', 'QUEUED'),
              row.or([row('image_scan.turn', '>', turn), row('image_scan.reason', 'is not', null)]),
            ]),
            row('image_scan.state', '=', 'FAILED'),
            isAgain ? row('image_scan.state', 'in', ['COMPLETED', 'NOT_SCANNED']) : never,
          ]),
        ),
    )
    .returning('digest')
    .executeTakeFirst();
  await trx
    .insertInto('image_scan_place')
    .values({ digest, repository, project: projectOf(repository), seen_at: sql<Date>`now()` })
    .onConflict((conflict) => conflict.columns(['digest', 'repository']).doUpdateSet({ seen_at: sql<Date>`now()` }))
    .execute();
  if (made) await notifyScan(trx, digest);
};

const lease = sql<Date>`now() + make_interval(secs => ${LEASE_SECONDS})`;

/** Leases the next scan. Scans that a dead replica left come first. */
export const takeScan = (db: Db, owner: string): Promise<ScanRow | undefined> =>
  transaction(db, async (trx) => {
    const next =
      (await trx
        .selectFrom('image_scan')
        .select('digest')
        .where('state', '=', 'SCANNING')
        .where('lease_until', '<', sql<Date>`now()`)
        .orderBy('lease_until')
        .limit(1)
        .forUpdate()
        .skipLocked()
        .executeTakeFirst()) ??
      (await trx
        .selectFrom('image_scan')
        .select('digest')
        .where('state', '=', 'QUEUED')
        .where('due_at', '<=', sql<Date>`now()`)
        .orderBy('turn')
        .orderBy('due_at')
        .limit(1)
        .forUpdate()
        .skipLocked()
        .executeTakeFirst());
    if (!next) return undefined;
    const row = await trx
      .updateTable('image_scan')
      .set({ state: 'SCANNING', since: sql<Date>`now()`, owner, lease_until: lease, tries: sql<number>`tries + 1` })
      .where('digest', '=', next.digest)
      .returningAll()
      .executeTakeFirst();
    await notifyScan(trx, next.digest);
    return row;
  });

/** Renews the lease. Returns false if another replica has taken the scan. */
export const keepScan = async (db: Db, { digest, owner }: { digest: string; owner: string }): Promise<boolean> => {
  const kept = await db
    .updateTable('image_scan')
    .set({ lease_until: lease })
    .where('digest', '=', digest)
    .where('owner', '=', owner)
    .where('state', '=', 'SCANNING')
    .executeTakeFirst();
  return kept.numUpdatedRows > 0n;
};

export interface Ending {
  readonly state: 'QUEUED' | 'FAILED' | 'NOT_SCANNED';
  readonly reason: ScanNote | null;
  /** Delay before the retry. */
  readonly afterSeconds?: number;
  /** It was our own end that stopped it, and no fault of the image. */
  readonly isUncounted?: boolean;
}
/** Ends a scan without a new result. Returns false if another replica has taken the scan. */
export const endScan = async (trx: Db, { digest, owner }: { digest: string; owner: string }, ending: Ending): Promise<boolean> => {
  const { state, reason, afterSeconds = 0, isUncounted = false } = ending;
  const row = await trx
    .updateTable('image_scan')
    .set({
      state,
      since: sql<Date>`now()`,
      reason: reason === null ? null : JSON.stringify(reason),
      due_at: state === 'QUEUED' ? sql<Date>`now() + make_interval(secs => ${afterSeconds})` : null,
      owner: null,
      lease_until: null,
      renew_at: null,
      ...(isUncounted ? { tries: sql<number>`greatest(tries - 1, 0)` } : {}),
    })
    .where('digest', '=', digest)
    .where('owner', '=', owner)
    .where('state', '=', 'SCANNING')
    .returning('digest')
    .executeTakeFirst();
  if (row) await notifyScan(trx, digest);
  return row !== undefined;
};

export const forgetPlace = async (db: Db, { digest, repository }: Place): Promise<void> => {
  await db.deleteFrom('image_scan_place').where('digest', '=', digest).where('repository', '=', repository).execute();
};
