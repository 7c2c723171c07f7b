/** Rows of an entity: lists, single rows, locks and states. */
import { sql, type RawBuilder } from 'kysely';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import type { Db } from '#db/database.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { countTotal, likeOf, orderOf, pageOf } from '#kernel/page.ts';
import { Problem } from '#kernel/problem.ts';
import { matching } from '#kernel/text-search.ts';
import type { AnyEntity, Entity, EntityView, ListQuery, Names } from './entity.ts';
import { notifyOf } from './record-change.ts';

const all = (conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> =>
  conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(conditions, sql` and `)}`;

/** Properties needed to read an entity. */
type Read<View extends EntityView> = Pick<Entity<View, unknown, unknown, unknown>, 'table' | 'key' | 'columns' | 'from' | 'toView'>;

/** An entity whose rows can be read, or rejected as missing. */
export type Readable<View extends EntityView> = Read<View> & Pick<AnyEntity, 'resource'>;

/** Returns a column of the entity's table, unless the name contains a table. */
const column = ({ table }: Pick<AnyEntity, 'table'>, name: string) => sql.ref(name.includes('.') ? name : `${table}.${name}`);
const rowsOf = ({ table, from }: Pick<AnyEntity, 'table' | 'from'>): RawBuilder<unknown> => from ?? sql.table(table);

/** Matches all rows below the given names. */
const below = (entity: Pick<AnyEntity, 'table' | 'key'>, names: Names): RawBuilder<boolean> =>
  all(
    Object.entries(entity.key).flatMap(([name, of]) =>
      names[name] === undefined ? [] : [sql<boolean>`${column(entity, of)} = ${names[name]}`],
    ),
  );

/** Matches one row. Throws if a name of its key is missing, because a write would then affect other rows. */
const at = (entity: Pick<AnyEntity, 'table' | 'key'>, names: Names): RawBuilder<boolean> => {
  const missing = Object.keys(entity.key).filter((name) => names[name] === undefined);
  if (missing.length > 0) throw new Error(`A row of ${entity.table} was asked for without ${missing.join(', ')}`);
  return below(entity, names);
};

export const entityBy = async <View extends EntityView>(
  db: Db,
  entity: Read<View>,
  names: Names,
  caller: Caller,
): Promise<View | undefined> => {
  const { columns = sql`*` } = entity;
  const { rows } = await sql`select ${columns} from ${rowsOf(entity)} where ${at(entity, names)}`.execute(db);
  return rows[0] === undefined ? undefined : entity.toView(rows[0], caller);
};

/** Throws the entity's error code if the row does not exist. */
export const requireEntity = async <View extends EntityView>(
  db: Db,
  entity: Readable<View>,
  names: Names,
  caller: Caller,
): Promise<View> => {
  const view = await entityBy(db, entity, names, caller);
  if (!view) throw new Problem(entity.resource.shape.codes.missing);
  return view;
};

/** Uses an index if the entity has one. Short lists are scanned. */
const searched = async (db: Db, entity: Pick<AnyEntity, 'table' | 'search'>, text: string): Promise<RawBuilder<boolean>> => {
  const { search } = entity;
  if ('text' in search) return matching(db, search, text);
  const columns = search.map((name) => sql`${column(entity, name)} ilike ${likeOf(text)}`);
  return sql<boolean>`(${sql.join(columns, sql` or `)})`;
};

export const entityPage = async <View extends EntityView>(
  db: Db,
  entity: Entity<View, unknown, unknown, unknown>,
  { names, query, caller }: { names: Names; query: ListQuery; caller: Caller },
): Promise<Page<View>> => {
  const { columns = sql`*`, sort } = entity;
  const table = sql.table(entity.table);
  const found = query.query ? [await searched(db, entity, query.query)] : [];
  const where = all([below(entity, names), ...(entity.filter?.(query) ?? []), ...found]);
  const total = await countTotal(db, sql`select 1 from ${table} where ${where}`);
  const order = orderOf(query.sort, sort, { column: Object.values(sort)[0] ?? '', direction: 'asc' });
  const direction = sql.raw(order.direction);
  const keys = Object.values(entity.key).map((name) => sql`${column(entity, name)} ${direction}`);
  const sorted = sql`order by ${column(entity, order.column)} ${direction}, ${sql.join(keys)}`;
  const within = order.column.includes('.') ? rowsOf(entity) : table;
  // Selects the page's rows first. Otherwise, computed columns would be evaluated for skipped rows too.
  const { rows } = await sql`select ${columns} from ${rowsOf(entity)} where ${table}.ctid = any (array(
      select ${table}.ctid from ${within} where ${where} ${sorted} limit ${query.size} offset ${query.page * query.size}))
    ${sorted}`.execute(db);
  return pageOf(
    rows.map((row) => entity.toView(row, caller)),
    total,
    query,
  );
};

/** Locks the row against concurrent changes of the entity or its contents. */
export const lockEntity = async (trx: Db, entity: Pick<AnyEntity, 'table' | 'key'>, names: Names): Promise<void> => {
  await sql`select 1 from ${sql.table(entity.table)} where ${at(entity, names)} for update`.execute(trx);
};

export const setEntity = async (
  db: Db,
  entity: AnyEntity,
  names: Names,
  change: { readonly state?: string; readonly pipeline_id?: string },
): Promise<void> => {
  const changes = Object.entries(change).map(([name, value]) => sql`${sql.ref(name)} = ${value}`);
  await sql`update ${sql.table(entity.table)} set ${sql.join(changes)} where ${at(entity, names)}`.execute(db);
  await notifyOf(db, entity.resource.shape.kind, names);
};

/** Returns the current or last pipeline of the row. Undefined if the row does not exist. */
export const pipelineOf = async (db: Db, entity: AnyEntity, names: Names): Promise<string | null | undefined> => {
  const { rows } = await sql<{ pipeline_id: string | null }>`
    select pipeline_id from ${sql.table(entity.table)} where ${at(entity, names)}`.execute(db);
  return rows[0]?.pipeline_id;
};

export const eraseRow = async (db: Db, entity: AnyEntity, names: Names): Promise<void> => {
  await entity.beforeErase?.(db, names);
  await sql`delete from ${sql.table(entity.table)} where ${at(entity, names)}`.execute(db);
  await notifyOf(db, entity.resource.shape.kind, names);
};
