/** The search: steps of a term, repair of misspelled words, filters, facets, CSV, fuzzy matches, and saved searches. */
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { catalogFuzzySearch, type CatalogMatch } from '@slipway/contract/catalog/fuzzy-search.ts';
import {
  catalogPlatformSearch,
  catalogSearch,
  savedSearchCreate,
  savedSearchDelete,
  savedSearchList,
  type CatalogFound,
} from '@slipway/contract/catalog/search.ts';
import { createLog } from '#kernel/log.ts';
import { seedCatalogApplication } from '#testing/fixtures.ts';
import { catalogWorld, otherPlatform, platform } from './catalog.fixture.ts';
import { repairCounts } from './facts/count-check.ts';
import { countWords, sumCounters } from './facts/nightly.ts';
import { distance } from '@slipway/contract/kernel/near-names.ts';
import { fuzzyScore } from './search/fuzzy.ts';
import { pageOfIds } from './search/records.ts';

const world = catalogWorld();
const { good, errors } = world;
const names = ['Berth Planner', 'Berth Planner Archive', 'Crane Telemetry', 'Vessel ETA', 'Réefer Alerts', 'Gate Appointments'];

beforeAll(async () => {
  const { db } = world.app().database;
  for (const [at, name] of names.entries())
    await seedCatalogApplication(db, { id: `MAC-2000${at}`, name, ...(at > 2 && { platform: otherPlatform, owners: ['stig'] }) });
  await world.sql(`insert into catalog_label (id, name, description, created_by) values ('LBL-7', 'nightly', '', 'ada')`);
  await world.sql(`update catalog_entry set status = 'DECOMMISSIONED' where name = 'Berth Planner Archive'`);
  await world.sql(
    `update catalog_entry set labels = '{LBL-7}', criticality = 'important', target_date = '2031-05-01' where name = 'Vessel ETA'`,
  );
});

interface Found {
  content: CatalogFound[];
  totalRecords: number;
  isTotalAtLeast: boolean;
  repairedTerm: string | null;
  next: string | null;
  facets: Record<string, { value: string; name: string; count: number }[]> | null;
}
const search = (query: object) => good<Found>('stranger', catalogSearch, { query: { ...query } });
const namesOf = async (query: object) => (await search(query)).content.map(({ name }) => name);

describe('a term', () => {
  test.each([
    ['an id in any case', 'mac-20002', ['Crane Telemetry']],
    ['a whole name, which goes first', 'berth planner', ['Berth Planner', 'Berth Planner Archive']],
    ['the start of a name', 'Gate A', ['Gate Appointments']],
    ['words in any order, as prefixes', 'planner ber', ['Berth Planner', 'Berth Planner Archive']],
    ['a name without its accents', 'reefer', ['Réefer Alerts']],
    ['the name of an owner', 'Stranger Alerts', ['Réefer Alerts']],
    ['the name of the platform', 'voyage eta', ['Vessel ETA']],
    ['a label', 'nightly', ['Vessel ETA']],
    ['nothing for words that nobody has', 'zzzyx', []],
  ])('finds %s', async (_name, app, expected) => {
    expect(await namesOf({ app })).toEqual(expected);
  });

  test('with misspelled words is repaired, with digits never', async () => {
    const { content, repairedTerm } = await search({ app: 'berht planer' });
    expect(content.map(({ name }) => name)).toEqual(['Berth Planner', 'Berth Planner Archive']);
    expect(repairedTerm).toBe('berth planner');
    expect(content[0]?.score).toBe(0.8);
    expect((await search({ app: 'mac-20902' })).repairedTerm).toBeNull();
    await countWords(world.app().database.db);
    expect((await search({ app: 'telemetri' })).repairedTerm).toBe('telemetry');
  });

  test('is also part of a name if it has no letters', async () => {
    expect((await search({ app: '(', sort: 'name', facets: true })).totalRecords).toBe(0);
  });

  test('cannot break the query', async () => {
    for (const app of ["' or 1=1", '& | ! :*', '%', '_', '\\', '((', 'a & b:*', '***'])
      expect((await world.call('stranger', catalogSearch, { query: { app } })).status).toBe(200);
  });
});

