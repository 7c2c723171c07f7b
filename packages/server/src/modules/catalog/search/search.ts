/** The catalog's search: filters, ranked or sorted pages, facets, and CSV. */
import { sql, type RawBuilder } from 'kysely';
import type * as z from 'zod/mini';
import { wordsOf, type EntryKind } from '@slipway/contract/catalog/entry.ts';
import { facetNames, type CatalogFound, type catalogSearch } from '@slipway/contract/catalog/search.ts';
import type { QueryOf } from '@slipway/contract/kernel/kernel.ts';
import type { Db } from '#db/database.ts';
import { Problem } from '#kernel/problem.ts';
import type { Viewer } from '../entries/entry-rights.ts';
import { isVisible, peopleIn, type EntryRow } from '../entries/entry-row.ts';
import { ownRejected } from './entry-lists.ts';
import { all, countedAtMost, countMatches, keptCounts, pageOfIds, recordsOf, rowsById } from './records.ts';
import { candidatesAtMost, findTerm, readTerm, type TermMatches } from './term.ts';

type Condition = RawBuilder<boolean>;
export type SearchQuery = QueryOf<typeof catalogSearch>;
type Facet = (typeof facetNames)[number];
export type Facets = NonNullable<z.infer<(typeof catalogSearch)['response']>['facets']>;

/** One value is compared by `=`, so that an index in the order of the page can be used. */
const anyOf = (column: string, values: readonly string[]): Condition[] => {
  if (values.length === 0) return [];
  const name = sql.ref(`entry.${column}`);
  return [values.length === 1 ? sql<boolean>`${name} = ${values[0]}` : sql<boolean>`${name} = any(${[...values]}::text[])`];
};

const PARENTS = 1000;
/** Matches parents by id or by words of the name, and everything below them. */
const parentCondition = async (db: Db, kind: EntryKind, text: string | undefined): Promise<Condition[]> => {
  if (!text) return [];
  const { words } = await readTerm(db, text);
  const query = words.map((word) => `${word}:*`).join(' & ');
  const { rows } = await sql<{ id: string }>`select id from catalog_entry where kind = ${kind} and (id = ${text.toUpperCase()}
    or to_tsvector('simple', catalog_words(name)) @@ to_tsquery('simple', ${query})) limit ${PARENTS}`.execute(db);
  const ids = rows.map(({ id }) => id);
  return [sql<boolean>`(${sql.ref(`entry.${kind}_id`)} = any(${ids}::text[]) or entry.id = any(${ids}::text[]))`];
};

export interface Filters {
  /** Conditions of facets, which each facet's own count leaves out. */
  readonly facets: Readonly<Partial<Record<Facet, readonly Condition[]>>>;
  readonly others: readonly Condition[];
}
export const filtersOf = async (db: Db, { caller: { id } }: Viewer, query: SearchQuery): Promise<Filters> => {
  const { fromTargetDecomDate: from, toTargetDecomDate: to, owner, check, verified } = query;
  if (from !== undefined && to !== undefined && from > to) throw new Problem('InvalidRange', { field: 'fromTargetDecomDate' });
  const labels = wordsOf(query.labels);
  return {
    facets: {
      kind: anyOf('kind', wordsOf(query.kind)),
      status: anyOf('status', wordsOf(query.status)),
      criticality: anyOf('criticality', wordsOf(query.criticality)),
      classification: anyOf('classification', wordsOf(query.classification)),
      verified: verified === undefined ? [] : [sql<boolean>`entry.kind = 'application' and entry.is_verified = ${verified}`],
      platform: await parentCondition(db, 'platform', query.platform),
      portfolio: await parentCondition(db, 'portfolio', query.portfolio),
      label: labels.length === 0 ? [] : [sql<boolean>`entry.labels @> ${labels}::text[]`],
    },
    others: [
      ...(from === undefined ? [] : [sql<boolean>`coalesce(entry.target_date, 'infinity'::date) >= ${from}::date`]),
      ...(to === undefined ? [] : [sql<boolean>`coalesce(entry.target_date, 'infinity'::date) <= ${to}::date`]),
      ...(owner === undefined ? [] : [sql<boolean>`entry.owners @> ${[owner === 'me' ? id : owner]}::text[]`]),
      ...(check === undefined ? [] : [sql<boolean>`entry.kind = 'application' and entry.failing @> ${[check]}::text[]`]),
    ],
  };
};
const conditionsOf = (viewer: Viewer, { facets, others }: Filters, without?: Facet): Condition[] => [
  isVisible(viewer),
  ...others,
  ...facetNames.flatMap((facet) => (facet === without ? [] : [...(facets[facet] ?? [])])),
];

