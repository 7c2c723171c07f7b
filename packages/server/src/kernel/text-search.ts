/**
 * Substring search with the indexes over `search_grams` (migration 0017). A few matches are found first and then sorted. If there are many,
 * the list is read in order and each row is tested until the page is full.
 */
import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { DB } from '#db/types.ts';
import { countedAtMost } from './page.ts';

/** A table, its key, and the lower-case text as in the table's index. */
export interface Searched {
  readonly table: keyof DB;
  readonly key: string;
  readonly text: RawBuilder<string>;
}

const contains = (text: RawBuilder<string>, sought: string): RawBuilder<boolean> => sql<boolean>`position(lower(${sought}) in ${text}) > 0`;

/** Number of rows to sample. A text that nearly every row contains shows up in the first rows and needs no index. */
const sampled = 2000;

/** Whether so many of a table's first rows match that the index would find too many. */
export const isCommon = async (db: Kysely<DB>, { table, text }: Searched, sought: string): Promise<boolean> => {
  const { rows } = await sql<{ found: number }>`select count(*)::integer as found
    from (select * from ${sql.table(table)} limit ${sampled}) as ${sql.table(table)} where ${contains(text, sought)}`.execute(db);
  return (rows[0]?.found ?? 0) > sampled / 2;
};

/** Returns the keys of matching rows, or undefined if there are many. */
export const fewMatches = async (db: Kysely<DB>, { table, key, text }: Searched, sought: string): Promise<string[] | undefined> => {
  if (await isCommon(db, { table, key, text }, sought)) return undefined;
  const { rows } = await sql<{ key: string }>`select ${sql.ref(key)} as key from ${sql.table(table)}
    where search_grams(${text}) @> sought_grams(lower(${sought})) and ${contains(text, sought)} limit ${countedAtMost + 1}`.execute(db);
  return rows.length > countedAtMost ? undefined : rows.map((row) => row.key);
};

/** Returns the search condition for a list of the table. */
export const matching = async (db: Kysely<DB>, searched: Searched, sought: string): Promise<RawBuilder<boolean>> => {
  const few = await fewMatches(db, searched, sought);
  return few ? sql<boolean>`${sql.ref(`${searched.table}.${searched.key}`)} = any (${few})` : contains(searched.text, sought);
};