test('filters hold together', async () => {
  expect(await namesOf({ kind: 'application', status: 'DECOMMISSIONED' })).toEqual(['Berth Planner Archive']);
  expect(await namesOf({ app: 'berth', status: 'ACTIVE,PENDING' })).toEqual(['Berth Planner']);
  expect(await namesOf({ platform: 'voyage', criticality: 'important' })).toEqual(['Vessel ETA']);
  expect(await namesOf({ portfolio: 'PFO-901', labels: 'LBL-7' })).toEqual(['Vessel ETA']);
  expect(await namesOf({ kind: 'application', owner: 'me' })).toEqual(['Gate Appointments', 'Réefer Alerts', 'Vessel ETA']);
  expect(await namesOf({ fromTargetDecomDate: '2031-05-01', toTargetDecomDate: '2031-05-01' })).toEqual(['Vessel ETA']);
  expect(await namesOf({ kind: 'application', check: 'graded', owner: 'stig', sort: '-name' })).toEqual([
    'Vessel ETA',
    'Réefer Alerts',
    'Gate Appointments',
  ]);
  expect(await namesOf({ verified: true })).toEqual([]);
  expect(
    await errors('stranger', catalogSearch, { query: { fromTargetDecomDate: '2031-05-02', toTargetDecomDate: '2031-05-01' } }),
  ).toEqual([400, 'fromTargetDecomDate: InvalidRange']);
  expect(await errors('stranger', catalogSearch, { query: { status: 'LOST' } })).toEqual([400, 'status: InvalidValue']);
  expect(await good('stranger', catalogPlatformSearch, { query: { platform: 'terminal' } })).toMatchObject({
    content: [{ platformId: platform }],
  });
});

test('ranked pages continue after an entry, and cover each match once', async () => {
  const first = await search({ app: 'berth', size: 1 });
  const second = await search({ app: 'berth', size: 1, after: first.next });
  expect([first, second].map(({ content }) => content[0]?.name)).toEqual(['Berth Planner', 'Berth Planner Archive']);
  expect(second.next).toBeNull();
});

test('a cursor of another order is invalid, and other errors of the database stay errors', async () => {
  const { db } = world.app().database;
  const { next } = await search({ size: 1 });
  const page = { page: 0, size: 1, after: next ?? '' };
  expect(await errors('stranger', catalogSearch, { query: { ...page, sort: 'modifiedDate' } })).toEqual([400, 'after: InvalidValue']);
  await expect(pageOfIds(db, [sql<boolean>`entry.missing = 1`], page)).rejects.toMatchObject({ code: '42703' });
});

describe('facets', () => {
  const counts = async (query: object, facet: string) => {
    const { facets } = await search({ ...query, facets: true });
    return Object.fromEntries((facets?.[facet] ?? []).map(({ value, count }) => [value, count]));
  };
  test('count per value, each without its own filter', async () => {
    expect(await counts({ kind: 'application', status: 'ACTIVE', platform: otherPlatform }, 'status')).toEqual({ ACTIVE: 3 });
    expect(await counts({ kind: 'application', status: 'DECOMMISSIONED' }, 'status')).toEqual({ ACTIVE: 6, DECOMMISSIONED: 1 });
    expect(await counts({ app: 'berth' }, 'status')).toEqual({ ACTIVE: 1, DECOMMISSIONED: 1 });
    expect(await counts({ kind: 'application' }, 'label')).toEqual({ 'LBL-7': 1 });
  });
  test('without a filter are kept by the writes, also after the sums', async () => {
    const before = await counts({}, 'status');
    const listed = await search({ size: 100 });
    expect(before).toEqual(
      Object.fromEntries(
        Map.groupBy(listed.content, ({ status }) => status)
          .entries()
          .map(([status, rows]) => [status, rows.length]),
      ),
    );
    await seedCatalogApplication(world.app().database.db, { id: 'MAC-20099', name: 'Turned Down', owners: ['olga'] });
    await world.sql(`update catalog_entry set status = 'REJECTED' where id = 'MAC-20099'`);
    expect(await counts({}, 'status')).toEqual(before);
    const { facets } = await good<Found>('owner', catalogSearch, { query: { facets: true } });
    expect(facets?.['status']).toContainEqual(expect.objectContaining({ value: 'REJECTED', count: 1 }));
    await world.sql(`delete from catalog_entry where id = 'MAC-20099'`);
    expect(await counts({}, 'kind')).toEqual({ application: 7, platform: 2, portfolio: 1 });
    await sumCounters(world.app().database.db);
    expect(await counts({}, 'status')).toEqual(before);
    expect((await search({ facets: true })).facets?.['criticality']).toEqual([
      { value: 'important', name: 'Important', count: 1, isCountAtLeast: false },
    ]);
  });
  test('are corrected if the sums over all kinds differ from those of the kinds', async () => {
    const { db } = world.app().database;
    await sumCounters(db);
    const platforms = () => counts({}, 'platform');
    const before = await platforms();
    const [{ value } = { value: '' }] = await world.sql<{ value: string }>(
      `update catalog_total set n = n + 7 where kind = '' and facet = 'platform' and value = 'PLT-0901' returning value`,
    );
    await world.sql(`delete from catalog_total where kind = '' and facet = 'platform' and value = 'PLT-0902'`);
    await world.sql('update catalog_sum set n = n + 1');
    expect((await platforms())[value]).toBe((before[value] ?? 0) + 7);
    expect(await repairCounts(db, createLog('silent'))).toEqual(
      expect.arrayContaining([{ kind: '', facet: 'platform', value, n: -7 }, expect.objectContaining({ kind: '', value: 'PLT-0902' })]),
    );
    expect(await platforms()).toEqual(before);
    expect(await repairCounts(db, createLog('silent'))).toEqual([]);
  });
  test('are corrected if a change bypassed the triggers', async () => {
    const { db } = world.app().database;
    const before = await counts({}, 'status');
    expect(await repairCounts(db, createLog('silent'))).toEqual([]);
    await world.sql(`insert into catalog_count (kind, facet, value, n) values ('product', 'cell', '["ACTIVE", null, null, null]', 2)`);
    expect(await counts({}, 'status')).toEqual({ ...before, ACTIVE: (before['ACTIVE'] ?? 0) + 2 });
    await world.sql('alter table catalog_entry disable trigger user');
    await world.sql(`update catalog_entry set status = 'DECOMMISSIONED' where id = 'PLT-0902'`);
    await world.sql('alter table catalog_entry enable trigger user');
    expect((await repairCounts(db, createLog('silent'))).length).toBeGreaterThan(0);
    expect(await repairCounts(db, createLog('silent'))).toEqual([]);
    const now = await counts({}, 'status');
    expect([now['ACTIVE'], now['DECOMMISSIONED']]).toEqual([(before['ACTIVE'] ?? 0) - 1, (before['DECOMMISSIONED'] ?? 0) + 1]);
    expect(Object.values(now).reduce((sum, n) => sum + n, 0)).toBe((await search({ size: 100 })).content.length);
    await world.sql(`update catalog_entry set status = 'ACTIVE' where id = 'PLT-0902'`);
    expect(await counts({}, 'status')).toEqual(before);
  });
});

