/** Filters of the search as conditions on entries. */
import { sql } from 'kysely';
import { entryKinds, wordsOf, type EntryKind } from '@slipway/contract/catalog/entry.ts';
import { facetNames, type catalogSearch } from '@slipway/contract/catalog/search.ts';
import type { QueryOf } from '@slipway/contract/kernel/kernel.ts';
import { prepared, type Db } from '#db/database.ts';
import { Problem } from '#kernel/problem.ts';
import type { Viewer } from '../entries/entry-rights.ts';
import { isVisible } from '../entries/entry-row.ts';
import { cellFacets, type CellFacet, type CellFilter } from './cells.ts';
import type { Condition } from './records.ts';
import { readTerm } from './term.ts';

export type SearchQuery = QueryOf<typeof catalogSearch>;
export type Facet = (typeof facetNames)[number];

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
  // The index over documents of parents finds the words in ids and codes, too.
  const inName = words.map((word) => `${word}:*A`).join(' & ');
  const { rows } = await sql<{
    id: string;
  }>`select id from catalog_entry where kind = ${kind} and kind in ('platform', 'portfolio') and (id = ${text.toUpperCase()}
    or document @@ (select to_tsquery('simple', ${inName})) and to_tsvector('simple', catalog_words(name)) @@ to_tsquery('simple', ${query})) limit ${sql.lit(PARENTS)} ${prepared}`.execute(
    db,
  );
  const ids = rows.map(({ id }) => id);
  return [sql<boolean>`(${sql.ref(`entry.${kind}_id`)} = any(${ids}::text[]) or entry.id = any(${ids}::text[]))`];
};

export interface Filters {
  /** Wanted values of the facets that cells hold. */
  readonly cells: CellFilter;
  /** Conditions of facets, which each facet's own count leaves out. */
  readonly facets: Readonly<Partial<Record<Facet, readonly Condition[]>>>;
  readonly others: readonly Condition[];
}
export const filtersOf = async (db: Db, { caller: { id } }: Viewer, query: SearchQuery): Promise<Filters> => {
  const { fromTargetDecomDate: from, toTargetDecomDate: to, owner, check, verified } = query;
  if (from !== undefined && to !== undefined && from > to) throw new Problem('InvalidRange', { field: 'fromTargetDecomDate' });
  const labels = wordsOf(query.labels);
  const values = {
    kind: wordsOf(query.kind),
    status: wordsOf(query.status),
    criticality: wordsOf(query.criticality),
    classification: wordsOf(query.classification),
  };
  return {
    cells: { ...values, verified: verified === undefined ? [] : [String(verified)] },
    facets: {
      kind: anyOf('kind', values.kind),
      status: anyOf('status', values.status),
      criticality: anyOf('criticality', values.criticality),
      classification: anyOf('classification', values.classification),
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
export const conditionsOf = (viewer: Viewer, { facets, others }: Filters, without?: Facet): Condition[] => [
  isVisible(viewer),
  ...others,
  ...facetNames.flatMap((facet) => (facet === without ? [] : [...(facets[facet] ?? [])])),
];

export const filteredBy = ({ facets }: Filters): Facet[] => facetNames.filter((facet) => (facets[facet] ?? []).length > 0);
export const isCellFacet = (facet: Facet): facet is CellFacet => cellFacets.some((one) => one === facet);
/** True if cells answer the filters, of which one may be left out. */
export const isOfCells = (filters: Filters, without?: Facet): boolean =>
  filters.others.length === 0 && filteredBy(filters).every((facet) => facet === without || isCellFacet(facet));
/** Set if the kept values of one kind or of all answer the filters, of which one may be left out. */
export const keptScope = (filters: Filters, without?: Facet): { readonly kind: EntryKind | undefined } | undefined => {
  const { kind: kinds = [] } = filters.cells;
  return isOfCells(filters, without) && kinds.length <= 1 && filteredBy(filters).every((facet) => facet === without || facet === 'kind')
    ? { kind: entryKinds.find((kind) => kind === kinds[0]) }
    : undefined;
};
