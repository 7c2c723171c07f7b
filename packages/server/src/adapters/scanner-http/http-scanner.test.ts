/** The adapter against a scanner that implements Harbor's pluggable scanner API 1.2 by its OpenAPI document, over real HTTP. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startRegistry, type RegistryFixture } from '@slipway/registry/registry.fixture.ts';
import { OciClient } from '@slipway/images/oci/oci-client.ts';
import { npmFiles, pushFiles } from '@slipway/images/pushed-image.fixture.ts';
import { HttpScanner, type HttpScannerOptions } from './http-scanner.ts';

const repository = 'shop/hello';
const manifest = 'application/vnd.oci.image.manifest.v1+json';
const REPORT = 'application/vnd.security.vulnerability.report; version=1.1';

interface ScanRequest {
  readonly registry: { readonly url: string; readonly authorization: string };
  readonly artifact: { readonly repository: string; readonly digest: string; readonly mime_type: string };
}
/** Requests that the scanner received, and overrides of its responses. */
interface Script {
  asked: ScanRequest[];
  accepted: string[];
  looks: number;
  notYet: number;
  capabilities: object[];
  report: { status: number; body: unknown };
  scan?: { status: number; body: unknown };
}
const usual = (): Script => ({
  asked: [],
  accepted: [],
  looks: 0,
  notYet: 2,
  capabilities: [{ type: 'vulnerability', consumes_mime_types: [manifest], produces_mime_types: [REPORT] }],
  report: {
    status: 200,
    body: {
      generated_at: '2026-11-01T00:00:00Z',
      scanner: { name: 'Example', vendor: 'Examples', version: '0.4.0' },
      severity: 'High',
      vulnerabilities: [
        {
          id: 'CVE-2021-23337',
          package: 'lodash',
          version: '4.17.20',
          fix_version: '4.17.21',
          severity: 'High',
          description: 'Command injection\nin more lines',
          links: ['javascript:alert(1)', 'https://example.com/CVE-2021-23337'],
          preferred_cvss: { score_v3: 7.2, vector_v3: 'CVSS:3.1/AV:N/AC:L/PR:H/UI:N/S:U/C:H/I:H/A:H' },
        },
        { id: 'CVE-2020-1', package: 'tar', version: '1', fix_version: '', severity: 'Negligible' },
        { id: 'CVE-2020-2', package: 'tar', version: '1', severity: 'Dreadful' },
      ],
    },
  },
});

let script: Script;
let scannerUrl: string;
let fixture: RegistryFixture;
let digest: string;
const answer = (response: http.ServerResponse, status: number, type: string, body: unknown): void =>
  void response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body));
