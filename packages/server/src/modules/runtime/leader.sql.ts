/** Rows about the runtime's holder and the routes of the edge. */
import { sql } from 'kysely';
import { HELD_LOCK } from '#db/advisory-lock.ts';
import type { Db } from '#db/database.ts';
import { notifyChange } from '#kernel/changes.ts';
import type { RuntimeCapabilities, ServiceRef } from '#ports/runtime.ts';

/** The lock that decides which replica drives the runtime. */
export const RUNTIME_LOCK = 'slipway:runtime';

/** Claims the runtime. Returns the former holder if it died less than a minute ago. A holder that handed over has deleted its row. */
export const claimLeader = async (
  db: Db,
  kind: string,
  replica: string,
  capabilities: RuntimeCapabilities,
  serving: string,
): Promise<{ wasTakenFrom: string | undefined }> => {
  const before = await db.selectFrom('runtime_holder').select(['replica', 'seen_at']).where('kind', '=', kind).executeTakeFirst();
  const now = sql<Date>`now()`;
  const values = { replica, since: now, seen_at: now, capabilities: JSON.stringify(capabilities), serving };
  await db
    .insertInto('runtime_holder')
    .values({ kind, ...values })
    .onConflict((conflict) => conflict.column('kind').doUpdateSet(values))
    .execute();
  // An older row means that the holder stopped long ago: a restart of the only replica is not news.
  const isRecent = before !== undefined && Date.now() - before.seen_at.getTime() < 60_000;
  return { wasTakenFrom: isRecent && before.replica !== replica ? before.replica : undefined };
};

export const seenLeader = async (db: Db, kind: string, replica: string, serving: string): Promise<void> => {
  await sql`update runtime_holder set seen_at = now(), serving = ${serving} where kind = ${kind} and replica = ${replica}`.execute(db);
};

/** Returns the readiness that the leader reports. Undefined if the session that holds the lock has not claimed the runtime yet. */
export const leaderServing = async (db: Db, kind: string): Promise<string | undefined> => {
  const { rows } = await sql<{ serving: string }>`select coalesce(holder.serving, 'ok') as serving
    from runtime_holder as holder
      join pg_locks on ${sql.raw(HELD_LOCK)} hashtextextended(${RUNTIME_LOCK}, 0)
      join pg_stat_activity as session on session.pid = pg_locks.pid
    where holder.kind = ${kind} and holder.since >= session.backend_start`.execute(db);
  return rows[0]?.serving;
};

/** Deletes the row of the holder. No replica drives the runtime until the next holder claims it. */
export const leaveLeader = async (db: Db, kind: string, replica: string): Promise<void> => {
  await db.deleteFrom('runtime_holder').where('kind', '=', kind).where('replica', '=', replica).execute();
};

export const markRouted = async (db: Db, service: ServiceRef, id: string, routed: readonly string[]): Promise<void> => {
  await db.transaction().execute(async (trx) => {
    await trx
      .updateTable('service')
      .set({ routed: [...routed] })
      .where('id', '=', id)
      .execute();
    await notifyChange(trx, { kind: 'service', app: service.app, env: service.environment, service: service.service });
  });
};

/** Returns the capabilities of the runtime that was seen last, or undefined if no replica drives a runtime. */
export const runtimeCapabilities = async (db: Db): Promise<RuntimeCapabilities | undefined> => {
  const row = await db.selectFrom('runtime_holder').select('capabilities').orderBy('seen_at', 'desc').limit(1).executeTakeFirst();
  return row?.capabilities;
};
