/** A client that a public generator (orval) makes from docs/openapi.json replays every catalog call of the specification. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { generate } from 'orval';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import { seedCatalogApplication } from '#testing/fixtures.ts';
import { PATIENCE_MS } from '#testing/patience.ts';
import { testApp, type TestApp } from '../app.ts';

vi.setConfig({ testTimeout: 4 * PATIENCE_MS, hookTimeout: 4 * PATIENCE_MS });
const root = resolve(import.meta.dirname, '../../../../..');

/** The calls of section 7 of the specification, below the catalog's base path. */
const specified = `PATCH /products/{}/applications
GET /products/{}/applications
POST /products
PUT /products/{}
GET /products
POST /labels
GET /labels
PATCH /labels/{}
DELETE /applications/{}
GET /applications/{}
PUT /applications/{}
PATCH /applications/{}
GET /applications
POST /applications
GET /applications/options
PUT /applications/{}/owners
POST /applications/{}/issue
PUT /applications/{}/approval/{}
DELETE /platforms/{}
GET /platforms/{}
PUT /platforms/{}
GET /platforms
POST /platforms
GET /platforms/{}/products
DELETE /portfolios/{}
GET /portfolios/{}
GET /portfolios/{}/platforms
GET /portfolios
POST /portfolios
PUT /portfolios/{}
GET /search/fuzzy
GET /search
GET /search/platforms
GET /users/authority
GET /users
GET /users/requests
GET /users/requests/{}/count
GET /monthly-summary/platforms
GET /monthly-summary/user/platforms`.split('\n');

interface Answered {
  readonly status: number;
  readonly data: unknown;
}
type Client = Readonly<Record<string, (...input: unknown[]) => Promise<Answered>>>;
let app: TestApp;
let folder = '';
let client: Client;
/** Calls that the client sent: `PUT /applications/{}`. */
const sent = new Set<string>();

beforeAll(async () => {
  app = await testApp({ isWorker: false });
  await seedCatalogApplication(app.database.db, { id: 'MAC-1', name: 'Seeded' });
  folder = await mkdtemp(join(tmpdir(), 'slipway-orval-'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await generate({
    input: { target: join(root, 'docs/openapi.json'), filters: { tags: ['Catalog'] } },
    output: { target: join(folder, 'client.ts'), client: 'fetch', mode: 'single', baseUrl: app.url },
  });
  client = (await import(/* @vite-ignore */ pathToFileURL(join(folder, 'client.ts')).href)) as Client;
  const send = globalThis.fetch;
  vi.stubGlobal('fetch', (input: string, init: RequestInit) => {
    const path = new URL(input).pathname.replace('/api/catalogue', '');
    sent.add(`${init.method} ${path.replaceAll(/\/(?:(?:MAC|PLT|PFO|PRD|LBL|REQ)-\d+|PENDING)(?=\/|$)/g, '/{}')}`);
    return send(input, init);
  });
});
afterAll(async () => {
  vi.unstubAllGlobals();
  if (folder !== '') await rm(folder, { recursive: true, force: true });
  await app?.close();
});

test('the generated client compiles', async () => {
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const words = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--target',
    'es2024',
    '--module',
    'nodenext',
    '--lib',
    'es2024,dom,dom.iterable',
    '--types',
    'node',
  ];
  await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), [...words, 'client.ts'], { cwd: folder });
});

/** Reads a text at a path of an answer. */
const at = (value: unknown, ...path: (string | number)[]): string => {
  let part = value;
  for (const key of path) part = isRecord(part) || Array.isArray(part) ? (part as Record<string | number, unknown>)[key] : undefined;
  if (typeof part !== 'string') throw new Error(`There is no text at ${path.join('.')} of ${JSON.stringify(value)}`);
  return part;
};

