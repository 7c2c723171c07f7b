/** Failure modes of an external registry: unavailable, slow, endless answers, or a different verdict. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startSchemaRegistry, type SchemaRegistryFixture } from '@slipway/schemas/registry/schema-registry.fixture.ts';
import type { SchemaText } from '#ports/schema-registry.ts';
import { HttpSchemaRegistry } from './http-schema-registry.ts';
import type { ClientLimits, RegistryAddress } from './registry-client.ts';

/** Proxy in front of a working registry. Overrides the answers for paths that contain a given word. */
type Answer = { readonly status: number; readonly body: string } | 'never';
let answers: Record<string, Answer>;
let fixture: SchemaRegistryFixture;
let url: string;
const front = http.createServer((request, response) => {
  const given = Object.entries(answers).find(([word]) => request.url?.includes(word))?.[1];
  if (given === 'never') return;
  if (given) return void response.writeHead(given.status, { location: 'http://127.0.0.1:1/' }).end(given.body);
  const forwarded = http.request(`${fixture.url}${request.url}`, { method: request.method, headers: request.headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  });
  request.pipe(forwarded);
});
beforeAll(async () => {
  fixture = await startSchemaRegistry();
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
});
afterAll(async () => {
  front.closeAllConnections();
  await new Promise((resolve) => front.close(resolve));
  await fixture.stop();
});
beforeEach(() => {
  answers = {};
});

const registryAt = (address: Partial<RegistryAddress> = {}, limits: Partial<ClientLimits> = {}): HttpSchemaRegistry =>
  new HttpSchemaRegistry({ registries: { development: { url, authorization: 'Bearer writer', ...address } }, limits });
const text = (...fields: readonly object[]): SchemaText => ({
  type: 'AVRO',
  content: JSON.stringify({ type: 'record', name: 'Berth', fields: [{ name: 'id', type: 'string' }, ...fields] }),
});
const must = { name: 'must', type: 'string' };
/** The context names the engine, for display to waiting users. */
const unavailable = { name: 'PortFailure', kind: 'unavailable', context: { engine: 'schema registry' } };

test.each<[string, Answer]>([
  ['no server', { status: 502, body: 'Bad gateway' }],
  ['too many requests', { status: 429, body: '{"error_code":42901,"message":"later"}' }],
  ['a database that is away', { status: 500, body: '{"error_code":50001,"message":"the store"}' }],
  ['a redirect', { status: 302, body: '' }],
  ['a page instead of an answer', { status: 200, body: '<html>' }],
  ['an answer of another shape', { status: 200, body: '{"subjects":[]}' }],
  ['an answer without end', { status: 200, body: `["${'x'.repeat(5000)}"]` }],
  ['silence', 'never'],
])('%s is worth another try', async (_, answer) => {
  answers = { subjects: answer };
  await expect(registryAt({}, { answerMs: 300, answerBytes: 1000 }).subjects('development')).rejects.toMatchObject(unavailable);
});

test('a registry that is away, knows other credentials, or is not there', async () => {
  await expect(registryAt({ url: 'http://127.0.0.1:1' }).probe()).rejects.toMatchObject(unavailable);
  await expect(registryAt({ authorization: 'Bearer nobody' }).probe()).rejects.toMatchObject({
    ...unavailable,
    message: expect.stringContaining('refuses the platform') as string,
  });
  await expect(registryAt({ authorization: 'Bearer reader' }).register('development', 'refused-value', text())).rejects.toMatchObject(
    unavailable,
  );
  await expect(registryAt().subjects('production')).rejects.toMatchObject(unavailable);
  expect(registryAt().info('production').url).toBeNull();
  await registryAt().probe();
});

test('a read-only registry refuses, and says why', async () => {
  answers = { '/versions': { status: 422, body: '{"error_code":42205,"message":"Subject is in read-only mode"}' } };
  await expect(registryAt().register('development', 'readonly-value', text())).rejects.toMatchObject({
    kind: 'rejected',
    code: 'SchemaRegistryRefused',
    context: { reason: 'Subject is in read-only mode' },
  });
});

test('each environment has a registry of its own: one that is away is no word on the other', async () => {
  const both = new HttpSchemaRegistry({
    registries: { development: { url, authorization: 'Bearer writer' }, production: { url: 'http://127.0.0.1:1' } },
  });
  await both.probe('development');
  await expect(both.probe('production')).rejects.toMatchObject(unavailable);
  await expect(both.probe()).rejects.toMatchObject(unavailable);
  const one = registryAt();
  await one.probe();
  await expect(one.probe('production')).rejects.toMatchObject(unavailable);
});

test('where it refuses what our own check would take, its word counts, in its words', async () => {
  const registry = registryAt();
  await registry.register('development', 'strict-value', text());
  answers = { '/compatibility/': { status: 200, body: '{"is_compatible":false,"messages":["a rule of the company"]}' } };
  expect(await registry.check('development', 'strict-value', text({ name: 'note', type: 'string', default: '' }))).toMatchObject({
    isCompatible: false,
    issues: [{ code: 'REGISTRY', message: 'a rule of the company', line: 1, version: 0 }],
    disagreement: expect.stringContaining('a rule of the company') as string,
  });
  answers = { '/compatibility/': { status: 200, body: '{"is_compatible":false}' } };
  expect(await registry.check('development', 'strict-value', text())).toMatchObject({
    isCompatible: false,
    issues: [{ code: 'REGISTRY' }],
  });
});

test('where it takes what our own check would refuse, too', async () => {
  const registry = registryAt();
  await registry.register('development', 'lax-value', text());
  answers = { '/compatibility/': { status: 200, body: '{"is_compatible":true}' } };
  expect(await registry.check('development', 'lax-value', text(must))).toMatchObject({
    isCompatible: true,
    issues: [],
    disagreement: expect.stringContaining('must has no default') as string,
  });
});

test('an earlier version that we cannot read: its word is all there is', async () => {
  const registry = registryAt();
  const { id } = await registry.register('development', 'strange-value', text());
  answers = {
    [`/schemas/ids/${id}`]: { status: 200, body: '{"schema":"{\\"type\\":\\"unheard-of\\"}"}' },
    '/compatibility/': { status: 200, body: '{"is_compatible":false,"messages":["the registry knows it"]}' },
  };
  expect(await registryAt().check('development', 'strange-value', text(must))).toMatchObject({
    isCompatible: false,
    issues: [{ code: 'REGISTRY', message: 'the registry knows it' }],
    disagreement: undefined,
  });
});
