/** Pages that continue after a cursor: the sort keys of the last row. They cost the same at any depth. */
import { sql, type RawBuilder } from 'kysely';
import { errorCode } from '#kernel/caught.ts';
import { Problem } from '#kernel/problem.ts';

export interface SortKey {
  readonly sql: RawBuilder<unknown>;
  readonly type: string;
}
/** Keys of a list by time. The id decides between rows of the same instant. */
export const timeKeys = (at: RawBuilder<unknown>, id: RawBuilder<unknown>): readonly SortKey[] => [
  { sql: at, type: 'timestamptz' },
  { sql: id, type: 'text' },
];
/** Text of an instant for a cursor, because a JavaScript date has no microseconds. */
export const exactInstant = (at: RawBuilder<unknown>): RawBuilder<string> =>
  sql<string>`to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

export const cursorOf = (values: readonly unknown[]): string => Buffer.from(JSON.stringify(values)).toString('base64url');
/** Splits rows, of which there is one more than a page if another page follows, into the page and the cursor of the next one. */
export const cutPage = <Row>(
  rows: readonly Row[],
  size: number,
  valuesOf: (row: Row) => readonly string[],
): { readonly shown: Row[]; readonly next: string | null } => {
  const shown = rows.slice(0, size);
  const last = shown.at(-1);
  return { shown, next: rows.length > size && last !== undefined ? cursorOf(valuesOf(last)) : null };
};

/** The former form of cursors of lists by time. A client may still hold one. */
const formerForm = /^(\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z) ([\w.:-]{1,200})$/;
/** An instant as `exactInstant` or a cast to text writes it: `2026-11-25T10:11:12Z`, `2026-11-25 10:11:12.5+00`. */
const instantForm = /^(\d{4,}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.\d{1,6})?(?:Z|[+-]\d\d(?::\d\d){0,2})$/;
/** False for a day that its month does not have, which JavaScript would count into the next month. */
const isInstant = (text: string): boolean => {
  const [, day = '', time = ''] = instantForm.exec(text) ?? [];
  const at = Date.parse(`${day}T${time}Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().slice(0, 10) === day;
};

const readCursor = (text: string, keys: readonly SortKey[]): string[] => {
  const decoded = Buffer.from(text, 'base64url').toString('utf8');
  try {
    const values: unknown = formerForm.exec(decoded)?.slice(1) ?? JSON.parse(decoded);
    const isValid = (value: unknown, index: number): boolean =>
      typeof value === 'string' && !value.includes('\0') && (keys[index]?.type !== 'timestamptz' || isInstant(value));
    if (Array.isArray(values) && values.length === keys.length && values.every(isValid)) return values as string[];
  } catch {
    // Answered below.
  }
  throw new Problem('InvalidValue', { field: 'after' });
};

/** Conditions and order of a page behind its cursor, for keys that all have the same direction. */
export const keysetOf = (keys: readonly SortKey[], isDescending: boolean, after: string | undefined) => {
  const direction = sql.raw(isDescending ? 'desc' : 'asc');
  const values = after === undefined ? [] : readCursor(after, keys);
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
