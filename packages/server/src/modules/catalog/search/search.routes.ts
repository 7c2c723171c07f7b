/** Calls of the search: search, platforms, fuzzy, and saved searches. */
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { EntryKind } from '@slipway/contract/catalog/entry.ts';
import { catalogFuzzySearch } from '@slipway/contract/catalog/fuzzy-search.ts';
import { CatalogPlatform } from '@slipway/contract/catalog/platform.ts';
import {
  catalogPlatformSearch,
  catalogSearch,
  maxSavedSearches,
  savedSearchCreate,
  savedSearchDelete,
  savedSearchList,
} from '@slipway/contract/catalog/search.ts';
import { transaction, type Db } from '#db/database.ts';
import { csvLine } from '#kernel/csv.ts';
import { handle, type Caller, type Handler } from '#kernel/http/handle.ts';
import { newId } from '#kernel/ids.ts';
import { Problem } from '#kernel/problem.ts';
import { recordWrite } from '#modules/activity/index.ts';
import { viewOf } from '../entries/entry-kinds.ts';
import { viewerOf } from '../entries/entry-row.ts';
import { foundOf, type FoundRow } from './found.ts';
import { fuzzySearch } from './fuzzy.ts';
import { rowsById } from './records.ts';
import { search, searchPages } from './search.ts';

const lineOf = (row: FoundRow): string => {
  const found = foundOf(row, null);
  return csvLine([
    found.kind,
    found.id,
    found.name,
    found.description,
    found.status,
    found.owners.map(({ email, displayName }) => email ?? displayName).join('; '),
    found.platformName ?? '',
    found.portfolioName ?? '',
    found.criticality ?? '',
    found.classification ?? '',
    String(found.validApp),
    String(found.verified),
    found.targetDecommissioningDate ?? '',
    found.labels.map(({ name }) => name).join('; '),
    found.modifiedDate,
  ]);
};
const titles =
  'kind id name description status owners platform portfolio criticality classification validApp verified targetDecommissioningDate labels modifiedDate';

async function* csvOf(first: readonly FoundRow[], pages: AsyncIterable<FoundRow[]>): AsyncGenerator<string> {
  yield csvLine(titles.split(' '));
  yield first.map(lineOf).join('');
  for await (const rows of pages) yield rows.map(lineOf).join('');
}

const savedOf = ({ id, name, query, created_at: at }: { id: string; name: string; query: string; created_at: Date }) => ({
  id,
  name,
  query,
  createdDate: at.toISOString(),
});
const savedBy = (db: Db, { id }: Caller) =>
  db.selectFrom('catalog_saved_search').selectAll().where('identity_id', '=', id).orderBy('created_at').orderBy('id').execute();

export const searchRoutes = (db: Db): Handler[] => [
  handle(catalogSearch, async ({ caller, query, request, reply }) => {
    const viewer = await viewerOf(db, caller);
    if (!request.headers.accept?.startsWith('text/csv')) return search(db, viewer, query);
    // Invalid filters and cursors are found before the answer begins.
    if (query.after !== undefined) await search(db, viewer, { ...query, size: 1, facets: false });
    const pages = searchPages(db, viewer, query);
    const first = await pages.next();
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', 'attachment; filename="catalog.csv"')
      .send(Readable.from(csvOf(first.value ?? [], pages)));
  }),
  handle(catalogPlatformSearch, async ({ caller, query }) => {
    const viewer = await viewerOf(db, caller);
    const { platform: app, portfolio, ...page } = query;
    const found = await search(db, viewer, { ...page, app, portfolio, kind: 'platform', facets: false });
    const rows = await rowsById(
      db,
      found.content.map(({ id }) => id),
    );
    const { facets: _, repairedTerm: _repaired, ...records } = found;
    return { ...records, content: rows.map((row) => CatalogPlatform.parse(viewOf(row, viewer))) };
  }),
  handle(catalogFuzzySearch, async ({ caller, query: { entity, searchTerm } }) =>
    fuzzySearch(db, await viewerOf(db, caller), EntryKind.parse(entity.toLowerCase()), searchTerm),
  ),
  handle(savedSearchList, async ({ caller }) => (await savedBy(db, caller)).map(savedOf)),
  handle(
    savedSearchCreate,
    ({ caller, body }) =>
      transaction(db, async (trx) => {
        // The lock keeps two requests from passing the limit together.
        await sql`select 1 from identity where id = ${caller.id} for update`.execute(trx);
        if ((await savedBy(trx, caller)).length >= maxSavedSearches)
          throw new Problem('TooManySavedSearches', { context: { max: String(maxSavedSearches) } });
        const row = await trx
          .insertInto('catalog_saved_search')
          .values({ id: newId('css'), identity_id: caller.id, ...body })
          .returningAll()
          .executeTakeFirstOrThrow();
        const message = `${caller.displayName} saved the search ${body.name}`;
        await recordWrite(trx, caller, { type: savedSearchCreate.id, reason: 'Created', message, after: body });
        return savedOf(row);
      }),
    async ({ caller }) => savedOf((await savedBy(db, caller)).at(-1) ?? { id: '', name: '', query: '', created_at: new Date() }),
  ),
  handle(savedSearchDelete, ({ caller, params }) =>
    transaction(db, async (trx) => {
      const gone = await trx
        .deleteFrom('catalog_saved_search')
        .where('id', '=', params.searchId)
        .where('identity_id', '=', caller.id)
        .returning('name')
        .executeTakeFirst();
      if (!gone) throw new Problem('SavedSearchDoesNotExist');
      const message = `${caller.displayName} deleted the saved search ${gone.name}`;
      await recordWrite(trx, caller, { type: savedSearchDelete.id, reason: 'Deleted', message, before: gone });
    }),
  ),
];