export const foundOf = (row: EntryRow, score: number | null): CatalogFound => ({
  kind: row.kind,
  id: row.id,
  name: row.name,
  description: row.description,
  status: row.status,
  owners: peopleIn(row, row.owners),
  platformId: row.platform?.id ?? null,
  platformName: row.platform?.name ?? null,
  portfolioId: row.portfolio?.id ?? null,
  portfolioName: row.portfolio?.name ?? null,
  criticality: row.options?.['criticalityCategories'] ?? null,
  classification: row.options?.['informationClassifications'] ?? null,
  validApp: row.is_valid,
  verified: row.is_verified,
  targetDecommissioningDate: row.target_date,
  labels: row.label_list ?? [],
  modifiedDate: row.modified_at.toISOString(),
  score,
});

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
const VALUES = 50;

/** Names of values that are ids. */
const named = async (db: Db, facet: Facet, values: readonly string[]): Promise<Map<string, string>> => {
  const from: Readonly<Partial<Record<Facet, RawBuilder<unknown>>>> = {
    platform: sql`select id, name from catalog_entry`,
    portfolio: sql`select id, name from catalog_entry`,
    label: sql`select id, name from catalog_label`,
    criticality: sql`select id, name from catalog_option where list = 'criticalityCategories'`,
    classification: sql`select id, name from catalog_option where list = 'informationClassifications'`,
  };
  const of = from[facet];
  if (!of || values.length === 0) return new Map();
  const { rows } = await sql<{
    id: string;
    name: string;
  }>`select id, name from (${of}) as named where id = any(${[...values]}::text[])`.execute(db);
  return new Map(rows.map(({ id, name }) => [id, name]));
};

interface Counts {
  readonly counts: ReadonlyMap<string, number>;
  readonly isAtLeast: boolean;
}

