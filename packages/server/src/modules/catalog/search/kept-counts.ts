/**
 * Counters that the writes of entries keep. Sums are in `catalog_total`, and the differences since the last sum in `catalog_count`. Each replica
 * remembers what it read for as long as the counters stay the same.
 */
import { sql } from 'kysely';
import type { EntryKind } from '@slipway/contract/catalog/entry.ts';
import { prepared, type Db } from '#db/database.ts';

/** Values of a facet that are shown. */
export const shownValues = 50;

/** Identifies a state of the counters: between two sums, differences are only added. */
const stateOf = async (db: Db): Promise<string> => {
  const { rows } = await sql<{ state: string }>`
    select (select n from catalog_sum) || '.' || (select count(*) from catalog_count) as state ${prepared}`.execute(db);
  return rows[0]?.state ?? '';
};

interface Remembered {
  readonly state: string;
  readonly values: Map<string, Promise<unknown>>;
}
const remembered = new WeakMap<Db, Remembered>();
/** Reads a value once for each state of the counters. Callers that come together share one read. */
const remember = async <T>(db: Db, key: string, read: () => Promise<T>): Promise<T> => {
  const state = await stateOf(db);
  let known = remembered.get(db);
  if (known?.state !== state) {
    known = { state, values: new Map() };
    remembered.set(db, known);
  }
  const { values } = known;
  const found = values.get(key) ?? read();
  values.set(key, found);
  try {
    return (await found) as T;
  } catch (error) {
    values.delete(key);
    throw error;
  }
};

/** Number of entries with one combination of values. Values that an entry does not have are null. */
export interface Cell {
  readonly kind: EntryKind;
  readonly status: string;
  readonly criticality: string | null;
  readonly classification: string | null;
  readonly verified: string | null;
  readonly count: number;
}
/** Number of entries by cell, including rejected entries. */
export const keptCells = (db: Db): Promise<readonly Cell[]> =>
  remember(db, 'cells', async () => {
    const { rows } = await sql<Cell>`
      select kind, value::jsonb ->> 0 as status, value::jsonb ->> 1 as criticality, value::jsonb ->> 2 as classification,
        value::jsonb ->> 3 as verified, sum(n)::integer as count from (
          select kind, value, n from catalog_total where facet = 'cell' and kind <> ''
          union all select kind, value, n from catalog_count where facet = 'cell') as counts
      group by kind, value having sum(n) > 0 ${prepared}`.execute(db);
    return rows;
  });
/** Names of the options of applications by list and id: `criticalityCategories.important`. */
export const optionNames = (db: Db): Promise<ReadonlyMap<string, string>> =>
  remember(db, 'options', async () => {
    const rows = await db.selectFrom('catalog_option').select(['list', 'id', 'name']).execute();
    return new Map(rows.map(({ list, id, name }) => [`${list}.${id}`, name]));
  });

export interface KeptValue {
  readonly facet: string;
  readonly value: string;
  readonly name: string;
  readonly count: number;
}
/**
 * The most frequent values of the facets with their names, of one kind or of all kinds. A value that is not among the highest sums can only
 * be shown if it has a difference, or if a shown value has one, so that many more sums are looked at.
 */
export const keptValues = (db: Db, facets: readonly string[], kind: EntryKind | undefined): Promise<readonly KeptValue[]> =>
  remember(db, `values ${kind ?? ''} ${facets.join(' ')}`, async () => {
    const { rows } = await sql<KeptValue>`
      with difference as materialized (
        select facet, value, sum(n) as n from catalog_count where facet = any(${[...facets]}::text[]) and (${kind ?? ''} in ('', kind)) group by facet, value),
      highest as (
        select asked.facet, sums.value from unnest(${[...facets]}::text[]) as asked (facet) cross join lateral (
          select value from catalog_total where facet = asked.facet and kind = ${kind ?? ''} order by n desc, value
          limit ${sql.lit(shownValues)} + (select count(*) from difference)) as sums
        union select facet, value from difference),
      counted as (
        select highest.facet, highest.value, (coalesce(total.n, 0) + coalesce(difference.n, 0))::integer as count
        from highest left join catalog_total total on total.facet = highest.facet and total.kind = ${kind ?? ''} and total.value = highest.value
          left join difference on difference.facet = highest.facet and difference.value = highest.value),
      shown as (select *, row_number() over (partition by facet order by count desc, value) as place from counted where count > 0)
      select facet, value, count, coalesce(case
          when facet in ('platform', 'portfolio') then (select name from catalog_entry where id = value)
          when facet = 'label' then (select name from catalog_label where id = value) end, value) as name
      from shown where place <= ${sql.lit(shownValues)} order by facet, place ${prepared}`.execute(db);
    return rows;
  });
