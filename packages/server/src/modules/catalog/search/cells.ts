/** Totals and facets of filters that the kept cells answer: kind, status, criticality, classification and verification. */
import { sql } from 'kysely';
import type { Db } from '#db/database.ts';
import type { Viewer } from '../entries/entry-rights.ts';
import { isVisible } from '../entries/entry-row.ts';
import { keptCells, type Cell } from './kept-counts.ts';

export const cellFacets = ['kind', 'status', 'criticality', 'classification', 'verified'] as const;
export type CellFacet = (typeof cellFacets)[number];
/** Wanted values by facet. Absent and empty: every value. */
export type CellFilter = Readonly<Partial<Record<CellFacet, readonly string[]>>>;

/** Cells of the entries that the viewer sees. */
export const cellsOf = async (db: Db, viewer: Viewer): Promise<readonly Cell[]> => {
  const kept = await keptCells(db);
  if (viewer.isApprover) return kept;
  const others = kept.filter(({ status }) => status !== 'REJECTED');
  if (viewer.rejected?.length === 0) return others;
  const { rows: own } = await sql<Cell>`select kind, status, criticality, classification,
      case when kind = 'application' then is_verified::text end as verified, count(*)::integer as count
    from catalog_entry entry where status = 'REJECTED' and ${
      viewer.rejected ? sql`id = any(${[...viewer.rejected]}::text[])` : isVisible(viewer)
    } group by 1, 2, 3, 4, 5`.execute(db);
  return [...others, ...own];
};

const isWanted = (value: string | null, wanted: readonly string[] = []): boolean =>
  wanted.length === 0 || (value !== null && wanted.includes(value));
const matching = (cells: readonly Cell[], filter: CellFilter): Cell[] =>
  cells.filter((cell) => cellFacets.every((facet) => isWanted(cell[facet], filter[facet])));

export const totalOfCells = (cells: readonly Cell[], filter: CellFilter): number =>
  matching(cells, filter).reduce((sum, { count }) => sum + count, 0);

/** Numbers of entries by value, the highest first. The facet's own filter is left out. */
export const countsOfCells = (cells: readonly Cell[], facet: CellFacet, filter: CellFilter): [value: string, count: number][] => {
  const counts = new Map<string, number>();
  for (const cell of matching(cells, { ...filter, [facet]: [] })) {
    const value = cell[facet];
    if (value !== null) counts.set(value, (counts.get(value) ?? 0) + cell.count);
  }
  return [...counts].toSorted(([one, a], [other, b]) => b - a || (one < other ? -1 : 1));
};
