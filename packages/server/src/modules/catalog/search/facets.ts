/** Numbers of matches by value of each facet. */
import { sql, type RawBuilder } from 'kysely';
import type * as z from 'zod/mini';
import { facetNames, type catalogSearch } from '@slipway/contract/catalog/search.ts';
import type { Db } from '#db/database.ts';
import { mapLimited } from '#kernel/map-limited.ts';
import type { Viewer } from '../entries/entry-rights.ts';
import { cellFacets, countsOfCells } from './cells.ts';
import { conditionsOf, filteredBy, isCellFacet, isOfCells, keptScope, type Facet, type Filters } from './filters.ts';
import { keptValues, optionNames, shownValues, type Cell } from './kept-counts.ts';
import { all, countedAtMost, totalOf, type Condition, type Total } from './records.ts';
import type { TermMatches } from './term.ts';

export type Facets = NonNullable<z.infer<(typeof catalogSearch)['response']>['facets']>;
type FacetValue = Facets[string][number];

const columns: Readonly<Record<Facet, RawBuilder<unknown>>> = {
  kind: sql`entry.kind`,
  status: sql`entry.status`,
  criticality: sql`entry.criticality`,
  classification: sql`entry.classification`,
  verified: sql`case when entry.kind = 'application' then entry.is_verified::text end`,
  platform: sql`entry.platform_id`,
  portfolio: sql`entry.portfolio_id`,
  label: sql`unnest(entry.labels)`,
};
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

const exact = (value: string, name: string, count: number): FacetValue => ({ value, name, count, isCountAtLeast: false });
const optionLists: Readonly<Partial<Record<Facet, string>>> = {
  criticality: 'criticalityCategories',
  classification: 'informationClassifications',
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
    for (const { facet, value, name, count } of await keptValues(db, large, scope.kind)) facets[facet]?.push(exact(value, name, count));
  if (!cellFacets.some((facet) => isOfCells(filters, facet))) return facets;
  const names = await optionNames(db);
  for (const facet of cellFacets)
    if (isOfCells(filters, facet))
      facets[facet] = countsOfCells(cells, facet, filters.cells).map(([value, count]) =>
        exact(value, names.get(`${optionLists[facet] ?? ''}.${value}`) ?? value, count),
      );
  return facets;
};

const countFacets = async (db: Db, facets: readonly Facet[], conditions: readonly Condition[]): Promise<Counted> => {
  const parts = facets.map(
    (facet) => sql`(select ${sql.lit(facet)} as facet, value, count(*)::integer as count
      from (select ${columns[facet]} as value from matched as entry) as each where value is not null
      group by value order by count(*) desc, value limit ${sql.lit(shownValues)})`,
  );
  const { rows } = await sql<{ facet: Facet; value: string; name: string; count: number; seen: number }>`
    with matched as materialized (select entry.kind, entry.status, entry.criticality, entry.classification, entry.is_verified, entry.platform_id,
      entry.portfolio_id, entry.labels from catalog_entry entry where ${all(conditions)} limit ${sql.lit(countedAtMost + 1)})
    select facet, value, count, (select count(*)::integer from matched) as seen, coalesce(case
        when facet in ('platform', 'portfolio') then (select name from catalog_entry where id = value)
        when facet = 'label' then (select name from catalog_label where id = value)
        when facet = 'criticality' then (select name from catalog_option where list = 'criticalityCategories' and id = value)
        when facet = 'classification' then (select name from catalog_option where list = 'informationClassifications' and id = value) end, value) as name
    from (${sql.join(parts, sql` union all `)}) as counts`.execute(db);
  // Matches without any of the values leave no row.
  const total = rows[0] && totalOf(rows[0].seen);
  const valuesOf = (facet: Facet): FacetValue[] =>
    rows
      .filter((row) => row.facet === facet)
      .map(({ value, name, count }) => ({ value, name, count, isCountAtLeast: total?.isAtLeast === true }));
  return { facets: Object.fromEntries(facets.map((facet) => [facet, valuesOf(facet)])), total };
};
