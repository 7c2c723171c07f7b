// @long (shared process): fills tables with many rows
/** Plans of the catalog's reads with 100,000 applications: no read goes through the table of entries. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalogApplicationList, catalogApplicationView } from '@slipway/contract/catalog/application.ts';
import { catalogFuzzySearch } from '@slipway/contract/catalog/fuzzy-search.ts';
import { catalogPortfolioPlatforms } from '@slipway/contract/catalog/portfolio.ts';
import { catalogPlatformSearch, catalogSearch } from '@slipway/contract/catalog/search.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { testApp, type Request, type TestApp } from '#testing/app.ts';
import { seedCatalogLoad } from '#testing/load/catalog-load.ts';
import { readBy } from '#testing/load/rows-read.ts';

const APPLICATIONS = 100_000;
/** Common words are found by reading entries until a page is full, which takes a few thousand. */
const FEW_THOUSAND = 5000;

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ isWorker: false });
  const client = await app.database.pool.connect();
  try {
    const sizes = { applications: APPLICATIONS, platforms: 10_000, portfolios: 1000, people: 2000 };
    await seedCatalogLoad(client, { ...sizes, member: 'olga' });
  } finally {
    client.release();
  }
}, 600_000);
afterAll(() => app?.close());

const searched = (query: object): [RouteShape, Request] => [catalogSearch, { query: { ...query } }];
/** Reads, and the rows of entries that a sequential scan may give them. */
const reads: Readonly<Record<string, readonly [route: RouteShape, request: Request]>> = {
  'a list with its total': [catalogApplicationList, { query: {} }],
  'a page at the end': [catalogApplicationList, { query: { page: 4900 } }],
  'a page in the middle': [catalogApplicationList, { query: { page: 2500 } }],
  'entries of an owner': searched({ owner: 'load-7' }),
  'entries with a rare label': searched({ labels: 'LBL-L150' }),
  'entries of a status': searched({ kind: 'application', status: 'PENDING' }),
  'the newest': searched({ sort: '-modifiedDate' }),
  facets: searched({ facets: 'true' }),
  'facets of a kind': searched({ facets: 'true', kind: 'application' }),
  'facets of an owner': searched({ facets: 'true', owner: 'load-7' }),
  'facets of a term': searched({ facets: 'true', app: 'crane' }),
  'facets of a term and a status': searched({ facets: 'true', app: 'crane planner', status: 'ACTIVE' }),
  'entries of a portfolio': searched({ portfolio: 'PFO-L9' }),
  'a word': searched({ app: 'crane' }),
  'two words': searched({ app: 'crane planner' }),
  'a misspelled word': searched({ app: 'crnae planner' }),
  'a word that nothing contains': searched({ app: 'zzqqx' }),
  'a term in the order of names': searched({ app: 'planner crane', sort: 'name' }),
  'names alike': [catalogFuzzySearch, { query: { searchTerm: 'crnae plnaner' } }],
  platforms: [catalogPlatformSearch, { query: { platform: 'crane' } }],
  'one entry': [catalogApplicationView, { params: { appId: 'MAC-100007' } }],
  'platforms of a portfolio': [catalogPortfolioPlatforms, { params: { portfolioId: 'PFO-L1' } }],
};
test.each(Object.entries(reads))('%s reads indexes', { timeout: 60_000 }, async (name, [route, request]) => {
  const call = async () => expect(await app.call('stranger', route, request), name).toMatchObject({ status: 200 });
  // Once before: who calls is remembered.
  await call();
  const { sequential } = await readBy(app.database.pool, call);
  expect(sequential['catalog_entry'] ?? 0).toBeLessThan(FEW_THOUSAND);
});
