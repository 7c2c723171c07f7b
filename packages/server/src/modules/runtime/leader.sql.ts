/** Rows about the runtime's holder and what the edge routes. */
import { sql } from 'kysely';
import type { Db } from '#db/database.ts';
import { notifyChange } from '#kernel/changes.ts';
import type { RuntimeCapabilities, ServiceRef } from '#ports/runtime.ts';

/** Answers the former holder where it died; one that handed over has taken its row away. */
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
  // A holder that was seen a moment ago did not stop by itself long ago: a restart of the only replica is not news.
  const isRecent = before !== undefined && Date.now() - before.seen_at.getTime() < 60_000;
  return { wasTakenFrom: isRecent && before.replica !== replica ? before.replica : undefined };
};

export const seenLeader = async (db: Db, kind: string, replica: string): Promise<void> => {
  await sql`update runtime_holder set seen_at = now() where kind = ${kind} and replica = ${replica}`.execute(db);
};

/** Nobody drives the runtime until the next holder says so. */
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

/** What people should know about the runtime's tier; undefined where all is well, or nobody has driven it yet. */
export const runtimeCapabilities = async (db: Db): Promise<RuntimeCapabilities | undefined> => {
  const row = await db.selectFrom('runtime_holder').select('capabilities').orderBy('seen_at', 'desc').limit(1).executeTakeFirst();
  return row?.capabilities;
};
