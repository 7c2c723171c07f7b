/** The catalog's search: ranked or sorted pages of entries, and CSV. */
import type { Db } from '#db/database.ts';
import type { Viewer } from '../entries/entry-rights.ts';
import { cellsOf, totalOfCells } from './cells.ts';
import { facetsOf } from './facets.ts';
import { conditionsOf, filtersOf, isOfCells, type SearchQuery } from './filters.ts';
import { foundOf, foundRows, type FoundRow } from './found.ts';
import { pageOfIds, pageWithTotal, recordsOf } from './records.ts';
import { candidatesAtMost, findTerm } from './term.ts';

export const search = async (db: Db, viewer: Viewer, query: SearchQuery) => {
  const filters = await filtersOf(db, viewer, query);
  const conditions = conditionsOf(viewer, filters);
  const { app, page, size, sort = app ? 'score' : 'name' } = query;
  const term = app ? await findTerm(db, app, conditions) : undefined;
  const matched = term ? [...conditions, term.condition] : conditions;
  const cells = term ? undefined : await cellsOf(db, viewer);
  const [candidates = [], counted] = await Promise.all([
    term?.candidates(),
    query.facets ? facetsOf(db, viewer, { filters, term, cells }) : undefined,
  ]);
  const scores = new Map(candidates.map(({ id, score }) => [id, score]));
  const facets = counted?.facets ?? null;
  if (term && sort.endsWith('score')) {
    const ids = candidates.map(({ id }) => id);
    const first = query.after === undefined ? page * size : Math.max(0, ids.indexOf(query.after) + 1);
    const shown = ids.slice(first, first + size);
    const rows = await foundRows(db, shown);
    const content = rows.map((row) => foundOf(row, scores.get(row.id) ?? null));
    const total = { total: ids.length, isAtLeast: ids.length >= candidatesAtMost };
    const next = first + size < ids.length ? (shown.at(-1) ?? null) : null;
    return { ...recordsOf(content, total, { page, size, next }), repairedTerm: term.repaired, facets };
  }
  const known = cells && isOfCells(filters) ? totalOfCells(cells, filters.cells) : undefined;
  const { ids, next, total } = await pageWithTotal(
    db,
    matched,
    { ...query, sort },
    {
      total: known === undefined ? counted?.total : { total: known, isAtLeast: false },
      isRead: term !== undefined || filters.others.length > 0,
    },
  );
  const content = (await foundRows(db, ids)).map((row) => foundOf(row, scores.get(row.id) ?? null));
  return { ...recordsOf(content, total, { page, size, next }), repairedTerm: term?.repaired ?? null, facets };
};

const CSV_ROWS = 100_000;
/** The first page is small, so that its rows arrive soon. */
const CSV_PAGES = [100, 900, 1000] as const;
/** Pages of all matches, by name, for an export. */
export async function* searchPages(db: Db, viewer: Viewer, query: SearchQuery): AsyncGenerator<FoundRow[], void> {
  const conditions = conditionsOf(viewer, await filtersOf(db, viewer, query));
  const matched = query.app ? [...conditions, (await findTerm(db, query.app, conditions)).condition] : conditions;
  let after: string | undefined;
  for (let rows = 0, page = 0, size: number; rows < CSV_ROWS; rows += size, page += 1) {
    size = CSV_PAGES[page] ?? 1000;
    const { ids, next } = await pageOfIds(db, matched, { page: 0, size, after });
    yield await foundRows(db, ids);
    if (next === null) return;
    after = next;
  }
}
