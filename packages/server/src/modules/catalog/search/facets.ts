/** Numbers of matches by value of each facet. */
import { sql, type RawBuilder } from 'kysely';
import type * as z from 'zod/mini';
import type { EntryKind } from '@slipway/contract/catalog/entry.ts';
import { facetNames, type catalogSearch } from '@slipway/contract/catalog/search.ts';
import type { Db } from '#db/database.ts';
import { mapLimited } from '#kernel/map-limited.ts';
import type { Viewer } from '../entries/entry-rights.ts';
import { ownRejected } from './entry-lists.ts';
import { conditionsOf, filteredBy, keptScope, withoutFilter, type Facet, type Filters } from './filters.ts';
import { keptStatuses, keptValues, shownValues } from './kept-counts.ts';
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
  /** Kinds of the filter. */
  readonly kinds: readonly string[];
}
interface Counted {
  readonly facets: Facets;
  /** Matches of all filters, if they were counted. */
  readonly total?: Total | undefined;
}
/** Counts by value, most frequent first. Without a filter, or for one kind, they are kept; otherwise at most 10,000 matches are counted. */
export const facetsOf = async (db: Db, viewer: Viewer, { filters, term, kinds }: Asked): Promise<Counted> => {
  const kept = term ? undefined : keptScope(filters, kinds);
  if (kept) return { facets: await keptFacets(db, viewer, kept.kind) };
  const filtered = filteredBy(filters);
  const conditions = (without?: Facet) => [...(term ? [term.condition] : []), ...conditionsOf(viewer, filters, without)];
  // Facets without a filter of their own count the same matches, in one query.
  const groups = [facetNames.filter((facet) => !filtered.includes(facet)), ...filtered.map((facet) => [facet])].filter(
    ({ length }) => length > 0,
  );
  const countGroup = async (group: readonly Facet[]): Promise<Counted> => {
    const own = filtered.find((facet) => facet === group[0]);
    const isKept = !term && viewer.rejected?.length === 0 && !viewer.isApprover;
    const others = isKept && own ? keptScope(withoutFilter(filters, own), own === 'kind' ? [] : kinds) : undefined;
    // Whoever sees no rejected entry sees what the kept counters count.
    if (own && others) return { facets: { [own]: (await keptFacets(db, viewer, others.kind))[own] ?? [] } };
    return countFacets(db, group, conditions(own));
  };
  const counted = await mapLimited(groups, countGroup, AT_ONCE);
  return {
    facets: Object.assign({}, ...counted.map(({ facets }) => facets)) as Facets,
    total: filtered.length < facetNames.length ? counted[0]?.total : undefined,
  };
};

const exact = (value: string, name: string, count: number): FacetValue => ({ value, name, count, isCountAtLeast: false });
const keptFacets = async (db: Db, viewer: Viewer, kind: EntryKind | undefined): Promise<Facets> => {
  const others = facetNames.filter((facet) => facet !== 'kind' && facet !== 'status');
  const statuses = await keptStatuses(db);
  const rejected = viewer.isApprover ? undefined : await ownRejected(db, viewer, kind);
  const byStatus = new Map<string, number>();
  for (const [of, counts] of statuses)
    if (kind === undefined || of === kind)
      for (const [status, n] of Object.entries(counts)) byStatus.set(status, (byStatus.get(status) ?? 0) + n);
  if (rejected !== undefined) byStatus.set('REJECTED', rejected);
  const byKind = [...statuses].map(
    ([of, counts]) => [of, Object.entries(counts).reduce((sum, [status, n]) => (status === 'REJECTED' ? sum : sum + n), 0)] as const,
  );
  const facets: Facets = { kind: sorted(byKind), status: sorted([...byStatus]) };
  for (const facet of others) facets[facet] = [];
  for (const { facet, value, name, count } of await keptValues(db, others, kind)) facets[facet]?.push(exact(value, name, count));
  return facets;
};
const sorted = (counts: readonly (readonly [string, number])[]): FacetValue[] =>
  counts
    .filter(([, n]) => n > 0)
    .toSorted(([, a], [, b]) => b - a)
    .map(([value, n]) => exact(value, value, n));

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