const server = http.createServer((request, response) => {
  const serve = async (): Promise<void> => {
    if (request.headers.authorization !== 'Bearer of-the-scanner') return void response.writeHead(401).end();
    if (request.url === '/api/v1/metadata')
      return answer(response, 200, 'application/vnd.scanner.adapter.metadata+json; version=1.1', {
        scanner: { name: 'Example', vendor: 'Examples', version: '0.4.0' },
        capabilities: script.capabilities,
        properties: {},
      });
    if (request.url === '/api/v1/scan' && request.method === 'POST') {
      expect(request.headers['content-type']).toBe('application/vnd.scanner.adapter.scan.request+json; version=1.0');
      script.asked.push((await json(request)) as ScanRequest);
      const { status, body } = script.scan ?? { status: 202, body: { id: 'a/b?c' } };
      return answer(response, status, 'application/vnd.scanner.adapter.scan.response+json; version=1.0', body);
    }
    if (request.url !== `/api/v1/scan/${encodeURIComponent('a/b?c')}/report`) return void response.writeHead(404).end();
    script.accepted.push(request.headers.accept ?? '');
    script.looks += 1;
    if (script.looks <= script.notYet) return void response.writeHead(302, { 'refresh-after': '0', location: request.url }).end();
    return answer(response, script.report.status, REPORT, script.report.body);
  };
  serve().catch((error: unknown) => answer(response, 500, 'text/plain', String(error)));
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  scannerUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  fixture = await startRegistry();
  await fixture.registry.projectEnsure('shop', 'tests');
  const client = new OciClient({
    baseUrl: fixture.registry.baseUrl,
    authorize: (name, actions) => fixture.registry.accessToken(name, actions),
  });
  ({ digest } = await pushFiles(client, repository, [npmFiles({ lodash: '4.17.20' })]));
});
beforeEach(() => {
  script = usual();
});
afterAll(async () => {
  await fixture.stop();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const scannerWith = (changes: Partial<HttpScannerOptions> = {}): HttpScanner =>
  new HttpScanner({
    url: scannerUrl,
    authorization: 'Bearer of-the-scanner',
    registryUrl: fixture.registry.baseUrl,
    token: (name) => fixture.registry.accessToken(name, ['pull']),
    mediaTypeOf: async (image) => (await fixture.registry.image(image.repository, image.digest))?.mediaType,
    ...changes,
    limits: { shortestMs: 1, ...changes.limits },
  });
const scan = (changes?: Partial<HttpScannerOptions>) => scannerWith(changes).scan({ repository, digest }, new AbortController().signal);

test('says who the scanner is', async () => {
  expect(await scannerWith().info()).toEqual({ name: 'Example', vendor: 'Examples', version: '0.4.0' });
});

test('asks, waits until the report is there, and reads it', async () => {
  const report = await scan();
  expect(report).toMatchObject({ packages: null, notes: [] });
  expect(report.vulnerabilities).toEqual([
    {
      id: 'CVE-2021-23337',
      severity: 'high',
      score: 7.2,
      vector: 'CVSS:3.1/AV:N/AC:L/PR:H/UI:N/S:U/C:H/I:H/A:H',
      title: 'Command injection',
      url: 'https://example.com/CVE-2021-23337',
      package: 'lodash',
      installed: '4.17.20',
      fixedIn: '4.17.21',
    },
    expect.objectContaining({ id: 'CVE-2020-1', severity: 'low', fixedIn: null, score: null }),
    expect.objectContaining({ id: 'CVE-2020-2', severity: 'unknown' }),
  ]);
  expect(script).toMatchObject({ looks: 3, accepted: [REPORT, REPORT, REPORT] });
  expect(script.asked[0]?.artifact).toEqual({ repository, digest, mime_type: manifest });
});

test('the token that it gives pulls this repository, and nothing else', async () => {
  await scan();
  const { registry } = script.asked[0]!;
  const ask = (method: string, path: string) =>
    fetch(`${registry.url}${path}`, { method, headers: { authorization: registry.authorization } });
  expect((await ask('GET', `/v2/${repository}/manifests/${digest}`)).status).toBe(200);
  expect((await ask('POST', `/v2/${repository}/blobs/uploads/`)).status).toBe(401);
  expect((await ask('GET', '/v2/shop/other/tags/list')).status).toBe(401);
});

test('takes the older type of report, and none that it cannot read', async () => {
  const older = 'application/vnd.scanner.adapter.vuln.report.harbor+json; version=1.0';
  script.capabilities = [{ consumes_mime_types: [manifest], produces_mime_types: [older.replace(' ', '')] }];
  await scan();
  expect(script.accepted[0]).toBe(older);
  script.capabilities = [
    { type: 'sbom', consumes_mime_types: [manifest], produces_mime_types: ['application/vnd.security.sbom.report+json; version=1.0'] },
  ];
  await expect(scan()).rejects.toMatchObject({ kind: 'rejected', code: 'NotAnImage' });
});

test.each([
  [422, 'rejected', 'the field is wrong'],
  [501, 'rejected', 'cannot'],
  [503, 'unavailable', 'later'],
])('a request that is answered %i is %s', async (status, kind, message) => {
  script.scan = { status, body: { error: { message } } };
  await expect(scan()).rejects.toMatchObject({ kind, message });
});

test.each([
  ['a failure', { status: 500, body: { error: { message: 'the image is broken' } } }, 'the image is broken'],
  ['something else', { status: 200, body: { vulnerabilities: [{ id: 7 }] } }, 'not of the scanner API'],
])('a report that is %s ends the scan', async (_, report, message) => {
  script.report = report;
  await expect(scan()).rejects.toMatchObject({
    kind: 'rejected',
    code: 'ScannerFailed',
    message: expect.stringContaining(message) as string,
  });
});

test('a report without end, or that never comes, is given up', async () => {
  await expect(scan({ limits: { reportBytes: 100 } })).rejects.toMatchObject({ kind: 'rejected' });
  script.notYet = Number.POSITIVE_INFINITY;
  await expect(scan({ limits: { reportMs: 20 } })).rejects.toMatchObject({ kind: 'unavailable' });
});

test('a scanner that is away, or has other credentials, is unavailable', async () => {
  await expect(scan({ url: 'http://127.0.0.1:1' })).rejects.toMatchObject({ kind: 'unavailable' });
  await expect(scan({ authorization: undefined })).rejects.toMatchObject({ kind: 'unavailable', message: 'it answered 401' });
});

test('an image that is gone is not asked for', async () => {
  await expect(scannerWith().scan({ repository, digest: `sha256:${'0'.repeat(64)}` }, new AbortController().signal)).rejects.toMatchObject({
    kind: 'notFound',
  });
  expect(script.asked).toEqual([]);
});
