/** Pages of results in the specification's shape. A page costs as much as it holds: nothing here counts what has no end. */
import type { Page } from '@slipway/contract/kernel/fields.ts';
import { sql, type Expression, type Kysely } from 'kysely';
import type { DB } from '#db/types.ts';

/** How far a list is counted. Beyond it a page says that there are at least so many. */
export const countedAtMost = 1000;

/** What is known of how many there are. */
export interface Total {
  readonly total: number;
  readonly isAtLeast: boolean;
}
/** Of a count that was stopped one after `countedAtMost`. */
export const totalOf = (counted: number): Total => ({ total: Math.min(counted, countedAtMost), isAtLeast: counted > countedAtMost });

/** How many rows a query has, as far as they are counted. */
export const countRows = async (db: Kysely<DB>, rows: Expression<unknown>): Promise<number> => {
  const { rows: found } = await sql<{ counted: number }>`
    select count(*)::integer as counted from (select 1 from (${rows}) as every limit ${countedAtMost + 1}) as some_of_them`.execute(db);
  return found[0]?.counted ?? 0;
};
/** The total of a page whose rows these are. */
export const countTotal = async (db: Kysely<DB>, rows: Expression<unknown>): Promise<Total> => totalOf(await countRows(db, rows));

export const pageOf = <T>(content: T[], counted: number | Total, { page, size }: { page: number; size: number }): Page<T> => {
  const { total, isAtLeast } = typeof counted === 'number' ? { total: counted, isAtLeast: false } : counted;
  const totalPages = Math.max(1, Math.ceil(total / size));
  const last = isAtLeast ? content.length < size : page >= totalPages - 1;
  return { number: page, size, totalPages, totalElements: total, isTotalAtLeast: isAtLeast, first: page === 0, last, content };
};

/** The pattern of `ilike` for a text inside another: the text's own signs stand for themselves. */
export const likeOf = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** `-name` → descending by the column allowed under `name`; the fallback for anything that is not in the list. */
export const orderOf = <C extends string>(
  sort: string | undefined,
  columns: Readonly<Record<string, C>>,
  fallback: { column: C; direction: 'asc' | 'desc' },
): { column: C; direction: 'asc' | 'desc' } => {
  const name = sort?.replace(/^-/, '') ?? '';
  const column = Object.hasOwn(columns, name) ? columns[name] : undefined;
  return column === undefined ? fallback : { column, direction: sort?.startsWith('-') ? 'desc' : 'asc' };
};
