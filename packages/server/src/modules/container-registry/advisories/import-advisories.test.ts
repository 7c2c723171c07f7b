/** Sets of advisories from the disk: what ships, directories, what takes the place of what, and what a broken one leaves behind. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importFromDisk, readAdvisoriesCommand } from '../../../advisories-command.ts';
import { readConfig } from '#kernel/config.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { zipOf } from '#testing/zip.ts';
import { advisorySets, advisoryVersion } from './advisories.sql.ts';
import { filesAt, TooManyAdvisories } from './advisory-files.ts';
import { advisoryOf, high } from './advisory.fixture.ts';
import { seedDemoAdvisories } from './demo-advisories.ts';
import { importAdvisories } from './import-advisories.ts';
import { matchPackages } from './match.ts';

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  database = await testDatabase();
  folder = await mkdtemp(join(tmpdir(), 'slipway-advisories-'));
  await mkdir(join(folder, 'npm', 'deep'), { recursive: true });
  await writeFile(join(folder, 'npm', 'a.json'), JSON.stringify(advisoryOf({ id: 'GHSA-a', name: 'thing', fixed: '2.0.0', vector: high })));
  await writeFile(join(folder, 'npm', 'deep', 'b.json'), JSON.stringify([advisoryOf({ id: 'GHSA-b', name: 'other', fixed: '2.0.0' })]));
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

const by = { id: 'tester', displayName: 'Tester', origin: 'platform' as const };
const found = (ecosystem: string, name: string, version: string) => ({
  ecosystem,
  name,
  version,
  source: null,
  purl: `pkg:x/${name}`,
  path: null,
  layer: null,
  platforms: [],
});
const idsOf = async (ecosystem: string, name: string, version: string) =>
  (await matchPackages(database.db, [found(ecosystem, name, version)])).findings.map(({ id }) => id);

test('what ships knows a few old packages, and makes no image clean', async () => {
  await seedDemoAdvisories(database.db);
  expect(await advisorySets(database.db)).toMatchObject([
    { name: 'demo', isDemo: true, entries: 7, refused: 0, asOf: '2023-12-07T23:00:43.000Z' },
  ]);
  expect(await idsOf('npm', 'lodash', '4.17.20')).toEqual(['CVE-2021-23337']);
  expect(await idsOf('npm', 'minimist', '0.2.3')).toEqual(['CVE-2021-44906']);
  expect(await idsOf('PyPI', 'requests', '2.30.0')).toEqual(['CVE-2023-32681']);
  expect(await idsOf('Go', 'golang.org/x/net', 'v0.16.0')).toEqual(['CVE-2023-39325']);
  const clean = await matchPackages(database.db, [found('npm', 'lodash', '4.17.21')]);
  expect(clean).toMatchObject({ findings: [], notes: [{ code: 'DemoAdvisories' }], advisories: [{ set: 'demo', isDemo: true }] });
  await seedDemoAdvisories(database.db);
  expect(await advisoryVersion(database.db)).toBe(1);
});

test('the command imports a directory or an archive into the set of its name', async () => {
  expect(readAdvisoriesCommand(['import', 'npm/all.zip'], '/home/me')).toEqual({ file: '/home/me/npm/all.zip', set: 'npm' });
  expect(readAdvisoriesCommand(['import', 'x.json', '--set', 'Debian:12'], '/')).toEqual({ file: '/x.json', set: 'Debian:12' });
  for (const args of [[], ['export'], ['import'], ['import', 'a', 'b'], ['import', 'a', '--set', '<b>'], ['import', 'a', '--nothing']])
    expect(() => readAdvisoriesCommand(args, '/')).toThrow('slipway');
  const config = { ...readConfig({ SLIPWAY_DATA: folder }), databaseUrl: database.url };
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  expect(await importFromDisk({ file: join(folder, 'npm'), set: 'npm' }, config, log)).toMatchObject({
    name: 'npm',
    entries: 2,
    title: 'npm',
  });
  expect(await idsOf('npm', 'thing', '1.0.0')).toEqual(['GHSA-a']);
  await writeFile(
    join(folder, 'all.zip'),
    zipOf([{ name: 'c.json', content: JSON.stringify(advisoryOf({ id: 'GHSA-c', name: 'thing', fixed: '3.0.0' })) }]),
  );
  expect(await importFromDisk({ file: join(folder, 'all.zip'), set: 'npm' }, config, log)).toMatchObject({ entries: 1 });
  expect(await idsOf('npm', 'thing', '1.0.0')).toEqual(['GHSA-c']);
  await expect(importFromDisk({ file: join(folder, 'npm', 'deep'), set: 'a' }, { ...config, dataDir: '/nowhere' }, log)).rejects.toThrow(
    'no data directory',
  );
});

test('names the sets that know an ecosystem of the image, and the demo where no other set does', async () => {
  const usedFor = async (...ecosystems: string[]) =>
    (
      await matchPackages(
        database.db,
        ecosystems.map((ecosystem) => found(ecosystem, 'thing', '1.0.0')),
      )
    ).advisories.map(({ set }) => set);
  expect(await usedFor('npm')).toEqual(['npm']);
  expect(await usedFor('PyPI')).toEqual(['demo']);
  expect(await usedFor('npm', 'PyPI')).toEqual(['demo', 'npm']);
  expect(await usedFor('Debian:12')).toEqual([]);
});

test('Node.js is compared with the advisories of Bitnami', async () => {
  const record = advisoryOf({ id: 'BIT-node-2026-1', name: 'node', ecosystem: 'Bitnami', fixed: '24.2.0' });
  await importAdvisories(
    database.db,
    async function* () {
      yield { name: 'a.json', text: JSON.stringify(record) };
    },
    { set: 'Bitnami', title: 'Bitnami', by },
  );
  expect(await idsOf('Bitnami', 'node', '24.1.0')).toEqual(['BIT-node-2026-1']);
  expect(await idsOf('Bitnami', 'node', '24.2.0')).toEqual([]);
});

test('one that breaks off leaves the set of before as it was', async () => {
  async function* broken() {
    yield { name: 'a.json', text: JSON.stringify(advisoryOf({ id: 'GHSA-x', name: 'thing', fixed: '9.0.0' })) };
    throw new Error('the disk is gone');
  }
  const before = await advisoryVersion(database.db);
  await expect(importAdvisories(database.db, broken, { set: 'npm', title: 'npm', by })).rejects.toThrow('the disk is gone');
  expect(await idsOf('npm', 'thing', '1.0.0')).toEqual(['GHSA-c']);
  expect(await advisoryVersion(database.db)).toBe(before);
});

test('packages without advisories, and versions that are none, are said', async () => {
  const packages = [found('Debian:12', 'openssl', '3.0.0'), found('npm', 'thing', 'workspace:*'), found('npm', 'fine', '1.0.0')];
  const { notes } = await matchPackages(database.db, packages);
  expect(notes).toEqual([
    { code: 'EcosystemUncovered', context: { ecosystem: 'Debian:12', packages: '1' } },
    { code: 'VersionUnreadable', context: { name: 'thing', version: 'workspace:*' } },
  ]);
  expect((await matchPackages(database.db, [])).notes).toEqual([{ code: 'NoPackages', context: {} }]);
});

test('the amounts of an archive are limited', async () => {
  await writeFile(join(folder, 'many.zip'), zipOf(Array.from({ length: 4 }, (_, at) => ({ name: `${at}.json`, content: '{"a":1}' }))));
  const read = async (limits: { files: number; fileBytes: number; bytes: number }) => {
    const texts: (string | undefined)[] = [];
    for await (const { text } of filesAt(join(folder, 'many.zip'), limits)) texts.push(text);
    return texts;
  };
  await expect(read({ files: 3, fileBytes: 100, bytes: 1000 })).rejects.toThrow(TooManyAdvisories);
  await expect(read({ files: 9, fileBytes: 100, bytes: 20 })).rejects.toThrow(TooManyAdvisories);
  expect(await read({ files: 9, fileBytes: 5, bytes: 1000 })).toEqual([undefined, undefined, undefined, undefined]);
});