test('every catalog call of the specification works with the generated client', async () => {
  const tokens = { member: await app.apiToken('member', ['write']), administrator: await app.apiToken('administrator', ['write']) };
  /** Options of a call: the token, and the headers that the specification gives it. */
  const as = (actor: keyof typeof tokens, headers: Record<string, string> = {}) => ({
    headers: { authorization: `Bearer ${tokens[actor]}`, ...headers },
  });
  const call = async (status: number, name: string, ...input: unknown[]): Promise<unknown> => {
    const made = client[name];
    if (!made) throw new Error(`The generator made no ${name}`);
    const answer = await made(...input);
    expect([name, answer.status, answer.data]).toEqual([name, status, answer.data]);
    return answer.data;
  };
  const description = 'Plans which vessel is moored where and for how long.';
  const owners = ['mats'];
  const approve = (requestId: string) => call(200, 'catalogRequestDecide', requestId, { status: 'APPROVED' }, as('administrator'));
  const onboarded = async (made: unknown): Promise<void> => void (await approve(at(made, 'requests', 0, 'requestId')));

  const portfolioBody = { owners, portfolioName: 'Replayed quays', portfolioType: 'BUSINESS', description, eaContacts: [] };
  const portfolio = await call(201, 'catalogPortfolioCreate', portfolioBody, as('member'));
  await onboarded(portfolio);
  const portfolioId = at(portfolio, 'portfolioId');
  const platformBody = { owners, platformName: 'Replayed berths', description, portfolioId, platformType: 'OPERATIONS' };
  const platform = await call(201, 'catalogPlatformCreate', platformBody, as('member'));
  await onboarded(platform);
  const platformId = at(platform, 'platformId');
  const applicationBody = { owners, applicationName: 'Replayed plan', description, platformId };
  const application = await call(201, 'catalogApplicationCreate', applicationBody, as('member', { 'X-API-Version': '1' }));
  const appId = at(application, 'applicationId');
  const mac = { 'Mac-App-Id': appId };
  await call(
    200,
    'catalogApplicationApprovalDecide',
    appId,
    at(application, 'requests', 0, 'requestId'),
    { status: 'APPROVED', comment: 'Fine' },
    as('administrator', mac),
  );
  const productBody = {
    owners,
    productName: 'Replayed suite',
    productCode: 'RPL-1',
    description,
    source: 'API',
    status: 'ACTIVE',
    platformId,
  };
  const product = await call(201, 'catalogProductCreate', productBody, as('member'));
  const productId = at(product, 'productId');

  const inProduct = { 'Mac-Product-Id': productId };
  await call(200, 'catalogProductApplicationsSet', productId, { applicationIds: [appId] }, as('member', { source: 'API', ...inProduct }));
  await call(200, 'catalogProductApplications', productId, { page: 0, size: 10 }, as('member'));
  await call(
    200,
    'catalogProductUpdate',
    productId,
    { ...productBody, description: `${description} Twice.`, platformChanged: false },
    as('member', inProduct),
  );
  await call(200, 'catalogProductList', { page: 0, size: 10, sort: 'name', id: productId, name: 'Replayed' }, as('member'));
  const label = await call(
    201,
    'catalogLabelCreate',
    { name: 'replayed', description: 'Of a replay', properties: { by: 'orval' } },
    as('administrator'),
  );
  await call(200, 'catalogLabelList', as('member'));
  await call(200, 'catalogLabelUpdate', at(label, 'id'), { name: 'replayed', description: 'Again', properties: {} }, as('administrator'));

  await call(200, 'catalogApplicationList', { page: 0, size: 10, sort: '-modifiedDate', name: 'replayed' }, as('member'));
  await call(200, 'catalogApplicationView', appId, { includeRequest: true, requestType: 'UPDATE' }, as('member'));
  await call(
    200,
    'catalogApplicationUpdate',
    appId,
    { ...applicationBody, description: `${description} Twice.` },
    as('member', { ...mac, 'Mac-Request-Id': 'replay-0001' }),
  );
  await call(202, 'catalogApplicationPatch', appId, { criticalityId: 'important', reason: 'It became important' }, as('member', mac));
  await call(200, 'catalogApplicationPatch', appId, { labels: [at(label, 'id')] }, as('member', mac));
  await call(200, 'catalogOptionsView', as('member'));
  const claimed = await call(
    202,
    'catalogApplicationUpdate',
    appId,
    { ...applicationBody, description: `${description} Twice.`, owners: ['mats', 'olga'] },
    as('administrator', mac),
  );
  const claim = at(claimed, 'requests', 0, 'requestId');
  await call(
    200,
    'catalogApplicationOwnersDecide',
    appId,
    { status: 'WITHDRAWN', comments: 'Not any more' },
    { requestId: claim },
    as('administrator', mac),
  );
  const issue = await call(201, 'catalogIssueCreate', appId, { comments: 'The description is out of date' }, as('administrator'));
  await call(
    200,
    'catalogApplicationApprovalDecide',
    appId,
    at(issue, 'requestId'),
    { status: 'APPROVED', comment: 'Corrected' },
    as('member', mac),
  );

  await call(200, 'catalogPlatformView', platformId, as('member'));
  await call(
    200,
    'catalogPlatformUpdate',
    platformId,
    { ...platformBody, description: `${description} Twice.`, status: 'ACTIVE' },
    as('member', { 'Mac-Platform-Id': platformId }),
  );
  await call(200, 'catalogPlatformList', { page: 0, size: 10, name: 'replayed', active: true, oid: 'mats' }, as('member'));
  await call(200, 'catalogPlatformProducts', platformId, { size: 5 }, as('member'));
  await call(200, 'catalogPortfolioView', portfolioId, as('member'));
  await call(200, 'catalogPortfolioPlatforms', portfolioId, {}, as('member', { 'X-Content-Type': 'application/json' }));
  await call(200, 'catalogPortfolioList', { page: 0, size: 10, name: 'replayed', active: true }, as('member'));
  await call(
    200,
    'catalogPortfolioUpdate',
    portfolioId,
    { ...portfolioBody, description: `${description} Twice.`, status: 'ACTIVE' },
    as('member', { 'Mac-Portfolio-Id': portfolioId }),
  );

  await call(200, 'catalogFuzzySearch', { entity: 'application', searchTerm: 'replaied plan' }, as('member'));
  const filters = { app: 'replayed', platform: 'berths', portfolio: 'quays', status: 'ACTIVE', labels: at(label, 'id') };
  const dates = { fromTargetDecomDate: '2026-01-01', toTargetDecomDate: '2099-01-01' };
  await call(200, 'catalogSearch', { ...filters, ...dates, page: 0, size: 10, sort: 'name' }, as('member'));
  await call(200, 'catalogPlatformSearch', { platform: 'berths', portfolio: 'quays', page: 0, size: 10, sort: 'name' }, as('member'));
  await call(200, 'catalogAuthorityView', as('member'));
  await call(200, 'catalogUserSearch', { search: 'mat' }, as('member'));
  await call(200, 'catalogRequestList', { status: 'PENDING', page: 0, size: 10 }, as('member'));
  await call(200, 'catalogRequestCount', 'PENDING', {}, as('member'));
  const month = new Date().toISOString().slice(0, 7);
  await call(200, 'catalogMonthlySummary', { platformId, summaryMonth: month }, as('member'));
  await call(200, 'catalogSummaryPlatforms', as('member'));

  const seen = { criticalityId: null, status: 'ACTIVE', labels: [at(label, 'id')], reason: 'It is no longer needed' };
  const ended = await call(202, 'catalogApplicationDecommission', appId, seen, as('member', mac));
  await approve(at(ended, 'requestId'));
  await approve(
    at(await call(202, 'catalogProductDecommission', productId, { reason: 'It is no longer needed' }, as('member')), 'requestId'),
  );
  await approve(
    at(await call(202, 'catalogPlatformDecommission', platformId, { reason: 'It is no longer needed' }, as('member')), 'requestId'),
  );
  await call(202, 'catalogPortfolioDecommission', portfolioId, { reason: 'It is no longer needed' }, as('member'));

  expect(specified.filter((one) => !sent.has(one))).toEqual([]);
});
