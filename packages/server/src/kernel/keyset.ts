/** Pages that continue after a cursor: the sort keys of the last row. They cost the same at any depth. */
import { sql, type RawBuilder } from 'kysely';
import { errorCode } from '#kernel/caught.ts';
import { Problem } from '#kernel/problem.ts';

export interface SortKey {
  readonly sql: RawBuilder<unknown>;
  readonly type: string;
}

export const cursorOf = (values: readonly unknown[]): string => Buffer.from(JSON.stringify(values)).toString('base64url');
const readCursor = (text: string, length: number): string[] => {
  try {
    const values: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (Array.isArray(values) && values.length === length && values.every((value) => typeof value === 'string')) return values as string[];
  } catch {
    // Answered below.
  }
  throw new Problem('InvalidValue', { field: 'after' });
};

/** Conditions and order of a page behind its cursor, for keys that all have the same direction. */
export const keysetOf = (keys: readonly SortKey[], isDescending: boolean, after: string | undefined) => {
  const direction = sql.raw(isDescending ? 'desc' : 'asc');
  const values = after === undefined ? [] : readCursor(after, keys.length);
  const from = sql<boolean>`(${sql.join(keys.map((key) => key.sql))}) ${sql.raw(isDescending ? '<' : '>')} (${sql.join(
    values.map((value, at) => sql`${value}::${sql.raw(keys[at]?.type ?? 'text')}`),
  )})`;
  return { from: after === undefined ? [] : [from], by: sql.join(keys.map((key) => sql`${key.sql} ${direction}`)) };
};
/** Runs a query with a cursor. A cursor of another order holds no date, for example, which is a data exception (class 22). */
export const readAfter = async <T>(after: string | undefined, rows: Promise<T>): Promise<T> => {
  try {
    return await rows;
  } catch (error) {
    if (after !== undefined && errorCode(error)?.startsWith('22') === true)
      throw new Problem('InvalidValue', { field: 'after', cause: error });
    throw error;
  }
};
