/** Freeze windows that administrators create, change and end. */
import { sql, type Selectable, type Transaction } from 'kysely';
import { maxFreezeWindows, type FreezeSettings, type FreezeWindow } from '@slipway/contract/freeze.ts';
import { transaction, type Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { newId } from '#kernel/ids.ts';
import { Problem } from '#kernel/problem.ts';
import { recordWrite } from '#modules/activity/index.ts';

const stateOf = ({ starts_at: starts, ends_at: ends, ended_at: ended }: Selectable<DB['freeze_window']>): FreezeWindow['state'] => {
  if (ended !== null || ends.getTime() <= Date.now()) return 'ENDED';
  return starts.getTime() <= Date.now() ? 'OPEN' : 'COMING';
};
const windowOf = (row: Selectable<DB['freeze_window']>): FreezeWindow => ({
  id: row.id,
  name: row.name,
  reason: row.reason,
  startsAt: row.starts_at.toISOString(),
  endsAt: row.ends_at.toISOString(),
  timeZone: row.time_zone,
  teams: row.team_ids,
  apps: row.app_ids,
  ownersMayOverride: row.owners_may_override,
  state: stateOf(row),
  endedAt: row.ended_at?.toISOString() ?? null,
  revision: row.revision,
  updatedAt: row.updated_at.toISOString(),
  updatedBy: { id: row.updated_by, displayName: row.updated_by_name },
});

export const freezeWindows = async (db: Db): Promise<FreezeWindow[]> =>
  (await db.selectFrom('freeze_window').selectAll().orderBy('starts_at', 'desc').orderBy('id').limit(maxFreezeWindows).execute()).map(
    windowOf,
  );

/** Throws FreezeScopeUnknown at the field for the first id without a team or app. */
const checkScope = async (trx: Transaction<DB>, { teams, apps }: FreezeSettings): Promise<void> => {
  for (const [field, ids, table] of [
    ['teams', teams, 'team'],
    ['apps', apps, 'app'],
  ] as const) {
    if (ids.length === 0) continue;
    const found = new Set(
      (
        await trx
          .selectFrom(table)
          .select('id')
          .where('id', 'in', [...ids])
          .execute()
      ).map(({ id }) => id),
    );
    const name = ids.find((id) => !found.has(id));
    if (name !== undefined) throw new Problem('FreezeScopeUnknown', { field, context: { name } });
  }
};
/** A window that has ended would freeze nothing. */
const checkEnd = ({ endsAt }: FreezeSettings): void => {
  if (Date.parse(endsAt) <= Date.now()) throw new Problem('FreezeIsOver', { field: 'endsAt' });
};
const columnsOf = (caller: Caller, settings: FreezeSettings) => ({
  name: settings.name,
  reason: settings.reason,
  starts_at: new Date(settings.startsAt),
  ends_at: new Date(settings.endsAt),
  time_zone: settings.timeZone,
  team_ids: [...new Set(settings.teams)],
  app_ids: [...new Set(settings.apps)],
  owners_may_override: settings.ownersMayOverride,
  updated_by: caller.id,
  updated_by_name: caller.displayName,
});

export const createFreeze = (db: Db, caller: Caller, settings: FreezeSettings): Promise<FreezeWindow> =>
  transaction(db, async (trx) => {
    checkEnd(settings);
    await checkScope(trx, settings);
    const id = newId('frz');
    const row = await trx
      .insertInto('freeze_window')
      .values({ id, ...columnsOf(caller, settings) })
      .returningAll()
      .executeTakeFirstOrThrow();
    await recordWrite(trx, caller, {
      type: 'freezeWindowCreate',
      reason: 'Created',
      message: `${caller.displayName} made the freeze window ${settings.name}: ${settings.reason}`,
      after: windowOf(row),
    });
    return windowOf(row);
  });

/** Locks a window that is not over. */
const lockWindow = async (trx: Transaction<DB>, id: string) => {
  const row = await trx.selectFrom('freeze_window').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
  if (!row) throw new Problem('FreezeWindowDoesNotExist');
  if (stateOf(row) === 'ENDED') throw new Problem('FreezeIsOver');
  return row;
};

export const updateFreeze = (
  db: Db,
  caller: Caller,
  id: string,
  { revision, ...settings }: FreezeSettings & { readonly revision: number },
): Promise<FreezeWindow> =>
  transaction(db, async (trx) => {
    const before = await lockWindow(trx, id);
    if (before.revision !== revision) throw new Problem('SettingsChangedMeanwhile');
    checkEnd(settings);
    await checkScope(trx, settings);
    const row = await trx
      .updateTable('freeze_window')
      .set({ ...columnsOf(caller, settings), revision: revision + 1, updated_at: sql`clock_timestamp()` })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await recordWrite(trx, caller, {
      type: 'freezeWindowUpdate',
      reason: 'Updated',
      message: `${caller.displayName} changed the freeze window ${settings.name}`,
      before: windowOf(before),
      after: windowOf(row),
    });
    return windowOf(row);
  });

export const endFreeze = (db: Db, caller: Caller, id: string): Promise<FreezeWindow> =>
  transaction(db, async (trx) => {
    const before = await lockWindow(trx, id);
    const row = await trx
      .updateTable('freeze_window')
      .set({
        ended_at: sql`clock_timestamp()`,
        revision: before.revision + 1,
        updated_at: sql`clock_timestamp()`,
        updated_by: caller.id,
        updated_by_name: caller.displayName,
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await recordWrite(trx, caller, {
      type: 'freezeWindowEnd',
      reason: 'Ended',
      message: `${caller.displayName} ended the freeze window ${before.name}`,
      after: windowOf(row),
    });
    return windowOf(row);
  });

export const freezeWindow = async (db: Db, id: string): Promise<FreezeWindow> => {
  const row = await db.selectFrom('freeze_window').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) throw new Problem('FreezeWindowDoesNotExist');
  return windowOf(row);
};
/** The window that a write with this key made, for its repetition. */
export const newestFreezeOf = async (db: Db, caller: Caller): Promise<FreezeWindow> => {
  const row = await db
    .selectFrom('freeze_window')
    .selectAll()
    .where('updated_by', '=', caller.id)
    .orderBy('updated_at', 'desc')
    .executeTakeFirst();
  if (!row) throw new Problem('FreezeWindowDoesNotExist');
  return windowOf(row);
};
