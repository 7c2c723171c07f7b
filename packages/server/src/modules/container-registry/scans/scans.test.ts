/** From a push to a verdict, over HTTP: scanned by itself, compared with what is imported, shown, downloaded, and refused. */
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { advisorySetDelete, advisorySetImport, advisorySetList, type AdvisorySet } from '@slipway/contract/registry/advisory.ts';
import { imageTagList, imageTagView, type ImageTag } from '@slipway/contract/registry/images.ts';
import {
  imagePackageList,
  imageSbomDownload,
  imageScanCreate,
  imageScanView,
  imageVulnerabilityList,
  scanOutcome,
  scanOverviewView,
  type ImagePackage,
  type ImageScan,
  type ScanOverview,
  type Vulnerability,
} from '@slipway/contract/registry/scan.ts';
import { webhookCreate } from '@slipway/contract/registry/webhook.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { appActivityList } from '@slipway/contract/activity.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import { OciClient } from '@slipway/images/oci/oci-client.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import { listenWith } from '#testing/attacks/event-listener.ts';
import { seedApp } from '#testing/fixtures.ts';
import { PATIENCE_MS } from '#testing/patience.ts';
import { npmFiles, pushFiles, pushLayers, type Pushed } from '@slipway/images/pushed-image.fixture.ts';
import { noteReached } from '#testing/reached.ts';
import { zipOf } from '#testing/zip.ts';
import { advisoryOf, critical, high, low } from '../advisories/advisory.fixture.ts';

const repository = 'berth/berth-api';
const place = { app: 'berth', env: 'development', repository: 'berth-api' };
const hostile = `<img src=x onerror=alert(1)>'; drop table image_scan; --`;
let app: TestApp;
let client: OciClient;
let pushed: Pushed;

beforeAll(async () => {
  app = await testApp({ scanTimings: { lookMs: 50, sweepMs: 500, pushSeconds: 0 } });
  const { registry } = app.adapters;
  await seedApp(app.database.db, { id: 'berth' });
  await registry.projectEnsure('berth', 'app:berth');
  client = new OciClient({ baseUrl: app.url, authorize: (name, actions) => registry.accessToken(name, actions) });
  const body = { name: 'scans', targetUrl: 'https://hooks.example.com/', eventTypes: ['SCANNING_COMPLETED'] };
  const made = await app.call('member', webhookCreate, { params: { app: 'berth', env: 'development' }, body });
  expect(made).toMatchObject({ status: 201 });
  const files = npmFiles({ lodash: '4.17.20', undici: '7.0.0', safe: '1.0.0', [hostile.replaceAll('/', '_')]: '1.0.0' });
  pushed = await pushFiles(client, repository, [{ 'etc/motd': 'Welcome' }, files], { tag: '1' });
});
afterAll(() => app?.close());

const ask = async <Body>(route: RouteShape, query: Readonly<Record<string, unknown>> = {}, tag = '1'): Promise<Body> => {
  const answer = await app.call('member', route, { params: { ...place, tag }, query });
  expect(answer, route.id).toMatchObject({ status: 200 });
  return answer.body as Body;
};
const scanned = (tag = '1') => ask<ImageScan>(imageScanView, {}, tag);
const ended = (tag = '1') => expect.poll(async () => (await scanned(tag)).state, { timeout: PATIENCE_MS }).toBe('COMPLETED');
const outcome = async (tag = '1') => scanOutcome(await scanned(tag));
const vulnerabilities = async (query: Readonly<Record<string, unknown>> = {}) =>
  (await ask<Page<Vulnerability>>(imageVulnerabilityList, query)).content;
