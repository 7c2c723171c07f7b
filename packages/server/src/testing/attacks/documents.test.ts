/** Small documents that cost much: deep JSON and YAML, keys that stand twice or reach for a prototype, and bodies larger than a route needs. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { meTokenCreate } from '@slipway/contract/identity.ts';
import { bodyLimitOf, pathOf } from '@slipway/contract/kernel/kernel.ts';
import { routes } from '@slipway/contract/routes.ts';
import { maxYamlLength, serviceYamlUpdate } from '@slipway/contract/service/service-operations.ts';
import { newServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { readManifest } from '@slipway/registry/content/manifest-document.ts';
import { inspectJson, MAX_DEPTH, readJson } from '#kernel/http/read-json.ts';
import { readYaml } from '#modules/services/yaml/yaml-read.ts';
import { MAX_WAITING, readTree } from '#modules/services/yaml/yaml-thread.ts';
import { settingsTree } from '#modules/services/yaml/yaml-tree.ts';
import { testApp, type TestApp } from '../app.ts';
import { seedApp, seedService } from '../fixtures.ts';
import { codesIn } from '../raw-http.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ isWorker: false });
  await seedApp(app.database.db, { id: 'berth' });
  await seedService(app.database.db, { app: 'berth' });
});
afterAll(() => app?.close());

const send = async (path: string, body: string, { method = 'POST', type = 'application/json', isSignedIn = true } = {}) => {
  const authorization = isSignedIn ? { authorization: `Bearer ${await app.signIn.token('owner')}` } : undefined;
  const answer = await fetch(`${app.url}${path}`, { method, headers: { 'content-type': type, ...authorization }, body });
  const text = await answer.text();
  return { status: answer.status, codes: answer.ok ? [] : codesIn({ text }) };
};
const tokens = pathOf(meTokenCreate);
const yamlPath = `${pathOf(serviceYamlUpdate, { app: 'berth', env: 'development', service: 'berth' })}?dryRun=true`;
const putYaml = (yaml: string) => send(yamlPath, yaml, { method: 'PUT', type: 'application/yaml' });

describe('JSON', () => {
  const deep = ['[', '{"a":', '[{"a":'].map((piece) => piece.repeat(Math.floor(60_000 / piece.length)));

  test('that is nested without end is refused after as many characters as the limit has levels', async () => {
    for (const body of deep) expect(await send(tokens, body)).toEqual({ status: 400, codes: ['BodyTooDeep'] });
    const look = vi.spyOn(String.prototype, 'charCodeAt');
    expect(() => inspectJson('['.repeat(1_000_000))).toThrow();
    expect(look.mock.calls.length).toBeLessThanOrEqual(MAX_DEPTH + 1);
    look.mockRestore();
  });

  test('of a manifest is refused before it is parsed, too', () => {
    const parse = vi.spyOn(JSON, 'parse');
    for (const text of deep) expect(() => readManifest(Buffer.from(text), undefined)).toThrow();
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
  });

  test('of strangers is not looked at', async () => {
    const parse = vi.spyOn(JSON, 'parse');
    const answers = await Promise.all([...deep, '{', '{"a":1}'].map((body) => send(tokens, body, { isSignedIn: false })));
    expect(answers.map(({ codes }) => codes)).toEqual(answers.map(() => ['NotSignedIn']));
    expect(parse.mock.calls.flat().filter((text) => deep.includes(String(text)) || text === '{"a":1}')).toEqual([]);
    parse.mockRestore();
  });

  test.each([
    ['a key twice', '{"name":"a","name":"b"}'],
    ['a key twice, once escaped', '{"name":"a","n\\u0061me":"b"}'],
    ['a key twice, far inside', '{"a":[{"b":1},{"b":1,"c":{},"b":2}]}'],
    ['a prototype', '{"__proto__":{"isAdministrator":true}}'],
    ['a prototype, escaped', '{"a":{"\\u005f_proto__":1}}'],
  ])('with %s is refused', async (_name, body) => {
    expect(await send(tokens, body)).toEqual({ status: 400, codes: ['BodyKeyInvalid'] });
  });

  test('is looked at once, character by character, whatever stands in it', () => {
    const texts = [
      `{"a":"${'\\\\'.repeat(50_000)}"}`,
      `["${'[{'.repeat(50_000)}"]`,
      `[${'"\\"",'.repeat(20_000)}1]`,
      `[${'[],'.repeat(20_000)}1]`,
    ];
    for (const text of texts) {
      expect(inspectJson(text)).toBeLessThanOrEqual(text.length);
      expect(readJson(text)).toEqual(JSON.parse(text));
    }
    expect(readJson('{"a":{"b":1},"c":[{"b":1},{"b":"__proto__"}],"constructor":2}')).toMatchObject({ constructor: 2 });
  });
});

describe('a body larger than its route needs', () => {
  test('is refused by every route, before it is parsed', async () => {
    const params = { app: 'berth', env: 'development', team: 'cranes', service: 'berth' };
    const named = (path: string) => path.replace(/\{(\w+)\}/g, (_, name: string) => (params as Record<string, string>)[name] ?? 'x');
    const token = await app.apiToken('administrator', ['read', 'write']);
    for (const route of routes.filter(({ method }) => method !== 'GET')) {
      const body = 'x'.repeat(bodyLimitOf(route) + 1);
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const answer = await fetch(`${app.url}${named(route.path)}`, { method: route.method, headers, body });
      expect([route.id, answer.status, codesIn({ text: await answer.text() })]).toEqual([route.id, 413, ['PayloadTooLarge']]);
    }
  });

  test('is one of more than 64 KiB, unless the route carries settings, rules, schemas, a message, secrets, advisories, a file, a photo, a promotion or many entries', () => {
    const large = routes.filter((route) => bodyLimitOf(route) > 64 * 1024).map(({ id }) => id);
    const secrets = ['secretGroupCreate', 'secretVersionCreate'];
    const schemas = ['schemaCompatibilityCheck', 'schemaCreate', 'schemaDraftCheck', 'schemaUpdate'];
    const settings = ['serviceChangeRequest', 'serviceCreate', 'serviceUpdate', 'serviceYamlUpdate'];
    const rules = ['flagGroupCreate', 'flagGroupUpdate', 'flagSettingsUpdate'];
    expect(large.toSorted()).toEqual([
      'advisorySetImport',
      'appPromote',
      'catalogBulkChange',
      'catalogImportCreate',
      ...rules,
      'identityPhotoSet',
      'mePhotoSet',
      'monitorSourceMapUpload',
      ...schemas,
      ...secrets,
      ...settings,
      'streamCreate',
      'topicMessageProduce',
    ]);
  });
});

describe('YAML', () => {
  const deep = ['[', '{a: ', '- ', '? ', 'a: '].map((piece) => piece.repeat(Math.floor(60_000 / piece.length)));
  const key = { app: 'berth', environment: 'development', service: 'berth' } as const;
  const current = { githubRepositoryName: null, active: true, spec: newServiceSpec('localhost/berth/berth') };
  /** Nothing but mistakes: the slowest known file of the greatest length. */
  const slow = '[]'.repeat(maxYamlLength / 2);

  test('that is nested without end is refused after some pieces, not after all', async () => {
    for (const yaml of deep) {
      expect(settingsTree(yaml).steps).toBeLessThan(300);
      expect(await putYaml(yaml)).toEqual({ status: 400, codes: ['YamlInvalid'] });
    }
  });

  test('that is larger than a settings file is not read', async () => {
    expect(await putYaml('#'.repeat(maxYamlLength + 1))).toEqual({ status: 400, codes: ['ExceedsMaximumLength'] });
    expect(await putYaml('#'.repeat(bodyLimitOf(serviceYamlUpdate) + 1))).toEqual({ status: 413, codes: ['PayloadTooLarge'] });
  });

  test('is read beside everything else: the platform goes on meanwhile', async () => {
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 1);
    await expect(Promise.resolve(readYaml(slow, key, current))).rejects.toMatchObject({ code: 'YamlInvalid' });
    clearInterval(counting);
    expect(turns).toBeGreaterThan(0);
  });

  test('waits in a queue that ends', async () => {
    const reads = await Promise.allSettled(Array.from({ length: MAX_WAITING + 3 }, () => readTree('active: true')));
    const refused = reads.filter(({ status }) => status === 'rejected');
    expect(refused.map((one) => (one as PromiseRejectedResult).reason as unknown)).toMatchObject(
      Array.from({ length: 3 }, () => ({ code: 'TooManyRequests', status: 429 })),
    );
  });

  test('that takes too long costs its thread, and the next file gets a new one', async () => {
    const late = await readTree(slow, 0);
    expect(late.errors).toMatchObject([{ code: 'YamlInvalid' }]);
    expect((await readTree('active: false')).file).toEqual({ active: false });
  });
});
