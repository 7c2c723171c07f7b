/** GrowthBook's JavaScript SDK, unmodified, against the server: rules of every kind, encryption, remote evaluation, streams and caching. */
import { GrowthBook, clearCache, setPolyfills, type InitOptions, type Options } from '@growthbook/growthbook';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Flag } from '@slipway/contract/flag/flag.ts';
import { flagCreate, flagDelete, flagSettingsUpdate, flagView } from '@slipway/contract/flag/flag.ts';
import { flagGroupCreate } from '@slipway/contract/flag/flag-group.ts';
import { flagKeyCreate, type FlagKey } from '@slipway/contract/flag/flag-key.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { seedApp } from '#testing/fixtures.ts';
import { TestEventSource } from './sdk.fixture.ts';

let app: TestApp;
const place = { app: 'yard', env: 'production' };
const call = async <T>(route: RouteShape, params: object, body?: unknown): Promise<T> => {
  const answer = await app.call('member', route, { params: { ...place, ...params }, ...(body === undefined ? {} : { body }) });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body as T;
};
const save = async (flag: string, body: object) => {
  const { production } = await call<Flag>(flagView, { flag });
  await call<Flag>(flagSettingsUpdate, { flag }, { basedOn: production.version, ...body });
};
const keys: Record<string, FlagKey> = {};
const people = ['ingrid', 'rahul', 'mei', ...Array.from({ length: 30 }, (_, at) => `person-${at}`)];

/** Flags with rules of every kind, each with the value that a person must get, or undefined if only a share gets it. */
const cases: readonly { name: string; type?: string; value?: unknown; rules: object[]; expected: (id: string) => unknown }[] = [
  { name: 'plain', value: true, rules: [], expected: () => true },
  { name: 'people', rules: [{ people: ['ingrid'], value: true }], expected: (id) => id === 'ingrid' },
  { name: 'teams', rules: [{ teams: ['cranes', 'berths'], value: true }], expected: (id) => id === 'rahul' },
  { name: 'group', rules: [{ groups: [{ group: 'crew' }], value: true }], expected: (id) => id === 'mei' },
  { name: 'no-group', rules: [{ groups: [{ group: 'crew', isIn: false }], value: true }], expected: (id) => id !== 'mei' },
  {
    name: 'version',
    type: 'STRING',
    value: 'old',
    rules: [{ condition: { version: { $vgt: '1.9.0' } }, value: 'new' }],
    expected: (id) => (id === 'mei' ? 'new' : 'old'),
  },
  {
    name: 'first',
    type: 'NUMBER',
    value: 1,
    rules: [
      { people: ['mei'], value: 2 },
      { condition: { id: { $in: ['mei', 'rahul'] } }, value: 3 },
    ],
    expected: (id) => ({ mei: 2, rahul: 3 })[id] ?? 1,
  },
  { name: 'ended', rules: [{ endsAt: '2020-01-01T00:00:00Z', value: true }], expected: () => false },
  { name: 'begun', rules: [{ startsAt: '2020-01-01T00:00:00Z', value: true }], expected: () => true },
  {
    name: 'needs',
    value: true,
    rules: [{ effect: 'REQUIRE', prerequisites: [{ flag: 'people' }] }],
    expected: (id) => (id === 'ingrid' ? true : null),
  },
  { name: 'if-other', rules: [{ prerequisites: [{ flag: 'version', value: 'new' }], value: true }], expected: (id) => id === 'mei' },
  {
    name: 'settings',
    type: 'JSON',
    value: { rows: [1, 2] },
    rules: [{ people: ['mei'], value: [] }],
    expected: (id) => (id === 'mei' ? [] : { rows: [1, 2] }),
  },
  { name: 'quarter', rules: [{ percentage: 25, value: true }], expected: () => undefined },
  {
    name: 'split',
    type: 'STRING',
    value: 'c',
    rules: [
      {
        effect: 'SPLIT',
        variations: [
          { name: 'A', value: 'a', share: 50 },
          { name: 'B', value: 'b', share: 50 },
        ],
      },
    ],
    expected: () => undefined,
  },
];
const attributesOf = (id: string) => ({ id, teams: id === 'rahul' ? ['cranes'] : [], version: id === 'mei' ? '1.10.0' : '1.2.0' });

const open: GrowthBook[] = [];
const sdk = async (key: string, options: Options = {}, init: InitOptions = {}) => {
  const { clientKey = '', decryptionKey } = keys[key] ?? {};
  const growthbook = new GrowthBook({ apiHost: app.url, clientKey, ...(decryptionKey ? { decryptionKey } : {}), ...options });
  open.push(growthbook);
  const { success, error } = await growthbook.init({ skipCache: true, timeout: 10_000, ...init });
  expect(success, String(error)).toBe(true);
  return growthbook;
};

beforeAll(async () => {
  setPolyfills({ EventSource: TestEventSource as never });
  app = await testApp({ isWorker: false });
  await seedApp(app.database.db, { id: 'yard' });
  for (const mode of ['PLAIN', 'ENCRYPTED', 'REMOTE'])
    keys[mode] = await call<FlagKey>(flagKeyCreate, {}, { name: mode.toLowerCase(), mode });
  await call(flagGroupCreate, {}, { name: 'crew', values: ['mei'] });
  for (const { name, type = 'BOOLEAN', value, rules } of cases) {
    await call(flagCreate, {}, { name, type, ...(value === undefined ? {} : { value }) });
    await save(name, { rules: rules.map((rule, at) => ({ id: `r${at}`, effect: 'SERVE', ...rule })) });
  }
});
afterEach(async () => {
  for (const one of open.splice(0)) one.destroy();
  await clearCache();
});
afterAll(() => app.close());

