/** Rows about the runtime's holder and the routes of the edge. */
import { sql } from 'kysely';
import type { Db } from '#db/database.ts';
import { notifyChange } from '#kernel/changes.ts';
import type { RuntimeCapabilities, ServiceRef } from '#ports/runtime.ts';

/** Claims the runtime. Returns the former holder if it died less than a minute ago. A holder that handed over has deleted its row. */
export const claimLeader = async (
  db: Db,
  kind: string,
  replica: string,
  capabilities: RuntimeCapabilities,
): Promise<{ wasTakenFrom: string | undefined }> => {
  const before = await db.selectFrom('runtime_holder').select(['replica', 'seen_at']).where('kind', '=', kind).executeTakeFirst();
  const values = { replica, since: new Date(), seen_at: new Date(), capabilities: JSON.stringify(capabilities) };
  await db
    .insertInto('runtime_holder')
    .values({ kind, ...values })
    .onConflict((conflict) => conflict.column('kind').doUpdateSet(values))
    .execute();
  // An older row means that the holder stopped long ago: a restart of the only replica is not news.
  const isRecent = before !== undefined && Date.now() - before.seen_at.getTime() < 60_000;
  return { wasTakenFrom: isRecent && before.replica !== replica ? before.replica : undefined };
};

export const seenLeader = async (db: Db, kind: string, replica: string): Promise<void> => {
  await sql`update runtime_holder set seen_at = now() where kind = ${kind} and replica = ${replica}`.execute(db);
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