/** Counts by value, most frequent first. Without a filter they are kept; otherwise at most 10,000 matches are counted. */
const facetsOf = async (
  db: Db,
  viewer: Viewer,
  { filters, term }: { filters: Filters; term: TermMatches | undefined },
): Promise<Facets> => {
  const isKept = !term && conditionsOf(viewer, filters).length === 1;
  const conditions = (without?: Facet) => [...(term ? [term.condition] : []), ...conditionsOf(viewer, filters, without)];
  // Facets without a filter of their own count the same matches, in one query.
  const unfiltered = facetNames.filter((facet) => (filters.facets[facet] ?? []).length === 0);
  const counted = isKept ? await keptFacets(db, viewer) : await countFacets(db, unfiltered, conditions());
  for (const facet of facetNames)
    if (!unfiltered.includes(facet))
      for (const [name, counts] of await countFacets(db, [facet], conditions(facet))) counted.set(name, counts);
  const facets: Facets = {};
  for (const [facet, { counts, isAtLeast }] of counted) {
    const sorted = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, VALUES);
    const ids = sorted.map(([value]) => value);
    const names = await named(db, facet, ids);
    facets[facet] = sorted.map(([value, count]) => ({ value, name: names.get(value) ?? value, count, isCountAtLeast: isAtLeast }));
  }
  return facets;
};
const keptFacets = async (db: Db, viewer: Viewer): Promise<Map<Facet, Counts>> => {
  const kept = new Map<Facet, Counts>();
  for (const facet of facetNames) kept.set(facet, { counts: await keptCounts(db, facet, []), isAtLeast: false });
  if (!viewer.isApprover) {
    const counts = new Map(kept.get('status')?.counts).set('REJECTED', await ownRejected(db, viewer));
    kept.set('status', { counts: new Map([...counts].filter(([, n]) => n > 0)), isAtLeast: false });
  }
  // Entries by kind are the sums of their statuses.
  const { rows } = await sql<{ value: string; n: number }>`select kind as value, sum(n)::integer as n from catalog_count
    where facet = 'status' and value <> 'REJECTED' group by kind having sum(n) > 0`.execute(db);
  return kept.set('kind', { counts: new Map(rows.map(({ value, n }) => [value, n])), isAtLeast: false });
};
const countFacets = async (db: Db, facets: readonly Facet[], conditions: readonly Condition[]): Promise<Map<Facet, Counts>> => {
  if (facets.length === 0) return new Map();
  const parts = facets.map((facet) => sql`select ${sql.lit(facet)} as facet, ${columns[facet]} as value from matched as entry`);
  const { rows } = await sql<{ facet: Facet; value: string; n: number; seen: number }>`
    with matched as materialized (select entry.kind, entry.status, entry.criticality, entry.classification, entry.is_verified, entry.platform_id,
      entry.portfolio_id, entry.labels from catalog_entry entry where ${all(conditions)} limit ${countedAtMost + 1})
    select facet, value, count(*)::integer as n, (select count(*)::integer from matched) as seen
    from (${sql.join(parts, sql` union all `)}) as facets where value is not null group by facet, value`.execute(db);
  return new Map(
    facets.map((facet) => {
      const counts = new Map(rows.filter((row) => row.facet === facet).map(({ value, n }) => [value, n]));
      return [facet, { counts, isAtLeast: (rows[0]?.seen ?? 0) > countedAtMost }];
    }),
  );
};

export const search = async (db: Db, viewer: Viewer, query: SearchQuery) => {
  const filters = await filtersOf(db, viewer, query);
  const conditions = conditionsOf(viewer, filters);
  const { app, page, size, sort = app ? 'score' : 'name' } = query;
  const term = app ? await findTerm(db, app, conditions) : undefined;
  const scores = new Map(term?.candidates.map(({ id, score }) => [id, score]));
  const matched = term ? [...conditions, term.condition] : conditions;
  const facets = query.facets ? await facetsOf(db, viewer, { filters, term }) : null;
  if (term && sort.endsWith('score')) {
    const ids = term.candidates.map(({ id }) => id);
    const first = query.after === undefined ? page * size : Math.max(0, ids.indexOf(query.after) + 1);
    const shown = ids.slice(first, first + size);
    const rows = await rowsById(db, shown);
    const content = rows.map((row) => foundOf(row, scores.get(row.id) ?? null));
    const total = { total: ids.length, isAtLeast: ids.length >= candidatesAtMost };
    const next = first + size < ids.length ? (shown.at(-1) ?? null) : null;
    return { ...recordsOf(content, total, { page, size, next }), repairedTerm: term.repaired, facets };
  }
  const { ids, next } = await pageOfIds(db, matched, { ...query, sort });
  const total = await countMatches(db, matched);
  const content = (await rowsById(db, ids)).map((row) => foundOf(row, scores.get(row.id) ?? null));
  return { ...recordsOf(content, total, { page, size, next }), repairedTerm: term?.repaired ?? null, facets };
};

const CSV_ROWS = 100_000;
const CSV_PAGE = 1000;
/** Pages of all matches, by name, for an export. */
export async function* searchPages(db: Db, viewer: Viewer, query: SearchQuery): AsyncGenerator<EntryRow[]> {
  const conditions = conditionsOf(viewer, await filtersOf(db, viewer, query));
  const matched = query.app ? [...conditions, (await findTerm(db, query.app, conditions)).condition] : conditions;
  let after: string | undefined;
  for (let rows = 0; rows < CSV_ROWS; rows += CSV_PAGE) {
    const { ids, next } = await pageOfIds(db, matched, { page: 0, size: CSV_PAGE, after });
    yield await rowsById(db, ids);
    if (next === null) return;
    after = next;
  }
}