test('every rule decides the same by payload, by encrypted payload and by remote evaluation', async () => {
  const valuesOf = (growthbook: GrowthBook) => Object.fromEntries(cases.map(({ name }) => [name, growthbook.evalFeature(name).value]));
  const plain = await sdk('PLAIN');
  const encrypted = await sdk('ENCRYPTED');
  const shares = { quarter: 0, a: 0 };
  for (const id of people) {
    await plain.setAttributes(attributesOf(id));
    await encrypted.setAttributes(attributesOf(id));
    const values = valuesOf(plain);
    for (const { name, expected } of cases)
      if (expected(id) !== undefined) expect([id, name, values[name]]).toEqual([id, name, expected(id)]);
    expect(valuesOf(encrypted)).toEqual(values);
    const remote = await sdk('REMOTE', { remoteEval: true, attributes: attributesOf(id) });
    expect(valuesOf(remote)).toEqual(values);
    if (values['quarter'] === true) shares.quarter += 1;
    if (values['split'] === 'a') shares.a += 1;
    expect(['a', 'b']).toContain(values['split']);
  }
  expect(shares.quarter).toBeGreaterThan(0);
  expect(shares.quarter).toBeLessThan(people.length / 2);
  expect(shares.a).toBeGreaterThan(5);
  expect(shares.a).toBeLessThan(people.length - 5);
});

test('an encrypted or remote payload shows no rule, and a split is tracked once', async () => {
  const text = await (await fetch(`${app.url}/api/features/${keys['ENCRYPTED']?.clientKey}`)).text();
  expect(text).not.toContain('ingrid');
  expect(text).not.toContain('mei');
  const evaluated = await fetch(`${app.url}/api/eval/${keys['REMOTE']?.clientKey}`, {
    method: 'POST',
    body: JSON.stringify({ attributes: { id: 'x' } }),
  });
  expect(await evaluated.text()).not.toContain('ingrid');
  const seen: string[] = [];
  const remote = await sdk('REMOTE', {
    remoteEval: true,
    attributes: attributesOf('rahul'),
    trackingCallback: (experiment, { key }) => void seen.push(`${experiment.key} ${key}`),
  });
  remote.getFeatureValue('split', '');
  remote.getFeatureValue('split', '');
  expect(seen).toHaveLength(1);
  expect(seen[0]).toMatch(/^split-r0 [01]$/);
});

test.each(['PLAIN', 'ENCRYPTED', 'REMOTE'])('a change reaches an open stream within a second: %s', async (mode) => {
  const name = `live-${mode.toLowerCase()}`;
  await call(flagCreate, {}, { name });
  const growthbook = await sdk(
    mode,
    { ...(mode === 'REMOTE' && { remoteEval: true }), attributes: attributesOf('mei') },
    { streaming: true },
  );
  expect(growthbook.isOn(name)).toBe(false);
  await expect.poll(async () => (await (await fetch(`${app.url}/metrics`)).text()).match(/slipway_flag_streams (\d+)/)?.[1]).toBe('1');
  const start = performance.now();
  await save(name, { value: true });
  await expect.poll(() => growthbook.isOn(name), { interval: 10, timeout: 5000 }).toBe(true);
  expect(performance.now() - start).toBeLessThan(3000);
  // A deleted flag goes, too: the payload has a newer date, or the SDK would ignore it.
  await call(flagDelete, { flag: name });
  await expect.poll(() => growthbook.isOn(name), { interval: 10, timeout: 5000 }).toBe(false);
  // The SDK closes a stream when its cache is cleared.
  await clearCache();
  await expect.poll(async () => (await (await fetch(`${app.url}/metrics`)).text()).match(/slipway_flag_streams (\d+)/)?.[1]).toBe('0');
});

test('a schedule begins and ends by itself', async () => {
  await call(flagCreate, {}, { name: 'timed' });
  const growthbook = await sdk('PLAIN', {}, { streaming: true });
  const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
  await save('timed', { rules: [{ id: 'soon', effect: 'SERVE', value: true, startsAt: at(1), endsAt: at(2.5) }] });
  await expect.poll(() => growthbook.isOn('timed'), { interval: 20, timeout: 5000 }).toBe(true);
  await expect.poll(() => growthbook.isOn('timed'), { interval: 20, timeout: 5000 }).toBe(false);
});

test('answers 304 by ETag and by date, gzip, and requests of any origin', async () => {
  const url = `${app.url}/api/features/${keys['PLAIN']?.clientKey}`;
  const first = await fetch(url, { headers: { origin: 'https://shop.example' } });
  const etag = first.headers.get('etag') ?? '';
  expect(Object.fromEntries(first.headers)).toMatchObject({
    'access-control-allow-origin': '*',
    'x-sse-support': 'enabled',
    'cache-control': expect.stringContaining('must-revalidate'),
    'content-encoding': 'gzip',
    vary: 'accept-encoding',
  });
  const again = (headers: Record<string, string>) => fetch(url, { headers }).then(({ status }) => status);
  expect(await again({ 'if-none-match': etag })).toBe(304);
  expect(await again({ 'if-none-match': `W/${etag}` })).toBe(304);
  expect(await again({ 'if-none-match': '"other"' })).toBe(200);
  expect(await again({ 'if-modified-since': first.headers.get('last-modified') ?? '' })).toBe(304);
  const preflight = await fetch(url.replace('features', 'eval'), { method: 'OPTIONS' });
  expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([204, 'GET, HEAD, POST, OPTIONS']);
  const unknown = await fetch(`${app.url}/api/features/sdk-none`);
  expect([unknown.status, unknown.headers.get('access-control-allow-origin')]).toEqual([404, '*']);
  await save('plain', { value: true, comment: 'Nothing else' });
  await expect.poll(() => again({ 'if-none-match': etag })).toBe(200);
});