test('exports all matches as CSV', async () => {
  const answer = await world.call('stranger', catalogSearch, { query: { app: 'berth' }, headers: { accept: 'text/csv' } });
  const lines = String(answer.body).trim().split('\r\n');
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(/^kind,id,name/);
  expect(lines[1]).toContain('application,MAC-20000,Berth Planner');
  expect(answer.headers.get('content-type')).toMatch(/^text\/csv/);
});

describe('fuzzy search', () => {
  const fuzzy = (searchTerm: string, entity = 'application') =>
    good<{ fullMatched: boolean; contents: CatalogMatch[] }>('stranger', catalogFuzzySearch, { query: { searchTerm, entity } });
  test('scores by likeness, and says whether a whole name matches', async () => {
    expect(await fuzzy('réefer alerts')).toMatchObject({ fullMatched: true, contents: [{ name: 'Réefer Alerts', score: 1 }] });
    const { fullMatched, contents } = await fuzzy('Bert Planer');
    expect([fullMatched, contents[0]?.name]).toEqual([false, 'Berth Planner']);
    expect(contents[0]?.score).toBeGreaterThan(0.7);
    // No text has a word that begins so, and its nearest known word is in the name of a platform.
    expect((await fuzzy('berth planing')).contents[0]?.name).toBe('Berth Planner');
    expect((await fuzzy('', 'PLATFORM')).contents).toHaveLength(2);
    expect(await errors('stranger', catalogFuzzySearch, { query: { entity: 'label' } })).toEqual([400, 'entity: InvalidValue']);
  });
  test.each([
    ['kitten', 'sitting', 3],
    ['', 'abc', 3],
    ['same', 'same', 0],
  ])('the distance of %s and %s is %i', (one, other, expected) => {
    expect(distance(one, other)).toBe(expected);
  });
  test.each([
    [['berth'], ['berth', 'planner'], 0.85],
    [['berth', 'planner'], ['planner', 'berth'], 1],
    [['berht'], ['berth'], 0.6],
    [['x'], [], 0],
  ])('the score of %j in %j is %d', (term, name, expected) => {
    expect(fuzzyScore(term, name)).toBeCloseTo(expected, 5);
  });
});

test('saved searches are one’s own, thirty at most', async () => {
  const body = { name: 'Mine', query: '?owner=me' };
  const made = await good<{ id: string }>('owner', savedSearchCreate, { body });
  expect(await good('owner', savedSearchList)).toMatchObject([body]);
  expect(await good('stranger', savedSearchList)).toEqual([]);
  const params = { searchId: made.id };
  expect(await errors('stranger', savedSearchDelete, { params })).toEqual([404, 'undefined: SavedSearchDoesNotExist']);
  expect((await world.call('owner', savedSearchDelete, { params })).status).toBe(204);
  for (let at = 0; at < 30; at += 1) await good('owner', savedSearchCreate, { body: { ...body, name: `Search ${at}` } });
  expect(await errors('owner', savedSearchCreate, { body })).toEqual([409, 'undefined: TooManySavedSearches']);
});
