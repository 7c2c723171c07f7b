/** Tests flags over HTTP: settings, history, prerequisites, saved groups, client keys, and the preview. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Flag, FlagPreview } from '@slipway/contract/flag/flag.ts';
import {
  flagCreate,
  flagDelete,
  flagList,
  flagPreview,
  flagSettingsUpdate,
  flagUpdate,
  flagVersionList,
  flagVersionRestore,
  flagView,
} from '@slipway/contract/flag/flag.ts';
import { flagGroupCreate, flagGroupDelete, flagGroupUpdate, flagGroupView } from '@slipway/contract/flag/flag-group.ts';
import { flagKeyCreate, flagKeyDelete, flagKeyRotate, flagKeyUpdate, flagKeyView, type FlagKey } from '@slipway/contract/flag/flag-key.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import { noteReached } from '#testing/reached.ts';
import { seedApp } from '#testing/fixtures.ts';

let app: TestApp;
const place = { app: 'yard', env: 'production' };
const answer = (route: RouteShape, params: object = {}, body?: unknown, query?: Record<string, unknown>) =>
  app.call('member', route, { params: { ...place, ...params }, ...(body === undefined ? {} : { body }), ...(query && { query }) });
const call = async <T>(...args: Parameters<typeof answer>): Promise<T> => {
  const { status, body } = await answer(...args);
  expect(status, JSON.stringify(body)).toBeLessThan(300);
  return body as T;
};
const refused = async (...args: Parameters<typeof answer>) => errorsOf(await answer(...args));
const create = (name: string, more: object = {}) => call<Flag>(flagCreate, {}, { name, ...more });
const rule = (id: string, more: object = {}) => ({ id, effect: 'SERVE', value: true, ...more });
const save = async (flag: string, body: object) => {
  const { production } = await call<Flag>(flagView, { flag });
  return call<Flag>(flagSettingsUpdate, { flag }, { basedOn: production.version, ...body });
};

beforeAll(async () => {
  app = await testApp({ isWorker: false });
  await seedApp(app.database.db, { id: 'yard' });
});
afterAll(() => app.close());

test('creates a flag in both environments, and saves versions in one', async () => {
  const made = await create('new-shell', { description: 'The new shell' });
  expect(made).toMatchObject({ type: 'BOOLEAN', development: { version: 1, value: false }, production: { version: 1, enabled: true } });
  const saved = await save('new-shell', { rules: [rule('crew', { people: ['mats'] })], comment: 'Crew first' });
  expect(saved.development.version).toBe(1);
  expect(saved.production).toMatchObject({
    version: 2,
    comment: 'Crew first',
    changedBy: { id: 'mats' },
    rules: [{ id: 'crew', people: ['mats'] }],
  });
  expect(await refused(flagCreate, {}, { name: 'new-shell' })).toEqual([409, 'name: FlagAlreadyExists']);
  expect(await refused(flagCreate, {}, { name: 'count', type: 'NUMBER', value: 'one' })).toEqual([400, 'value: FlagValueInvalid']);
});

test('refuses a change that is based on an earlier version, and restores one', async () => {
  await create('restored');
  await save('restored', { value: true });
  expect(await refused(flagSettingsUpdate, { flag: 'restored' }, { basedOn: 1, value: true })).toEqual([
    409,
    'basedOn: FlagVersionConflict',
  ]);
  const both = await Promise.all([true, false].map((value) => answer(flagSettingsUpdate, { flag: 'restored' }, { basedOn: 2, value })));
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const restored = await call<Flag>(flagVersionRestore, { flag: 'restored', version: '1' }, { basedOn: 3 });
  expect(restored.production).toMatchObject({ version: 4, value: false, comment: 'Restored version 1' });
  const { content } = await call<{ content: { version: number }[] }>(flagVersionList, { flag: 'restored' });
  expect(content.map(({ version }) => version)).toEqual([4, 3, 2, 1]);
  for (const version of ['9', '0', 'one', '99999999999'])
    expect(await refused(flagVersionRestore, { flag: 'restored', version }, { basedOn: 4 })).toEqual([
      404,
      'undefined: FlagVersionDoesNotExist',
    ]);
});

test('refuses rules that are incomplete, of another type, or slow to match', async () => {
  await create('strict');
  const faults: [object, string][] = [
    [rule('a', { value: 'yes' }), 'rules.0.value: FlagValueInvalid'],
    [rule('a', { effect: 'SPLIT', variations: [{ value: true, share: 50 }] }), 'rules.0.variations: FlagRuleInvalid'],
    [
      rule('a', {
        effect: 'SPLIT',
        variations: [
          { value: true, share: 50 },
          { value: 1, share: 50 },
        ],
      }),
      'rules.0.variations.1.value: FlagValueInvalid',
    ],
    [rule('a', { effect: 'REQUIRE' }), 'rules.0.prerequisites: FlagRuleInvalid'],
    [rule('a', { startsAt: '2030-01-02T00:00:00Z', endsAt: '2030-01-01T00:00:00Z' }), 'rules.0.endsAt: FlagRuleInvalid'],
    [rule('a', { groups: [{ group: 'nobody' }] }), 'rules: FlagRuleGroupMissing'],
    [rule('a', { prerequisites: [{ flag: 'nothing' }] }), 'rules: FlagPrerequisiteInvalid'],
    [rule('a', { condition: { name: { $regex: '^(a+)+$' } } }), 'rules.0.condition: FlagConditionInvalid'],
    [rule('a', { condition: { name: { $regex: '^(a|a)*$' } } }), 'rules.0.condition: FlagConditionInvalid'],
    [rule('a', { condition: { name: { $where: '1' } } }), 'rules.0.condition: FlagConditionInvalid'],
  ];
  for (const [fault, expected] of faults)
    expect(await refused(flagSettingsUpdate, { flag: 'strict' }, { basedOn: 1, rules: [fault] }), expected).toEqual([400, expected]);
  await save('strict', { rules: [rule('a', { condition: { name: { $regex: '^[a-z]+@norrland\\.(com|se)$' } } })] });
});

test('limits the patterns of all flags of an app, in each environment, and the texts of a preview', async () => {
  const five = { $or: Array.from({ length: 5 }, (_, at) => ({ name: { $regex: `^${at}` } })) };
  await create('many');
  await create('one-more');
  await save('many', { rules: Array.from({ length: 19 }, (_, at) => rule(`r${at}`, { condition: five })) });
  expect(await refused(flagSettingsUpdate, { flag: 'one-more' }, { basedOn: 1, rules: [rule('a', { condition: five })] })).toEqual([
    409,
    'rules: FlagLimitReached',
  ]);
  await save('many', { rules: [] });
  await save('one-more', { rules: [rule('a', { condition: five })] });
  await save('one-more', { rules: [] });
  expect(await refused(flagPreview, { flag: 'many' }, { attributes: { name: 'a'.repeat(1001) } })).toEqual([
    400,
    'attributes: ExceedsMaximumLength',
  ]);
});

test('keeps prerequisites: no circle, no deletion and no archiving while another flag depends on it', async () => {
  for (const name of ['base', 'middle', 'top']) await create(name, { value: true });
  const needs = (flag: string) => ({ rules: [rule('needs', { effect: 'REQUIRE', prerequisites: [{ flag }] })] });
  await save('middle', needs('base'));
  await save('top', needs('middle'));
  expect(await refused(flagSettingsUpdate, { flag: 'base' }, { basedOn: 1, ...needs('top') })).toEqual([
    400,
    'rules: FlagPrerequisiteCycle',
  ]);
  expect(await refused(flagSettingsUpdate, { flag: 'base' }, { basedOn: 1, ...needs('base') })).toEqual([
    400,
    'rules: FlagPrerequisiteCycle',
  ]);
  expect(await refused(flagDelete, { flag: 'base' })).toEqual([409, 'undefined: FlagIsPrerequisite']);
  expect(await refused(flagUpdate, { flag: 'base' }, { isArchived: true })).toEqual([409, 'isArchived: FlagIsPrerequisite']);
  await save('middle', { rules: [] });
  await call(flagUpdate, { flag: 'base' }, { isArchived: true });
  expect(await refused(flagSettingsUpdate, { flag: 'middle' }, { basedOn: 3, ...needs('base') })).toEqual([
    400,
    'rules: FlagPrerequisiteInvalid',
  ]);
  await call(flagDelete, { flag: 'base' });
  expect(await refused(flagView, { flag: 'base' })).toEqual([404, 'undefined: FlagDoesNotExist']);
});

test('limits how often prerequisites are evaluated, also for the flags that depend on the changed one', async () => {
  const needs = (flag: string) => ({ rules: [rule('needs', { prerequisites: Array.from({ length: 10 }, () => ({ flag })) })] });
  for (const level of [0, 1, 2, 3]) await create(`level-${level}`, { value: true });
  await save('level-3', needs('level-2'));
  await save('level-2', needs('level-1'));
  expect(await refused(flagSettingsUpdate, { flag: 'level-1' }, { basedOn: 1, ...needs('level-0') })).toEqual([
    409,
    'rules: FlagLimitReached',
  ]);
  await save('level-1', { rules: [rule('needs', { prerequisites: [{ flag: 'level-0' }] })] });
});

test('two changes at once never form a circle', async () => {
  for (const name of ['left', 'right']) await create(name, { value: true });
  const needs = (flag: string) => ({ basedOn: 1, rules: [rule('needs', { effect: 'REQUIRE', prerequisites: [{ flag }] })] });
  const both = await Promise.all([
    answer(flagSettingsUpdate, { flag: 'left' }, needs('right')),
    answer(flagSettingsUpdate, { flag: 'right' }, needs('left')),
  ]);
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 400]);
});

test('a saved group stays while a flag uses it', async () => {
  await call(flagGroupCreate, {}, { name: 'crew', values: ['mats', 'mats', 'olga'] });
  expect(await refused(flagGroupCreate, {}, { name: 'crew', values: [] })).toEqual([409, 'name: FlagGroupAlreadyExists']);
  await create('for-crew');
  await save('for-crew', { rules: [rule('crew', { groups: [{ group: 'crew' }] })] });
  expect(await call(flagGroupView, { group: 'crew' })).toMatchObject({ values: ['mats', 'olga'], flags: ['for-crew'] });
  expect(await refused(flagGroupDelete, { group: 'crew' })).toEqual([409, 'undefined: FlagGroupInUse']);
  await call(flagGroupUpdate, { group: 'crew' }, { values: ['olga'] });
  const seen = (id: string) => call<FlagPreview>(flagPreview, { flag: 'for-crew' }, { attributes: { id } });
  expect([(await seen('olga')).value, (await seen('mats')).value]).toEqual([true, false]);
  await save('for-crew', { rules: [] });
  await call(flagGroupDelete, { group: 'crew' });
  expect(await refused(flagGroupView, { group: 'crew' })).toEqual([404, 'undefined: FlagGroupDoesNotExist']);
});

test('the preview names the rule that decides, and why the others do not', async () => {
  await create('gate', { value: true });
  await create('reviewed');
  await save('reviewed', {
    rules: [
      rule('needs', { effect: 'REQUIRE', prerequisites: [{ flag: 'gate' }] }),
      rule('off', { enabled: false }),
      rule('later', { startsAt: '2999-01-01T00:00:00Z' }),
      rule('people', { people: ['ingrid'] }),
      rule('teams', { teams: ['cranes'] }),
      rule('share', { percentage: 25 }),
    ],
  });
  const seen = async (attributes: object) => {
    const { value, rule: decided, source, steps } = await call<FlagPreview>(flagPreview, { flag: 'reviewed' }, { attributes });
    return { value, decided, source, outcomes: steps.map(({ outcome }) => outcome), bucket: steps.at(-1)?.bucket ?? null };
  };
  const start = ['PASSED', 'DISABLED', 'NOT_SCHEDULED'];
  expect(await seen({ id: 'ingrid' })).toMatchObject({
    value: true,
    decided: 'people',
    outcomes: [...start, 'MATCHED', 'NOT_REACHED', 'NOT_REACHED'],
  });
  expect(await seen({ id: 'rahul', teams: ['berths', 'cranes'] })).toMatchObject({ value: true, decided: 'teams', source: 'RULE' });
  const values = new Set<unknown>();
  for (let at = 0; at < 40; at += 1) {
    const one = await seen({ id: `person-${at}` });
    values.add(one.value);
    expect(one.bucket).not.toBeNull();
    expect(one.value, JSON.stringify(one)).toBe((one.bucket ?? 0) < 25);
    expect(one.outcomes.at(-1)).toBe(one.value === true ? 'MATCHED' : 'BUCKET');
  }
  expect(values.size).toBe(2);
  await save('gate', { value: false });
  expect(await seen({ id: 'ingrid' })).toMatchObject({ value: null, decided: 'needs', source: 'PREREQUISITE' });
  await save('reviewed', { enabled: false });
  expect(await seen({ id: 'ingrid' })).toMatchObject({ value: null, source: 'OFF' });
});

test('lists stale and archived flags', async () => {
  await create('old-page');
  await create('old-busy');
  await save('old-busy', { rules: [rule('some', { percentage: 5 })] });
  await call(flagKeyCreate, {}, { name: 'asking' });
  const { pool } = app.database;
  await pool.query(`update flag set created_at = now() - interval '100 days' where name like 'old-%'`);
  await pool.query(
    `update flag_version set created_at = now() - interval '91 days' where flag_id in (select id from flag where name like 'old-%')`,
  );
  const listed = async (state: string) => {
    const { content } = await call<{ content: Flag[] }>(flagList, {}, undefined, { state, size: 100 });
    return content.map(({ name, stale }) => [name, stale]);
  };
  expect(await listed('STALE')).toEqual([
    ['old-busy', 'UNUSED'],
    ['old-page', 'SAME_FOR_ALL'],
  ]);
  await pool.query('update flag_key set requested_at = now()');
  expect(await listed('STALE')).toEqual([['old-page', 'SAME_FOR_ALL']]);
  await call(flagUpdate, { flag: 'old-page' }, { isArchived: true });
  expect(await listed('STALE')).toEqual([]);
  expect(await listed('ARCHIVED')).toEqual([['old-page', null]]);
});

test('rotates client keys with an overlap, and says what is wrong with one', async () => {
  const made = await call<FlagKey>(flagKeyCreate, {}, { name: 'web' });
  expect(await refused(flagKeyCreate, {}, { name: 'web' })).toEqual([409, 'name: FlagKeyAlreadyExists']);
  const fetched = async (key: string, path = 'features', init: RequestInit = {}) => {
    const reply = await fetch(`${app.url}/api/${path}/${key}`, init);
    const body: { errors?: { code: string }[] } = JSON.parse((await reply.text()) || '{}');
    for (const { code } of body.errors ?? []) noteReached(code);
    return [reply.status, body.errors?.[0]?.code];
  };
  expect(await fetched(made.clientKey)).toEqual([200, undefined]);
  const rotated = await call<FlagKey>(flagKeyRotate, { key: 'web' }, { overlapHours: 24 });
  expect(rotated.clientKey).not.toBe(made.clientKey);
  await expect.poll(() => fetched(rotated.clientKey)).toEqual([200, undefined]);
  expect(await fetched(made.clientKey)).toEqual([200, undefined]);
  await call(flagKeyRotate, { key: 'web' }, { overlapHours: 0 });
  await expect.poll(() => fetched(rotated.clientKey)).toEqual([404, 'ClientKeyUnknown']);
  expect(await fetched(made.clientKey)).toEqual([404, 'ClientKeyUnknown']);
  expect(await fetched('sdk-nothing')).toEqual([404, 'ClientKeyUnknown']);
  const { clientKey } = await call<FlagKey>(flagKeyUpdate, { key: 'web' }, { mode: 'REMOTE' });
  await expect.poll(() => fetched(clientKey)).toEqual([400, 'ClientKeyIsRemote']);
  expect(await fetched(clientKey, 'eval', { method: 'POST', body: '{"attributes":[]}' })).toEqual([400, 'BodyInvalid']);
  expect(await fetched(clientKey, 'eval', { method: 'POST', body: ' '.repeat(20_000) })).toEqual([413, 'PayloadTooLarge']);
  expect(await fetched(clientKey, 'eval', { method: 'GET' })).toEqual([405, 'MethodNotAllowed']);
  await call(flagKeyDelete, { key: 'web' });
  await expect.poll(() => fetched(clientKey)).toEqual([404, 'ClientKeyUnknown']);
  expect(await refused(flagKeyView, { key: 'web' })).toEqual([404, 'undefined: FlagKeyDoesNotExist']);
  for (let at = 0; at < 19; at += 1) await call(flagKeyCreate, {}, { name: `key-${at}` });
  expect(await refused(flagKeyCreate, {}, { name: 'more' })).toEqual([409, 'undefined: FlagLimitReached']);
});