const upload = (set: string, body: Uint8Array | string, type: string, actor: 'administrator' | 'member' = 'administrator') =>
  app.signIn.token(actor).then((token) =>
    fetch(`${app.url}${advisorySetImport.path}?set=${encodeURIComponent(set)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
      body: Buffer.from(body),
    }),
  );
const importJson = (set: string, records: readonly object[]) =>
  app.call('administrator', advisorySetImport, { query: { set }, body: records });
const setPolicy = (policy: object) =>
  app.database.db
    .insertInto('container_registry')
    .values({ app_id: 'berth', policy: JSON.stringify(policy) })
    .onConflict((conflict) => conflict.column('app_id').doUpdateSet({ policy: JSON.stringify(policy) }))
    .execute();
const pull = async (reference: string) => {
  const credentials = await app.adapters.registry.robotEnsure('berth', 'ci', ['pull']);
  const basic = `Basic ${Buffer.from(`${credentials.username}:${credentials.secret}`).toString('base64')}`;
  const tokens = await fetch(`${app.url}/v2/token?service=slipway-registry&scope=repository:${repository}:pull`, {
    headers: { authorization: basic },
  });
  const { token } = (await tokens.json()) as { token: string };
  return fetch(`${app.url}/v2/${repository}/manifests/${reference}`, { headers: { authorization: `Bearer ${token}` } });
};
const open = { isPublic: false, preventVulnerableImages: true, severity: 'high', retention: null, allowedCves: [] as object[] };

describe('without advisories', () => {
  test('a pushed image is scanned by itself, and is not clean', async () => {
    await ended();
    const { rows } = await app.database.pool.query('select event, body::jsonb as body from webhook_delivery');
    const [{ event, body }] = rows;
    expect([rows.length, event]).toEqual([1, 'SCANNING_COMPLETED']);
    expect(body.event_data).toMatchObject({ repository: { repo_full_name: repository } });
    expect(body.event_data.resources).toMatchObject([
      {
        digest: pushed.digest,
        scan_overview: { 'application/vnd.security.vulnerability.report; version=1.1': { scan_status: 'Success', summary: { total: 0 } } },
      },
    ]);
    const scan = await scanned();
    expect(scan).toMatchObject({
      digest: pushed.digest,
      repository,
      reason: null,
      result: { scanner: { name: 'Slipway scan' }, advisories: [], packages: 4, fixable: 0, notes: [{ code: 'NoAdvisories' }] },
      can: { scan: true },
    });
    expect(scanOutcome(scan)).toBe('PARTLY');
  });
  test('a policy refuses it all the same', async () => {
    await setPolicy(open);
    const answer = await pull('1');
    expect(answer.status).toBe(412);
    expect(await answer.json()).toMatchObject({ errors: [{ code: 'PROJECTPOLICYVIOLATION', detail: { reason: 'ImagePartlyScanned' } }] });
  });
});

describe('an import', () => {
  test('is for administrators, and others do not learn of it', async () => {
    for (const route of [advisorySetList, advisorySetImport])
      expect((await app.call('owner', route, { query: { set: 'npm' }, body: route.method === 'GET' ? undefined : [] })).status).toBe(404);
    expect((await upload('npm', zipOf([]), 'application/zip', 'member')).status).toBe(404);
  });
  test.each([
    ['no zip', Buffer.from('PK but no zip'), 'the zip cannot be read'],
    ['an empty zip', zipOf([]), 'none of an ecosystem'],
    ['no advisory', zipOf([{ name: 'a.json', content: '{"id":1}' }]), 'a.json: '],
    [
      'a bomb that says too little',
      zipOf([{ name: 'a.json', content: Buffer.alloc(20 << 20), claimedBytes: 100 }]),
      'the zip cannot be read',
    ],
    ['a bomb', zipOf([{ name: 'a.json', content: Buffer.alloc(20 << 20) }]), 'larger than any advisory'],
  ])('of %s is refused with the reason', async (_, body, reason) => {
    const answer = await upload('npm', body, 'application/zip');
    expect(answer.status).toBe(400);
    const problem = (await answer.json()) as { errors: { code: string; context: { reason: string } }[] };
    expect(problem.errors[0]).toMatchObject({ code: 'AdvisoriesInvalid' });
    expect(JSON.stringify(problem)).toContain(reason);
  });
  test('of a set without a name, or one that no set can have, is refused at its field', async () => {
    expect(errorsOf(await app.call('administrator', advisorySetImport, { body: [] }))).toEqual([400, 'set: Required']);
    expect(errorsOf(await app.call('administrator', advisorySetImport, { query: { set: '<b>' }, body: [] }))).toEqual([
      400,
      'set: DoesNotMatchPattern',
    ]);
  });
  test('of more than fits in a request is refused with what does it', async () => {
    const many = zipOf(Array.from({ length: 65_000 }, (_, at) => ({ name: `${at}.json`, content: '' })));
    const answer = await upload('npm', many, 'application/zip');
    expect(answer.status).toBe(400);
    const { errors } = (await answer.json()) as { errors: { code: string }[] };
    expect(errors).toMatchObject([{ code: 'AdvisoriesTooLarge' }]);
    noteReached(errors[0]?.code ?? '');
  });
  test('is compared with every image that was scanned, without reading one again', async () => {
    const before = (await scanned()).result?.scannedAt;
    const listener = await listenWith(app.url, await app.signIn.token('member'));
    const files = [
      advisoryOf({ id: 'GHSA-lodash', name: 'lodash', fixed: '4.17.21', aliases: ['CVE-2021-23337'], vector: high }),
      advisoryOf({ id: 'GHSA-undici', name: 'undici', fixed: '7.5.0', aliases: ['CVE-2026-2'], vector: critical, summary: hostile }),
      advisoryOf({ id: 'GHSA-undici-low', name: 'undici', fixed: '8.0.0', vector: low }),
      advisoryOf({ id: 'GHSA-gone', name: 'safe', fixed: '9.0.0', vector: critical, withdrawn: '2026-01-01T00:00:00Z' }),
    ].map((record) => ({ name: `${record.id}.json`, content: JSON.stringify(record) }));
    const answer = await upload(
      'npm',
      zipOf([...files, { name: 'README.md', content: '#' }, { name: 'bad.json', content: '{' }]),
      'application/zip',
    );
    expect(answer.status).toBe(201);
    expect((await answer.json()) as AdvisorySet).toMatchObject({
      name: 'npm',
      isDemo: false,
      entries: 3,
      withdrawn: 1,
      refused: 1,
      refusals: [{ file: 'bad.json', reason: 'it is no JSON' }],
      ecosystems: [{ ecosystem: 'npm', entries: 3 }],
      asOf: '2026-01-02T03:04:05.000Z',
    });
    await expect.poll(() => outcome(), { timeout: PATIENCE_MS }).toBe('FOUND');
    const { result } = await scanned();
    expect(result).toMatchObject({ scannedAt: before, fixable: 3, notes: [], counts: { critical: 1, high: 1, low: 1, medium: 0 } });
    expect(result?.advisories).toEqual([{ set: 'npm', title: 'npm', isDemo: false, asOf: '2026-01-02T03:04:05.000Z', entries: 3 }]);
    await expect
      .poll(() => listener.hints, { timeout: PATIENCE_MS })
      .toContainEqual(expect.objectContaining({ kind: 'imageScan', app: 'berth' }));
    listener.close();
    const list = (await app.call('administrator', advisorySetList)).body as { sets: AdvisorySet[]; waiting: number; scanner: object };
    expect(list).toMatchObject({ scanner: { kind: 'embedded' }, sets: [{ name: 'npm' }], waiting: 0 });
  });
});

describe('what was found', () => {
  test('is listed with the worst first, as text', async () => {
    const found = await vulnerabilities();
    expect(found.map(({ id, severity, fixedIn }) => [id, severity, fixedIn])).toEqual([
      ['CVE-2026-2', 'critical', '7.5.0'],
      ['CVE-2021-23337', 'high', '4.17.21'],
      ['GHSA-undici-low', 'low', '8.0.0'],
    ]);
    expect(found[0]).toMatchObject({
      title: hostile,
      package: 'undici',
      installed: '7.0.0',
      score: 9.8,
      path: 'app/node_modules/undici/package.json',
      layer: pushed.layers[1],
      allowed: null,
    });
  });
  test('is filtered and searched', async () => {
    expect(await vulnerabilities({ severity: 'high' })).toHaveLength(1);
    expect(await vulnerabilities({ fixable: 'false' })).toEqual([]);
    expect(await vulnerabilities({ query: 'cve-2021' })).toHaveLength(1);
    expect(await vulnerabilities({ query: '%' })).toEqual([]);
    expect(await ask<Page<Vulnerability>>(imageVulnerabilityList, { size: 1, page: 1 })).toMatchObject({
      totalElements: 3,
      content: [{ severity: 'high' }],
    });
  });
  test('shows with its packages', async () => {
    const { content } = await ask<Page<ImagePackage>>(imagePackageList);
    expect(content.map(({ name, vulnerabilities: count, worst }) => [name, count, worst])).toEqual([
      ['undici', 2, 'critical'],
      ['lodash', 1, 'high'],
      [hostile.replaceAll('/', '_'), 0, null],
      ['safe', 0, null],
    ]);
    expect((await ask<Page<ImagePackage>>(imagePackageList, { query: 'loda', ecosystem: 'npm' })).content).toHaveLength(1);
  });
  test('shows with its tag, and in the overview of the project', async () => {
    expect((await ask<Page<ImageTag>>(imageTagList)).content[0]?.scan).toMatchObject({
      state: 'COMPLETED',
      result: { counts: { critical: 1 } },
    });
    expect(await ask<ImageTag>(imageTagView)).toMatchObject({ scan: { result: { fixable: 3 } }, refusal: { code: 'ImageVulnerable' } });
    expect(await ask<ScanOverview>(scanOverviewView)).toMatchObject({
      images: 1,
      outcomes: { FOUND: 1 },
      worst: { critical: 1, high: 0 },
      stopped: { critical: 1, high: 1, medium: 1, low: 1, none: 1 },
    });
  });
  test('is a bill of materials that the official schema takes', async () => {
    const answer = await app.call('member', imageSbomDownload, { params: { ...place, tag: '1' } });
    expect(answer.headers.get('content-type')).toContain('application/vnd.cyclonedx+json');
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="berth-berth-api-[0-9a-f]{12}\.cdx\.json"$/);
    const text = String(answer.body);
    expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text)).toBeNull();
    const bom = JSON.parse(text) as { components: { purl: string }[] };
    expect(bom).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { type: 'container', version: pushed.digest } },
      compositions: [{ aggregate: 'unknown' }],
    });
    expect(bom.components.map(({ purl }) => purl)).toContain('pkg:npm/lodash@4.17.20');
    const again = await app.call('member', imageSbomDownload, { params: { ...place, tag: pushed.digest } });
    expect(again.body).toEqual(answer.body);
  });
});

describe('a policy', () => {
  const refusal = async (tag = '1') => {
    const answer = await pull(tag);
    return answer.status === 200
      ? 'allowed'
      : ((await answer.json()) as { errors: { message: string; detail: { cve?: string; reason: string } }[] }).errors[0];
  };
  const allowed = (cveId: string, expiresAt: string) => ({
    cveId,
    reason: 'Not reached',
    expiresAt,
    author: { id: 'olga', displayName: 'Olga' },
    createdAt: '2026-01-01T00:00:00Z',
    isExpired: false,
  });
  test('refuses a pull with the worst CVE that it does not allow', async () => {
    expect(await refusal()).toMatchObject({ detail: { reason: 'ImageVulnerable', cve: 'CVE-2026-2' } });
    expect(await refusal(pushed.digest)).toMatchObject({ detail: { cve: 'CVE-2026-2' } });
    await setPolicy({ ...open, allowedCves: [allowed('CVE-2026-2', '9998-12-31')] });
    expect(await refusal()).toMatchObject({ detail: { cve: 'CVE-2021-23337' } });
    expect((await vulnerabilities({ allowed: 'true' })).map(({ id }) => id)).toEqual(['CVE-2026-2']);
    expect((await vulnerabilities())[0]?.allowed).toMatchObject({ reason: 'Not reached' });
    expect((await ask<ScanOverview>(scanOverviewView)).stopped).toMatchObject({ critical: 0, high: 1 });
  });
  test('lets an image through whose vulnerabilities are allowed by any of their names, until that ends', async () => {
    await setPolicy({ ...open, allowedCves: [allowed('CVE-2026-2', '9998-12-31'), allowed('GHSA-lodash', '9998-12-31')] });
    expect(await refusal()).toBe('allowed');
    await setPolicy({ ...open, allowedCves: [allowed('CVE-2026-2', '2026-01-01'), allowed('GHSA-lodash', '9998-12-31')] });
    expect(await refusal()).toMatchObject({ detail: { cve: 'CVE-2026-2' } });
  });
  test('begins at its severity', async () => {
    await setPolicy({ ...open, severity: 'critical', allowedCves: [allowed('CVE-2026-2', '9998-12-31')] });
    expect(await refusal()).toBe('allowed');
    await setPolicy({
      ...open,
      severity: 'none',
      allowedCves: [allowed('CVE-2026-2', '9998-12-31'), allowed('CVE-2021-23337', '9998-12-31')],
    });
    expect(await refusal()).toMatchObject({ detail: { cve: 'GHSA-undici-low' } });
  });
  test('refuses what was not read wholly, whatever else is allowed', async () => {
    await pushFiles(client, repository, [{ ...npmFiles({ safe: '1.0.0' }), 'app/node_modules/x/package.json': '{' }], { tag: 'partly' });
    await ended('partly');
    expect(await outcome('partly')).toBe('PARTLY');
    expect(await refusal('partly')).toMatchObject({ detail: { reason: 'ImagePartlyScanned' } });
    const fedora = { ...npmFiles({ safe: '1.0.0' }), 'etc/os-release': 'ID=fedora\nVERSION_ID=44\n', 'var/lib/rpm/rpmdb.sqlite': 'x' };
    for (const [tag, files] of Object.entries({ jar: { ...npmFiles({ safe: '1.0.0' }), 'app/fat.jar': 'PK' }, fedora })) {
      await pushFiles(client, repository, [files], { tag });
      await ended(tag);
      expect([tag, await outcome(tag)]).toEqual([tag, 'PARTLY']);
    }
    expect(await refusal('jar')).toMatchObject({
      message: expect.stringMatching(/Java archives are not read by this scanner: 1 found, such as app\/fat\.jar\. Leave it out/),
      detail: { reason: 'ImagePartlyScanned' },
    });
    expect(await refusal('fedora')).toMatchObject({ message: expect.stringContaining('fedora:44') });
    await pushFiles(client, repository, [{ 'etc/motd': 'Welcome' }], { tag: 'bare' });
    await ended('bare');
    expect(await refusal('bare')).toMatchObject({ message: expect.stringMatching(/No packages were found: .*\. Install its programs/) });
    await pushFiles(client, repository, [npmFiles({ safe: '1.0.0' })], { tag: 'clean' });
    await ended('clean');
    expect(await outcome('clean')).toBe('NOTHING_FOUND');
    expect(await refusal('clean')).toBe('allowed');
  });
});

describe('asking for a scan', () => {
  test('scans again, and is in the log', async () => {
    const before = (await scanned()).result?.scannedAt ?? '';
    const answer = await app.call('member', imageScanCreate, { params: { ...place, tag: '1' } });
    // A worker may have taken it before the answer is read.
    const state: unknown = expect.stringMatching(/^(QUEUED|SCANNING)$/);
    expect(answer).toMatchObject({ status: 202, body: { state, result: { counts: { critical: 1 } } } });
    await expect.poll(async () => (await scanned()).result?.scannedAt, { timeout: PATIENCE_MS }).not.toBe(before);
    const log = (await app.call('member', appActivityList, { params: place, query: { type: imageScanCreate.id } })).body as {
      content: object[];
    };
    expect(log.content).toMatchObject([{ reason: 'ScanAsked' }]);
  });
  test('of what is not there says what is missing', async () => {
    expect(errorsOf(await app.call('member', imageScanView, { params: { ...place, tag: 'nothing' } }))).toEqual([
      404,
      'undefined: TagDoesNotExist',
    ]);
    const elsewhere = { params: { ...place, repository: 'nothing', tag: '1' } };
    expect(errorsOf(await app.call('member', imageScanCreate, elsewhere))).toEqual([404, 'undefined: RepositoryDoesNotExist']);
  });
  test('an image that cannot be read is no clean one, and has no bill of materials', async () => {
    const layer = await pushLayers(client, repository, [[{ kind: 'symlink', path: 'out', target: '../../etc' }]], { tag: 'broken' });
    await expect.poll(async () => (await scanned('broken')).state, { timeout: PATIENCE_MS }).toBe('FAILED');
    expect(await scanned('broken')).toMatchObject({ digest: layer.digest, result: null, reason: { code: 'ImageUnreadable' } });
    expect(errorsOf(await app.call('member', imageSbomDownload, { params: { ...place, tag: 'broken' } }))).toEqual([
      409,
      'undefined: ScanMissing',
    ]);
  });
});

test('a set that is deleted is not compared with any more', async () => {
  expect((await app.call('administrator', advisorySetDelete, { params: { set: 'npm' } })).status).toBe(204);
  await expect.poll(() => outcome(), { timeout: PATIENCE_MS }).toBe('PARTLY');
  expect(await importJson('npm', [advisoryOf({ id: 'GHSA-safe', name: 'safe', fixed: '2.0.0' })])).toMatchObject({ status: 201 });
  await expect.poll(async () => (await scanned()).result?.counts, { timeout: PATIENCE_MS }).toMatchObject({ unknown: 1, critical: 0 });
});
