/** Numbers of matches by value of each facet. */
import { sql } from 'kysely';
import type * as z from 'zod/mini';
import { facetNames, type catalogSearch } from '@slipway/contract/catalog/search.ts';
import type { Db } from '#db/database.ts';
import { mapLimited } from '#kernel/map-limited.ts';
import type { Total } from '#kernel/page.ts';
import type { Viewer } from '../entries/entry-rights.ts';
import { cellFacets, countsOfCells, type CellFacet, type CellFilter } from './cells.ts';
import { conditionsOf, filteredBy, isCellFacet, isOfCells, keptScope, type Facet, type Filters } from './filters.ts';
import { keptValues, optionNames, shownValues, type Cell } from './kept-counts.ts';
import { all, countedAtMost, totalOf, type Condition } from './records.ts';
import type { TermMatches } from './term.ts';

export type Facets = NonNullable<z.infer<(typeof catalogSearch)['response']>['facets']>;
type FacetValue = Facets[string][number];

/** Facets with too many values for cells. */
const wideColumns = {
  platform: sql`entry.platform_id`,
  portfolio: sql`entry.portfolio_id`,
  label: sql`unnest(entry.labels)`,
} as const;
/** Queries of one call that count at the same time. */
const AT_ONCE = 3;

interface Asked {
  readonly filters: Filters;
  readonly term: TermMatches | undefined;
  /** Cells of the entries that the viewer sees. Undefined with a term. */
  readonly cells: readonly Cell[] | undefined;
}
interface Counted {
  readonly facets: Partial<Facets>;
  /** Matches of all filters, if they were counted. */
  readonly total?: Total | undefined;
}
/** Counts by value, most frequent first. Facets that kept counters answer are exact. For all others, at most 10,000 matches are counted. */
export const facetsOf = async (
  db: Db,
  viewer: Viewer,
  { filters, term, cells }: Asked,
): Promise<{ facets: Facets; total?: Total | undefined }> => {
  const filtered = filteredBy(filters);
  const kept = cells ? await keptFacets(db, viewer, filters, cells) : {};
  const missing = facetNames.filter((facet) => kept[facet] === undefined);
  // Facets without a filter of their own count the same matches, in one query.
  const together = missing.filter((facet) => !filtered.includes(facet));
  const groups = [together, ...missing.filter((facet) => filtered.includes(facet)).map((facet) => [facet])].filter(
    ({ length }) => length > 0,
  );
  const counted = await mapLimited(
    groups,
    (group: readonly Facet[]) => {
      const without = group === together ? undefined : group[0];
      return countFacets(db, group, [...(term ? [term.condition] : []), ...conditionsOf(viewer, filters, without)]);
    },
    AT_ONCE,
  );
  const facets = Object.assign({}, kept, ...counted.map((one) => one.facets)) as Facets;
  return { facets, total: together.length > 0 ? counted[0]?.total : undefined };
};

const optionLists: Readonly<Partial<Record<Facet, string>>> = {
  criticality: 'criticalityCategories',
  classification: 'informationClassifications',
};
/** Counts of the facets that cells hold. Criticalities and classifications have names. */
const facetsOfCells = async (
  db: Db,
  asked: readonly CellFacet[],
  cells: readonly Cell[],
  { filter = {}, isCountAtLeast = false }: { readonly filter?: CellFilter; readonly isCountAtLeast?: boolean },
): Promise<Partial<Facets>> => {
  if (asked.length === 0) return {};
  const names = await optionNames(db);
  const valuesOf = (facet: CellFacet): FacetValue[] =>
    countsOfCells(cells, facet, filter).map(([value, count]) => {
      return { value, name: names.get(`${optionLists[facet] ?? ''}.${value}`) ?? value, count, isCountAtLeast };
    });
  return Object.fromEntries(asked.map((facet) => [facet, valuesOf(facet)]));
};
const keptFacets = async (db: Db, viewer: Viewer, filters: Filters, cells: readonly Cell[]): Promise<Partial<Facets>> => {
  const facets: Partial<Facets> = {};
  const large = facetNames.filter((facet) => {
    // Kept values count no rejected entry. Without any filter, they are shown to everybody.
    const isSame = !filteredBy(filters).includes(facet) || (viewer.rejected?.length === 0 && !viewer.isApprover);
    return !isCellFacet(facet) && isSame && keptScope(filters, facet) !== undefined;
  });
  for (const facet of large) facets[facet] = [];
  const [scope] = large.map((facet) => keptScope(filters, facet));
  if (scope)
    for (const { facet, ...value } of await keptValues(db, large, scope.kind)) facets[facet]?.push({ ...value, isCountAtLeast: false });
  const small = cellFacets.filter((facet) => isOfCells(filters, facet));
  return { ...facets, ...(await facetsOfCells(db, small, cells, { filter: filters.cells })) };
};

/** Reads the matches once. Facets with few values are counted together as cells, which takes half the time of counting each. */
const countFacets = async (db: Db, facets: readonly Facet[], conditions: readonly Condition[]): Promise<Required<Counted>> => {
  const wide = facets.filter((facet) => !isCellFacet(facet));
  const parts = wide.map(
    (facet) => sql`(select ${sql.lit(facet)} as facet, value, count(*)::integer as count
      from (select ${wideColumns[facet]} as value from matched as entry) as each where value is not null
      group by value order by count(*) desc, value limit ${sql.lit(shownValues)})`,
  );
  const { rows } = await sql<{ facet: Facet | 'cell'; value: string; name: string; count: number }>`
    with matched as materialized (select entry.kind, entry.status, entry.criticality, entry.classification, entry.is_verified, entry.platform_id,
      entry.portfolio_id, entry.labels from catalog_entry entry where ${all(conditions)} limit ${sql.lit(countedAtMost + 1)}),
    cell as (select kind, status, criticality, classification, case when kind = 'application' then is_verified::text end as verified,
      count(*)::integer as count from matched group by 1, 2, 3, 4, 5)
    select facet, value, count, coalesce(case
        when facet in ('platform', 'portfolio') then (select name from catalog_entry where id = value)
        when facet = 'label' then (select name from catalog_label where id = value) end, value) as name
    from (${sql.join([sql`(select 'cell' as facet, to_jsonb(cell)::text as value, count from cell)`, ...parts], sql` union all `)}) as counts`.execute(
    db,
  );
  const cells = rows.filter(({ facet }) => facet === 'cell').map(({ value }) => JSON.parse(value) as Cell);
  const total = totalOf(cells.reduce((sum, { count }) => sum + count, 0));
  const valuesOf = (wanted: Facet): FacetValue[] =>
    rows.flatMap(({ facet, ...value }) => (facet === wanted ? { ...value, isCountAtLeast: total.isAtLeast } : []));
  const small = await facetsOfCells(db, facets.filter(isCellFacet), cells, { isCountAtLeast: total.isAtLeast });
  return { facets: { ...small, ...Object.fromEntries(wide.map((facet) => [facet, valuesOf(facet)])) }, total };
};
