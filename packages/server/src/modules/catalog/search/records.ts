/** Pages of entries: in an order with a cursor, and with totals that stay cheap however many entries there are. */
import { sql, type RawBuilder } from 'kysely';
import type { Records } from '@slipway/contract/catalog/entry.ts';
import { prepared, type Db } from '#db/database.ts';
import { cursorOf, keysetOf, readAfter, type SortKey } from '#kernel/keyset.ts';
import type { Total } from '#kernel/page.ts';
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
const orders: Readonly<Record<string, readonly SortKey[]>> = {
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

interface Known {
  /** Number of all matches, if it is known. */
  readonly total?: number | undefined;
  /** Matches to read from instead of all entries, as the first part of the query. */
  readonly matched?: RawBuilder<unknown>;
}
interface IdPage {
  readonly ids: string[];
  readonly next: string | null;
  /** Number of `matched`. Undefined without it, and on an empty page. */
  readonly read?: number | undefined;
}
/** Returns the ids of a page in order, and the cursor of the next page. */
export const pageOfIds = async (
  db: Db,
  conditions: readonly Condition[],
  { page, size, sort = 'name', after }: RecordsQuery,
  { total, matched }: Known = {},
): Promise<IdPage> => {
  // Pages near the end are read from the end. Pages behind the end are empty, and an index would be read to its end for them.
  const left = (total ?? 0) - page * size;
  const isFromEnd = total !== undefined && after === undefined && left < total / 2;
  if (isFromEnd && left <= 0) return { ids: [], next: null };
  const keys = [...(orders[sort.replace(/^-/, '')] ?? orders['name'] ?? []), id];
  const isDescending = sort.startsWith('-') !== isFromEnd;
  const { from, by } = keysetOf(keys, isDescending, after);
  const { rows } = await readAfter(
    after,
    sql<{
      id: string;
      keys: string[];
      read?: number;
    }>`${matched ?? sql``} select entry.id, array[${sql.join(keys.map((key) => sql`${key.sql}::text`))}] as keys
      ${matched ? sql`, (select count(*)::integer from matched) as read from matched` : sql`from catalog_entry`} entry
      where ${all([...conditions, ...from])} order by ${by} limit ${isFromEnd ? Math.min(size, left) : size + 1}
      offset ${isFromEnd ? Math.max(0, left - size) : after === undefined ? page * size : 0}`.execute(db),
  );
  const shown = isFromEnd ? rows.toReversed() : rows.slice(0, size);
  const hasMore = isFromEnd ? left > size : rows.length > size;
  return { ids: shown.map((row) => row.id), next: hasMore ? cursorOf(shown.at(-1)?.keys ?? []) : null, read: rows[0]?.read };
};

/** Returns the entries in the order of the ids. */
export const rowsById = async (db: Db, ids: readonly string[]): Promise<EntryRow[]> => {
  if (ids.length === 0) return [];
  const { rows } = await sql<EntryRow>`select ${entryColumns} from unnest(${[...ids]}::text[]) with ordinality as page (id, place)
    join (${entryTables}) on entry.id = page.id order by page.place ${prepared}`.execute(db);
  return rows;
};

/** `counted` includes one more than are counted, if there are more. */
export const totalOf = (counted: number): Total => ({ total: Math.min(counted, countedAtMost), isAtLeast: counted > countedAtMost });
export const countMatches = async (db: Db, conditions: readonly Condition[]): Promise<Total> => {
  const { rows } = await sql<{ n: number }>`select count(*)::integer as n from (select 1 from catalog_entry entry
    where ${all(conditions)} limit ${countedAtMost + 1}) as counted`.execute(db);
  return totalOf(rows[0]?.n ?? 0);
};

/**
 * A page of ids and the number of all matches. `isRead`: the conditions read the rows of all matches, which costs more than sorting them, so
 * page and number come from one reading. More matches than are counted are read in the order of an index. Otherwise indexes answer both, at
 * the same time.
 */
export const pageWithTotal = async (
  db: Db,
  conditions: readonly Condition[],
  query: RecordsQuery,
  { total, isRead }: { readonly total?: Total | undefined; readonly isRead: boolean },
): Promise<IdPage & { readonly total: Total }> => {
  if (isRead && total?.isAtLeast !== true) {
    const matched = sql`with matched as materialized (select id, norm, status, modified_at, target_date from catalog_entry entry
      where ${all(conditions)} limit ${countedAtMost + 1})`;
    const page = await pageOfIds(db, [], query, { total: total?.total, matched });
    if (page.read !== undefined) {
      const counted = totalOf(page.read);
      return { ...(counted.isAtLeast ? await pageOfIds(db, conditions, query) : page), total: counted };
    }
  }
  if (total) return { ...(await pageOfIds(db, conditions, query, total.isAtLeast ? {} : { total: total.total })), total };
  const [page, counted] = await Promise.all([pageOfIds(db, conditions, query), countMatches(db, conditions)]);
  return { ...page, total: counted };
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
  { total, isRead = false }: { readonly total?: number | undefined; readonly isRead?: boolean } = {},
): Promise<Records<T>> => {
  const known = total === undefined ? undefined : { total, isAtLeast: false };
  const { ids, next, total: counted } = await pageWithTotal(db, conditions, query, { total: known, isRead });
  return recordsOf((await rowsById(db, ids)).map(toView), counted, { ...query, next });
};
