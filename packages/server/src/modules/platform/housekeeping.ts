/**
 * Deletes expired data: old responses of idempotent requests, instance events, expired tokens, unused images. Once a day, checks the
 * dashboard's read model and the catalog's counters.
 */
import { sql } from 'kysely';
import type { Db } from '#db/database.ts';
import { repairOverview } from '#modules/apps/index.ts';
import { repairCounts } from '#modules/catalog/index.ts';
import type { Log } from '#ports/log.ts';

const everyMs = 3_600_000;
const checkedEvery = 24;

export interface HousekeepingOptions {
  readonly db: Db;
  readonly log: Log;
  /** Receives the digests that revisions may still run. */
  readonly pruneImages: (inUse: readonly string[]) => Promise<unknown>;
}

const clean = async ({ db, pruneImages }: HousekeepingOptions): Promise<void> => {
  await sql`delete from idempotency where created_at < now() - interval '1 day'`.execute(db);
  await sql`delete from instance_event where last_at < now() - interval '14 days'`.execute(db);
  await sql`delete from api_token where expires_at < now() - interval '30 days' or revoked_at < now() - interval '30 days'`.execute(db);
  const rows = await db.selectFrom('revision').select('image_digest').distinct().where('status', '!=', 'DELETED').execute();
  await pruneImages(rows.map((row) => row.image_digest));
};

/** Runs hourly. All actions are idempotent, so replicas need no coordination. Returns a function that stops it. */
export const startHousekeeping = (options: HousekeepingOptions): (() => void) => {
  let hours = 0;
  const work = async () => {
    await clean(options);
    if (hours++ % checkedEvery !== 0) return;
    await repairOverview(options.db, options.log);
    await repairCounts(options.db, options.log);
  };
  const run = () => void work().catch((error: unknown) => options.log.warn({ err: error }, 'Housekeeping failed; again in an hour'));
  const timer = setInterval(run, everyMs);
  return () => clearInterval(timer);
};
