/** Changes of parents with many entries below, and counters that replicas remember. */
import { beforeAll, describe, expect, test } from 'vitest';
import { catalogSearch, type CatalogFound } from '@slipway/contract/catalog/search.ts';
import { catalogApplicationList } from '@slipway/contract/catalog/application.ts';
import { seedCatalogApplication } from '#testing/fixtures.ts';
import { catalogWorld, otherPlatform, platform } from './catalog.fixture.ts';
import { sumCounters } from './facts/nightly.ts';
import { renewBelow } from './facts/renewal.ts';
import { pageOfIds } from './search/records.ts';
import { sql } from 'kysely';

const world = catalogWorld();
const { good } = world;
/** More than are written with the change itself. */
const MANY = 520;

interface Found {
  content: CatalogFound[];
  totalRecords: number;
  facets: Record<string, { value: string; name: string; count: number }[]> | null;
}
const search = (query: object) => good<Found>('stranger', catalogSearch, { query: { ...query } });
const renewAll = async (): Promise<number> => {
  let parts = 0;
  while (await renewBelow(world.app().database.db)) parts += 1;
  return parts;
};

beforeAll(async () => {
  const { db } = world.app().database;
  await seedCatalogApplication(db, { id: 'MAC-40000', name: 'Template', platform: otherPlatform });
  await world.sql(
    `insert into catalog_entry (id, kind, name, description, status, owners, platform_id, created_by, modified_by)
     select 'MAC-' || 50000 + n, 'application', 'Many ' || n, description, 'ACTIVE', owners, $2, 'olga', 'olga'
     from catalog_entry cross join generate_series(1, $1::integer) n where id = 'MAC-40000'`,
    [MANY, platform],
  );
});

describe('a platform with many applications', () => {
  test('is renamed at once, and found below by its new name after the task wrote the entries in parts', async () => {
    await world.sql(`update catalog_entry set name = 'Quarantine' where id = '${platform}'`);
    const { content } = await search({ app: 'many 77' });
    expect(content[0]?.platformName).toBe('Quarantine');
    expect((await search({ app: 'quarantine many', size: 1 })).totalRecords).toBe(0);
    expect(await renewAll()).toBe(3);
    expect((await search({ app: 'quarantine many', size: 1 })).totalRecords).toBe(500);
    expect((await search({ app: 'quarantine many', sort: 'name', size: 1 })).totalRecords).toBe(MANY);
    expect(await world.sql('select * from catalog_renewal')).toEqual([]);
  });
  test('passes its status on, and continues where a replica stopped', async () => {
    const valid = async () =>
      (await world.sql<{ n: number }>(`select count(*)::integer as n from catalog_entry where platform_id = '${platform}' and is_valid`))[0]
        ?.n;
    await world.sql(`update catalog_entry set criticality = 'important', classification = 'INTERNAL' where platform_id = '${platform}'`);
    const before = await valid();
    expect(before).toBeGreaterThanOrEqual(MANY);
    await world.sql(`update catalog_entry set status = 'DECOMMISSIONED' where id = '${platform}'`);
    await renewBelow(world.app().database.db);
    expect(await valid()).toBe(Number(before) - 200);
    await renewAll();
    expect(await valid()).toBe(0);
  });
  test('that is deleted takes its renewal along', async () => {
    await world.sql(
      `insert into catalog_entry (id, kind, name, description, status, created_by, modified_by) values ('PFO-9', 'portfolio', 'Gone', '', 'ACTIVE', 'olga', 'olga')`,
    );
    await world.sql(`insert into catalog_renewal (parent_id) values ('PFO-9')`);
    await world.sql(`delete from catalog_entry where id = 'PFO-9'`);
    expect(await renewAll()).toBe(0);
  });
});

describe('remembered counters', () => {
  const facets = async (query: object = {}) => (await search({ ...query, facets: true })).facets ?? {};
  const labelled = (id: string, labels: string) => world.sql(`update catalog_entry set labels = '${labels}' where id = '${id}'`);

  test('follow each write, before and after a sum', async () => {
    await world.sql(
      `insert into catalog_label (id, name, description, created_by) select 'LBL-' || n, 'label ' || n, '', 'ada' from generate_series(1, 60) n`,
    );
    for (let n = 1; n <= 60; n += 1) await labelled(`MAC-${50000 + n}`, `{LBL-${n}}`);
    await sumCounters(world.app().database.db);
    expect((await facets())['label']).toHaveLength(50);
    // Beyond the highest sums, until differences lift it.
    for (let n = 101; n <= 103; n += 1) await labelled(`MAC-${50000 + n}`, '{LBL-60}');
    expect((await facets())['label']?.[0]).toMatchObject({ value: 'LBL-60', name: 'label 60', count: 4 });
    await sumCounters(world.app().database.db);
    expect((await facets({ kind: 'application' }))['label']?.[0]).toMatchObject({ value: 'LBL-60', count: 4 });
    for (let n = 101; n <= 103; n += 1) await labelled(`MAC-${50000 + n}`, '{}');
    await labelled('MAC-50060', '{}');
    expect((await facets())['label']?.some(({ value }) => value === 'LBL-60')).toBe(false);
  });
  test('follow the names of their values', async () => {
    await labelled('MAC-50001', '{LBL-1}');
    await facets();
    await world.sql(`update catalog_label set name = 'other' where id = 'LBL-1'`);
    expect((await facets())['label']).toContainEqual(expect.objectContaining({ value: 'LBL-1', name: 'other' }));
    await world.sql(`update catalog_entry set name = 'Renamed' where id = '${otherPlatform}'`);
    expect((await facets())['platform']).toContainEqual(expect.objectContaining({ value: otherPlatform, name: 'Renamed' }));
  });
  test('are the totals of lists', async () => {
    const total = async () => (await good<Found>('stranger', catalogApplicationList)).totalRecords;
    const before = await total();
    await world.sql(`update catalog_entry set status = 'REJECTED', created_by = 'ada', owners = '{ada}' where id = 'MAC-50500'`);
    expect(await total()).toBe(before - 1);
    expect((await good<Found>('owner', catalogApplicationList)).totalRecords).toBe(before - 1);
    await world.sql(`update catalog_entry set owners = '{olga}' where id = 'MAC-50500'`);
    expect((await good<Found>('owner', catalogApplicationList)).totalRecords).toBe(before);
  });
});

test('pages near the end are the same from either end', async () => {
  const { db } = world.app().database;
  const conditions = [sql<boolean>`entry.kind = 'application'`];
  const [counted] = await world.sql<{ n: number }>(`select count(*)::integer as n from catalog_entry where kind = 'application'`);
  const n = counted?.n ?? 0;
  for (const sort of ['name', '-modifiedDate', 'status'])
    for (const page of [0, 40, Math.ceil(n / 7) - 2, Math.ceil(n / 7) - 1, Math.ceil(n / 7)]) {
      const query = { page, size: 7, sort };
      expect(await pageOfIds(db, conditions, query, { total: n })).toEqual(await pageOfIds(db, conditions, query));
    }
});
