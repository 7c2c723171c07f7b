/** Rows of the demo scene: its state, and the objects that it made. */
import { sql } from 'kysely';
import type { DemoScene } from '@slipway/contract/demo.ts';
import { transaction, type Db } from '#db/database.ts';

export type Names = Readonly<Record<string, string>>;
export interface Item {
  readonly id: number;
  readonly kind: string;
  readonly names: Names;
  readonly madeId: string | null;
}
export type Direction = 'FILLING' | 'REMOVING';

export const sceneView = async (db: Db): Promise<DemoScene> => {
  const row = await db.selectFrom('demo_scene').selectAll().executeTakeFirst();
  const { rows } = await sql<{ objects: number; isEmpty: boolean }>`
    select (select count(*)::integer from demo_item where kind <> 'note') as objects,
      not exists (select from team where not exists (
        select from demo_item where kind = 'team' and names ->> 'team' = team.id)) as "isEmpty"`.execute(db);
  const [counted = { objects: 0, isEmpty: false }] = rows;
  return {
    state: row?.state ?? 'NONE',
    step: row?.step ?? null,
    done: row?.done ?? 0,
    total: row?.total ?? 0,
    failure: row?.failure ?? null,
    objects: counted.objects,
    isPlatformEmpty: counted.isEmpty,
    startedAt: row?.started_at.toISOString() ?? null,
    endedAt: row?.ended_at?.toISOString() ?? null,
  };
};

/** Starts or continues the work in this direction. Work in the other direction stops at its next step. */
export const setDirection = async (db: Db, state: Direction, runBy: string): Promise<void> => {
  const fresh = { state, run_by: runBy, step: null, failure: null, done: 0, total: 0, ended_at: null };
  await db
    .insertInto('demo_scene')
    .values(fresh)
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ ...fresh, started_at: sql`clock_timestamp()`, work: sql`demo_scene.work + 1` }),
    )
    .execute();
};

/** The work to do now. Undefined if there is none, also after a failure. */
export const openWork = async (db: Db): Promise<{ direction: Direction; runBy: string; work: number } | undefined> => {
  const row = await db
    .selectFrom('demo_scene')
    .select(['state', 'run_by', 'work'])
    .where('state', 'in', ['FILLING', 'REMOVING'])
    .where('failure', 'is', null)
    .executeTakeFirst();
  return row && { direction: row.state === 'REMOVING' ? 'REMOVING' : 'FILLING', runBy: row.run_by, work: row.work };
};

export interface Progress {
  readonly step: string | null;
  readonly done: number;
  readonly total: number;
}
/** Returns false if somebody has asked for other work since. */
export const noteProgress = async (db: Db, work: number, progress: Progress): Promise<boolean> => {
  const { numUpdatedRows } = await db.updateTable('demo_scene').set(progress).where('work', '=', work).executeTakeFirst();
  return numUpdatedRows > 0n;
};
export const noteFailure = async (db: Db, work: number, failure: string): Promise<void> => {
  await db
    .updateTable('demo_scene')
    .set({ failure: failure.slice(0, 1000) })
    .where('work', '=', work)
    .execute();
};
export const noteFilled = async (db: Db, work: number): Promise<void> => {
  await db.updateTable('demo_scene').set({ state: 'FILLED', step: null, ended_at: new Date() }).where('work', '=', work).execute();
};
export const noteRemoved = async (db: Db, work: number): Promise<void> => {
  await db.deleteFrom('demo_scene').where('work', '=', work).execute();
};

export const itemsNewestFirst = (db: Db): Promise<Item[]> =>
  db.selectFrom('demo_item').select(['id', 'kind', 'names', 'made_id as madeId']).orderBy('id', 'desc').execute();
export const findItem = (db: Db, kind: string, names: Names): Promise<Item | undefined> =>
  db
    .selectFrom('demo_item')
    .select(['id', 'kind', 'names', 'made_id as madeId'])
    .where('kind', '=', kind)
    .where('names', '=', JSON.stringify(names) as never)
    .executeTakeFirst();
/** Until its id is noted, an object belongs to whoever runs the scene now. */
export const noteItem = async (db: Db, kind: string, names: Names, madeBy: string): Promise<void> => {
  await db
    .insertInto('demo_item')
    .values({ kind, names: JSON.stringify(names), made_by: madeBy })
    .onConflict((conflict) => conflict.columns(['kind', 'names']).doUpdateSet({ made_by: madeBy }).where('demo_item.made_id', 'is', null))
    .execute();
};
export const noteMadeId = async (db: Db, kind: string, names: Names, madeId: string): Promise<void> => {
  await db
    .updateTable('demo_item')
    .set({ made_id: madeId })
    .where('kind', '=', kind)
    .where('names', '=', JSON.stringify(names) as never)
    .execute();
};
export const forgetItem = async (db: Db, id: number): Promise<void> => {
  await db.deleteFrom('demo_item').where('id', '=', id).execute();
};

/** Finds an entry that the scene made, also if the run ended before it noted the id. An entry of somebody else is not found. */
export const findEntry = async (db: Db, names: Names): Promise<string | undefined> => {
  const { rows } = await sql<{ id: string }>`
    select entry.id from demo_item item join catalog_entry entry on entry.id = item.made_id
      or (item.made_id is null and entry.kind = item.names ->> 'kind' and entry.name = item.names ->> 'name'
        and entry.created_by = item.made_by and entry.created_at >= item.made_at)
    where item.kind = 'entry' and item.names = ${JSON.stringify(names)}::jsonb limit 1`.execute(db);
  return rows[0]?.id;
};

/** The person who owns the scene: who asked for it, or an administrator if a token of the environment asked. Undefined if nobody has signed in yet. */
export const findOwner = async (db: Db, runBy: string): Promise<string | undefined> => {
  const people = db.selectFrom('identity').select('id').where('type', '=', 'USER');
  const own = await people.where('id', '=', runBy).executeTakeFirst();
  return (own ?? (await people.where('is_administrator', '=', true).orderBy('id').limit(1).executeTakeFirst()))?.id;
};

/** Deletes the requests that accounts of a removed app raised. */
export const eraseRequestsOf = async (db: Db, app: string): Promise<void> => {
  await db
    .deleteFrom('request')
    .where(sql<boolean>`askers @> ${[`app:${app}`]}::text[]`)
    .where(sql<boolean>`not exists (select from app where id = ${app})`)
    .execute();
};

/** A service account of the scene's own team. The API cannot delete service accounts. */
export const findServiceAccount = async (db: Db, { team, name }: Names): Promise<string | undefined> => {
  const { rows } = await sql<{ id: string }>`
    select identity.id from identity join team_member on team_member.identity_id = identity.id
    where team_member.team_id = ${team} and identity.type = 'SERVICE_ACCOUNT' and identity.display_name = ${name} limit 1`.execute(db);
  return rows[0]?.id;
};
export const eraseServiceAccount = async (db: Db, id: string): Promise<void> => {
  await db.deleteFrom('service_account_holder').where('account_id', '=', id).execute();
  await db.deleteFrom('identity').where('id', '=', id).execute();
};

/**
 * Deletes an entry of the catalog with its requests and history. The API keeps a decommissioned entry for good, so the scene deletes its own
 * entries here. An entry that others have since put below it keeps it: the foreign key refuses.
 */
export const eraseEntry = (db: Db, id: string): Promise<void> =>
  transaction(db, async (trx) => {
    await trx.deleteFrom('catalog_entry').where('id', '=', id).execute();
    await trx.deleteFrom('request').where('subject_id', '=', id).where('subject_kind', 'like', 'catalog%').execute();
  });
