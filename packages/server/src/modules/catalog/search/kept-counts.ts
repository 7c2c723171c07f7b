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

export type StatusCounts = Readonly<Record<string, number>>;
/** Numbers of entries by status, for each kind. */
export const keptStatuses = (db: Db): Promise<ReadonlyMap<EntryKind, StatusCounts>> =>
  remember(db, 'statuses', async () => {
    const { rows } = await sql<{ kind: EntryKind; value: string; n: number }>`
      select kind, value, sum(n)::integer as n from (
        select kind, value, n from catalog_total where facet = 'status' and kind <> ''
        union all select kind, value, n from catalog_count where facet = 'status') as counts
      group by kind, value having sum(n) > 0 ${prepared}`.execute(db);
    const counts = new Map<EntryKind, Record<string, number>>();
    for (const { kind, value, n } of rows) counts.set(kind, { ...counts.get(kind), [value]: n });
    return counts;
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
          when facet = 'label' then (select name from catalog_label where id = value)
          when facet = 'criticality' then (select name from catalog_option where list = 'criticalityCategories' and id = value)
          when facet = 'classification' then (select name from catalog_option where list = 'informationClassifications' and id = value) end, value) as name
      from shown where place <= ${sql.lit(shownValues)} order by facet, place ${prepared}`.execute(db);
    return rows;
  });
