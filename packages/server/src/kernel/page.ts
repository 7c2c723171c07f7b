/** Pages of results in the specification's shape. The cost of a page is bounded: unlimited lists are never counted in full. */
import type { Page } from '@slipway/contract/kernel/fields.ts';
import { sql, type Expression, type Kysely } from 'kysely';
import type { DB } from '#db/types.ts';

/** Maximum count of a list. Beyond it, a page reports "at least" this many. */
export const countedAtMost = 1000;

/** Number of results, exact or a lower bound. */
export interface Total {
  readonly total: number;
  readonly isAtLeast: boolean;
}
/** `counted` comes from a count that stopped one after `countedAtMost`. */
export const totalOf = (counted: number): Total => ({ total: Math.min(counted, countedAtMost), isAtLeast: counted > countedAtMost });

/** Counts the rows of a query, up to the limit. */
export const countRows = async (db: Kysely<DB>, rows: Expression<unknown>): Promise<number> => {
  const { rows: found } = await sql<{ counted: number }>`
    select count(*)::integer as counted from (select 1 from (${rows}) as every limit ${countedAtMost + 1}) as some_of_them`.execute(db);
  return found[0]?.counted ?? 0;
};
/** Returns the total of a page of these rows. */
export const countTotal = async (db: Kysely<DB>, rows: Expression<unknown>): Promise<Total> => totalOf(await countRows(db, rows));

export const pageOf = <T>(content: T[], counted: number | Total, { page, size }: { page: number; size: number }): Page<T> => {
  const { total, isAtLeast } = typeof counted === 'number' ? { total: counted, isAtLeast: false } : counted;
  const totalPages = Math.max(1, Math.ceil(total / size));
  const last = isAtLeast ? content.length < size : page >= totalPages - 1;
  return { number: page, size, totalPages, totalElements: total, isTotalAtLeast: isAtLeast, first: page === 0, last, content };
};

/** Returns the `ilike` pattern for a substring, with wildcards escaped. */
export const likeOf = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** Maps `-name` to descending order by the column allowed as `name`. Uses the fallback for unknown names. */
export const orderOf = <C extends string>(
  sort: string | undefined,
  columns: Readonly<Record<string, C>>,
  fallback: { column: C; direction: 'asc' | 'desc' },
): { column: C; direction: 'asc' | 'desc' } => {
  const name = sort?.replace(/^-/, '') ?? '';
  const column = Object.hasOwn(columns, name) ? columns[name] : undefined;
  return column === undefined ? fallback : { column, direction: sort?.startsWith('-') ? 'desc' : 'asc' };
};
