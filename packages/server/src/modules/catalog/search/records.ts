/** Pages of entries: in an order with a cursor, and with totals that stay cheap however many entries there are. */
import { sql, type RawBuilder } from 'kysely';
import type { Records } from '@slipway/contract/catalog/entry.ts';
import { prepared, type Db } from '#db/database.ts';
import { errorCode } from '#kernel/caught.ts';
import { Problem } from '#kernel/problem.ts';
import { entryColumns, entryTables, type EntryRow } from '../entries/entry-row.ts';

export type Condition = RawBuilder<boolean>;
export interface RecordsQuery {
  readonly page: number;
  readonly size: number;
  readonly sort?: string | undefined;
  readonly after?: string | undefined;
}
/** Entries are counted up to this number. */
export const countedAtMost = 10_000;

/** Sort keys with the expressions of an index, the id last. */
const orders: Readonly<Record<string, readonly { readonly sql: RawBuilder<unknown>; readonly type: string }[]>> = {
  name: [{ sql: sql`entry.norm`, type: 'text' }],
  status: [
    { sql: sql`entry.status`, type: 'text' },
    { sql: sql`entry.norm`, type: 'text' },
  ],
  modifiedDate: [{ sql: sql`entry.modified_at`, type: 'timestamptz' }],
  targetDecommissioningDate: [{ sql: sql`coalesce(entry.target_date, 'infinity'::date)`, type: 'date' }],
};
const id = { sql: sql`entry.id`, type: 'text' };

export const all = (conditions: readonly Condition[]): Condition =>
  conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(conditions, sql` and `)}`;

const cursorOf = (values: readonly unknown[]): string => Buffer.from(JSON.stringify(values)).toString('base64url');
const readCursor = (text: string, length: number): string[] => {
  try {
    const values: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (Array.isArray(values) && values.length === length && values.every((value) => typeof value === 'string')) return values as string[];
  } catch {
    // Answered below.
  }
  throw new Problem('InvalidValue', { field: 'after' });
};

/** Returns the ids of a page in order, and the cursor of the next page. `total` is the number of all matches, if it is known. */
export const pageOfIds = async (
  db: Db,
  conditions: readonly Condition[],
  { page, size, sort = 'name', after }: RecordsQuery,
  total?: number,
): Promise<{ ids: string[]; next: string | null }> => {
  // Pages near the end are read from the end.
  const left = (total ?? 0) - page * size;
  const isFromEnd = total !== undefined && after === undefined && left > 0 && left < total / 2;
  const keys = [...(orders[sort.replace(/^-/, '')] ?? orders['name'] ?? []), id];
  const isDescending = sort.startsWith('-') !== isFromEnd;
  const direction = sql.raw(isDescending ? 'desc' : 'asc');
  const columns = sql.join(keys.map((key) => key.sql));
  const from =
    after === undefined
      ? []
      : [
          sql<boolean>`(${columns}) ${sql.raw(isDescending ? '<' : '>')} (${sql.join(
            readCursor(after, keys.length).map((value, at) => sql`${value}::${sql.raw(keys[at]?.type ?? 'text')}`),
          )})`,
        ];
  const { rows } = await sql<{
    id: string;
    keys: string[];
  }>`select entry.id, array[${sql.join(keys.map((key) => sql`${key.sql}::text`))}] as keys
    from catalog_entry entry where ${all([...conditions, ...from])}
    order by ${sql.join(keys.map((key) => sql`${key.sql} ${direction}`))} limit ${isFromEnd ? Math.min(size, left) : size + 1}
      offset ${isFromEnd ? Math.max(0, left - size) : after === undefined ? page * size : 0}`
    .execute(db)
    .catch((error: unknown) => {
      // A cursor of another order holds no date, for example, which is a data exception (class 22).
      if (after !== undefined && errorCode(error)?.startsWith('22') === true)
        throw new Problem('InvalidValue', { field: 'after', cause: error });
      throw error;
    });
  const shown = isFromEnd ? rows.toReversed() : rows.slice(0, size);
  const hasMore = isFromEnd ? left > size : rows.length > size;
  return { ids: shown.map((row) => row.id), next: hasMore ? cursorOf(shown.at(-1)?.keys ?? []) : null };
};

/** Returns the entries in the order of the ids. */
export const rowsById = async (db: Db, ids: readonly string[]): Promise<EntryRow[]> => {
  if (ids.length === 0) return [];
  const { rows } = await sql<EntryRow>`select ${entryColumns} from unnest(${[...ids]}::text[]) with ordinality as page (id, place)
    join (${entryTables}) on entry.id = page.id order by page.place ${prepared}`.execute(db);
  return rows;
};

export interface Total {
  readonly total: number;
  readonly isAtLeast: boolean;
}
/** `counted` includes one more than are counted, if there are more. */
export const totalOf = (counted: number): Total => ({ total: Math.min(counted, countedAtMost), isAtLeast: counted > countedAtMost });
export const countMatches = async (db: Db, conditions: readonly Condition[]): Promise<Total> => {
  const { rows } = await sql<{ n: number }>`select count(*)::integer as n from (select 1 from catalog_entry entry
    where ${all(conditions)} limit ${countedAtMost + 1}) as counted`.execute(db);
  return totalOf(rows[0]?.n ?? 0);
};

export const recordsOf = <T>(
  content: T[],
  { total, isAtLeast }: Total,
  { page, size, next }: Pick<RecordsQuery, 'page' | 'size'> & { readonly next: string | null },
): Records<T> => ({
  totalRecords: total,
  totalPages: Math.ceil(total / size),
  currentPage: page,
  isTotalAtLeast: isAtLeast,
  next,
  content,
});

/** A page of entries. `total` overrides the count. */
export const entryRecords = async <T>(
  db: Db,
  conditions: readonly Condition[],
  query: RecordsQuery,
  toView: (row: EntryRow) => T,
  total?: number,
): Promise<Records<T>> => {
  const { ids, next } = await pageOfIds(db, conditions, query, total);
  const counted = total === undefined ? await countMatches(db, conditions) : { total, isAtLeast: false };
  const rows = await rowsById(db, ids);
  return recordsOf(rows.map(toView), counted, { ...query, next });
};
