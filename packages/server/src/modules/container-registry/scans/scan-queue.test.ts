/** The rows of scans as a queue: who takes what, what a death leaves behind, what is tried again, and what an outside scanner changes. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { scanOutcome } from '@slipway/contract/registry/scan.ts';
import { PortFailure } from '#ports/failure.ts';
import type { FoundPackage, FoundVulnerability, Scanner, ScanReport } from '#ports/scanner.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { advisoryOf, critical } from '../advisories/advisory.fixture.ts';
import { importAdvisories } from '../advisories/import-advisories.ts';
import { rematchScan } from './rematch-scans.ts';
import { scanImage, type ScanDeps, type ScanEvent } from './scan-image.ts';
import { keepScan, queueScan, takeScan, turns } from './scan-queue.sql.ts';
import { scanRefusal } from './scan-refusal.ts';
import { scanOf } from './scan-rows.ts';
import { forgetGone, queuePushes, queueRenewals } from './scan-sweeps.ts';

let database: TestDatabase;
let events: ScanEvent[] = [];
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  events = [];
  await database.db.deleteFrom('image_scan').execute();
  await database.db.deleteFrom('advisory_set').execute();
});

const digestOf = (name: string): string => `sha256:${Buffer.from(name).toString('hex').padEnd(64, '0')}`;
const found = (name: string, version = '1.0.0'): FoundPackage => ({
  ecosystem: 'npm',
  name,
  version,
  source: null,
  purl: `pkg:npm/${name}@${version}`,
  path: `node_modules/${name}/package.json`,
  layer: null,
  platforms: ['linux/amd64'],
});
const report = (changes: Partial<ScanReport> = {}): ScanReport => ({
  platforms: ['linux/amd64'],
  parts: [],
  packages: [found('thing')],
  vulnerabilities: null,
  notes: [],
  ...changes,
});
const scannerOf = (scan: Scanner['scan'], kind: Scanner['kind'] = 'embedded'): Scanner => ({
  kind,
  info: async () => ({ name: kind, vendor: '', version: '1' }),
  scan,
  close: async () => {},
});
const deps = (scan: Scanner['scan'], outside?: Scanner['scan']): ScanDeps => ({
  db: database.db,
  scanner: scannerOf(scan),
  outsideScanner: outside && scannerOf(outside, 'http'),
  emit: async (_trx, event) => void events.push(event),
});
const never = new AbortController().signal;
const queue = (name: string, wish: Partial<Parameters<typeof queueScan>[2]> = {}, repository = 'berth/api') =>
  queueScan(database.db, { digest: digestOf(name), repository }, { turn: turns.pushed, isAgain: false, ...wish });
const take = (owner = 'one') => takeScan(database.db, owner);
const taken = async (owner = 'one') => {
  const row = await take(owner);
  return { digest: row?.digest ?? '', owner, tries: row?.tries ?? 0 };
};
const stateOf = (name: string) => scanOf(database.db, digestOf(name));
const died = (name: string) =>
  database.db
    .updateTable('image_scan')
    .set({ lease_until: new Date(0) })
    .where('digest', '=', digestOf(name))
    .execute();
const due = (name: string) =>
  database.db
    .updateTable('image_scan')
    .set({ due_at: new Date(0), renew_at: new Date(0) })
    .where('digest', '=', digestOf(name))
    .execute();
const importOne = (name: string, fixed = '2.0.0') =>
  importAdvisories(
    database.db,
    async function* () {
      yield { name: 'a.json', text: JSON.stringify(advisoryOf({ id: `GHSA-${name}`, name, fixed, vector: critical })) };
    },
    { set: 'npm', title: 'npm', by: { id: 't', displayName: 'T', origin: 'platform' } },
  );

test('what somebody asks for goes first, and nothing is taken twice or too soon', async () => {
  await queue('later', { afterSeconds: 3600 });
  await queue('pushed');
  await queue('asked', { turn: turns.asked });
  expect((await take())?.digest).toBe(digestOf('asked'));
  expect((await take('two'))?.digest).toBe(digestOf('pushed'));
  expect(await take('three')).toBeUndefined();
  // Asked for while it waits: at once, then.
  await queue('later', { turn: turns.asked, isAgain: true });
  expect((await take())?.digest).toBe(digestOf('later'));
});

test('the same image pushed elsewhere is not scanned again, and is known there', async () => {
  await queue('image');
  await scanImage(
    deps(async () => report()),
    await taken(),
    never,
  );
  await queue('image', {}, 'yard/other');
  expect(await take()).toBeUndefined();
  expect(events.map(({ type, repository }) => [type, repository])).toEqual([['SCANNING_COMPLETED', 'berth/api']]);
  await queue('image', { turn: turns.asked, isAgain: true });
  await scanImage(
    deps(async () => report()),
    await taken(),
    never,
  );
  expect(
    events
      .slice(1)
      .map(({ repository }) => repository)
      .toSorted(),
  ).toEqual(['berth/api', 'yard/other']);
});

test('what a replica left that died is taken by another, whose result counts', async () => {
  await queue('image');
  const first = await taken('one');
  await died('image');
  const second = await taken('two');
  expect(second).toMatchObject({ digest: first.digest, tries: 2 });
  expect(await keepScan(database.db, first)).toBe(false);
  expect(await keepScan(database.db, second)).toBe(true);
  await scanImage(
    deps(async () => report({ packages: [found('old')] })),
    first,
    never,
  );
  expect((await stateOf('image')).state).toBe('SCANNING');
  await scanImage(
    deps(async () => report({ packages: [found('one'), found('two')] })),
    second,
    never,
  );
  expect((await stateOf('image')).result?.packages).toBe(2);
  expect(events).toHaveLength(1);
});

test('an image that ends whoever looks into it is given up', async () => {
  await queue('bomb');
  let tries = 0;
  for (; tries < 20; tries++) {
    const scan = await taken();
    if (scan.digest === '') break;
    await scanImage(
      deps(() => Promise.reject(new Error('the process died'))),
      scan,
      never,
    ).catch(() => undefined);
    await died('bomb');
  }
  expect(tries).toBe(6);
  expect(await stateOf('bomb')).toMatchObject({ state: 'FAILED', reason: { code: 'ScanInterrupted' } });
  expect(events.map(({ type }) => type)).toEqual(['SCANNING_FAILED']);
});

test('a scanner that is away is asked again, later each time; until then the image is not scanned', async () => {
  await queue('image');
  const away = deps(() => Promise.reject(new PortFailure('unavailable', 'away')));
  const waits: number[] = [];
  for (let at = 0; at < 4; at++) {
    await scanImage(away, await taken(), never);
    const { state, reason, nextTryAt } = await stateOf('image');
    expect({ state, reason }).toEqual({ state: 'NOT_SCANNED', reason: { code: 'ScannerUnavailable', context: {} } });
    waits.push(Math.round((Date.parse(nextTryAt ?? '') - Date.now()) / 60_000));
    await due('image');
  }
  expect(waits).toEqual([1, 5, 30, 120]);
  await scanImage(away, await taken(), never);
  expect(await stateOf('image')).toMatchObject({ state: 'FAILED', nextTryAt: null });
});

test.each([
  [new PortFailure('rejected', 'x', { code: 'NotAnImage', context: { mediaType: 'a/b' } }), 'NOT_SCANNED', 'NotAnImage'],
  [new PortFailure('rejected', 'x', { code: 'ImageTooLarge', context: { reason: 'large' } }), 'FAILED', 'ImageUnreadable'],
  [new PortFailure('rejected', 'broken', { code: 'ScannerFailed' }), 'FAILED', 'ScannerFailed'],
  [new PortFailure('notFound', 'gone'), 'FAILED', 'ImageGone'],
])('%s ends as it should', async (failure, state, code) => {
  await queue('image');
  await scanImage(
    deps(() => Promise.reject(failure)),
    await taken(),
    never,
  );
  expect(await stateOf('image')).toMatchObject({ state, reason: { code } });
  // An image that is gone is in no project that could hear of it.
  expect(events.map(({ type }) => type)).toEqual(state === 'FAILED' && code !== 'ImageGone' ? ['SCANNING_FAILED'] : []);
  const refusal = await scanRefusal(database.db, {
    digest: digestOf('image'),
    policy: { severity: 'critical', allowedCves: [] },
    now: new Date(),
  });
  expect(refusal).toMatchObject({ code: 'ImageNotScanned', context: { state } });
});

test('an image that is gone from one repository is read from another', async () => {
  await queue('image', {}, 'berth/api');
  await queue('image', {}, 'berth/moved');
  const asked: string[] = [];
  const scan: Scanner['scan'] = async ({ repository }) => {
    asked.push(repository);
    if (repository === 'berth/moved') throw new PortFailure('notFound', 'gone');
    return report();
  };
  await scanImage(deps(scan), await taken(), never);
  await scanImage(deps(scan), await taken(), never);
  expect(asked).toEqual(['berth/moved', 'berth/api']);
  expect((await stateOf('image')).state).toBe('COMPLETED');
});

test('a replica that stops leaves the scan to the others', async () => {
  await queue('image');
  const stop = new AbortController();
  const scanning = scanImage(
    deps((_image, signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))))),
    await taken(),
    stop.signal,
  );
  stop.abort();
  await scanning;
  expect(await taken('two')).toMatchObject({ digest: digestOf('image'), tries: 1 });
});

test('a comparison is made anew for what is imported, once, and reported where it says something else', async () => {
  await importOne('nothing-here');
  await queue('image');
  const own = deps(async () => report());
  await scanImage(own, await taken(), never);
  expect(scanOutcome(await stateOf('image'))).toBe('NOTHING_FOUND');
  await importOne('thing');
  expect(await rematchScan(own)).toBe(true);
  expect(await rematchScan(own)).toBe(false);
  expect((await stateOf('image')).result).toMatchObject({ counts: { critical: 1 }, fixable: 1, packages: 1 });
  await importOne('thing');
  expect(await rematchScan(own)).toBe(true);
  expect(events.map(({ type, counts }) => [type, counts?.critical])).toEqual([
    ['SCANNING_COMPLETED', 0],
    ['SCANNING_COMPLETED', 1],
  ]);
});

test('one image of an index is judged as the whole is', async () => {
  await importOne('thing');
  await queue('index');
  await scanImage(
    deps(async () => report({ parts: [digestOf('part')] })),
    await taken(),
    never,
  );
  const policy = { severity: 'critical', allowedCves: [] } as const;
  expect(await scanRefusal(database.db, { digest: digestOf('part'), policy, now: new Date() })).toMatchObject({ code: 'ImageVulnerable' });
  expect(await scanRefusal(database.db, { digest: digestOf('other'), policy, now: new Date() })).toMatchObject({ code: 'ImageNotScanned' });
});

test('an outside scanner says what is wrong, and the packages are listed all the same', async () => {
  await importOne('thing');
  const vulnerability: FoundVulnerability = {
    id: 'CVE-1',
    severity: 'high',
    score: 7.5,
    vector: null,
    title: 'Bad',
    url: null,
    package: 'thing',
    installed: '1.0.0',
    fixedIn: null,
  };
  const both = deps(
    async () => report(),
    async () => report({ packages: null, vulnerabilities: [vulnerability] }),
  );
  await queue('image');
  await scanImage(both, await taken(), never);
  expect(await stateOf('image')).toMatchObject({
    state: 'COMPLETED',
    result: { scanner: { name: 'http' }, counts: { high: 1, critical: 0 }, packages: 1, advisories: [], notes: [] },
  });
  const row = await database.db.selectFrom('image_package').select(['worst', 'vulnerabilities']).executeTakeFirst();
  expect(row).toEqual({ worst: 'high', vulnerabilities: 1 });
  // What is imported here says nothing of it; it is asked again after a day.
  await importOne('other');
  expect(await rematchScan(both)).toBe(false);
  expect(await take()).toBeUndefined();
  await due('image');
  await queueRenewals(database.db);
  expect((await take())?.digest).toBe(digestOf('image'));
});

test('what a replica of an earlier version scanned is scanned once more', async () => {
  const both = deps(async () => report());
  const again = async (): Promise<string | undefined> => {
    await queueRenewals(database.db);
    return (await take())?.digest;
  };
  await queue('image');
  await scanImage(both, await taken(), never);
  expect(await again()).toBeUndefined();
  // An earlier version does not know the column, and leaves its default.
  await database.db.updateTable('image_scan').set({ reader: 0 }).execute();
  expect(await again()).toBe(digestOf('image'));
});

test('pushes that nobody announced are found, but not those of the platform itself', async () => {
  const pushedAt = new Date();
  const push = (repository: string, name: string) => ({ repository, tag: '1', digest: digestOf(name), pushedAt, pushedBy: null });
  const pushes = [push('berth/api', 'missed'), push('library/node', 'own')];
  const registry = { pushes: async (after: Date) => pushes.filter((one) => one.pushedAt > after) };
  expect(await queuePushes(database.db, registry)).toBe(false);
  expect((await take())?.digest).toBe(digestOf('missed'));
  expect(await take()).toBeUndefined();
  await queuePushes(database.db, registry);
  expect(await take()).toBeUndefined();
});

test('what is in no repository any more is forgotten', async () => {
  await queue('gone');
  await queue('kept');
  for (let at = 0; at < 2; at++)
    await scanImage(
      deps(async () => report()),
      await taken(),
      never,
    );
  const image = async (_repository: string, digest: string) => (digest === digestOf('kept') ? ({} as never) : undefined);
  await forgetGone(database.db, { image });
  expect((await database.db.selectFrom('image_scan').select('digest').execute()).map(({ digest }) => digest)).toEqual([digestOf('kept')]);
  expect(await database.db.selectFrom('image_package').select('digest').execute()).toHaveLength(1);
});
