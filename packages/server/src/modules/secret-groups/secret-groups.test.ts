/** Secret groups over HTTP: versions, rules, comparisons, copies, revealing, and what must never be answered or kept. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { appActivityList, type Activity } from '@slipway/contract/activity.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { revisionView, type Revision } from '@slipway/contract/service/revision.ts';
import {
  secretEnvironmentCompare,
  secretGroupCopy,
  secretGroupCreate,
  secretGroupDelete,
  secretGroupList,
  secretGroupUpdate,
  secretGroupView,
  secretKeyExpiry,
  secretReveal,
  secretVersionCompare,
  secretVersionCreate,
  secretVersionDelete,
  secretVersionList,
  secretVersionRestore,
  serviceSecretGroupAttach,
  serviceSecretGroupDetach,
  serviceSecretGroupList,
  type SecretGroup,
  type SecretVersion,
  type ServiceSecretGroup,
} from '@slipway/contract/secret/secret-group.ts';
import { syncAdminToken } from '#kernel/auth/api-token.ts';
import { errorsOf, testApp, type Request, type TestApp } from '#testing/app.ts';
import type { Actor } from '#testing/actors.ts';
import { seedApp, seedRevision, seedService } from '#testing/fixtures.ts';

let app: TestApp;
let serviceId: string;
let name = '';
let count = 0;
const automation = 'automation-token-of-the-environment-123456';

beforeAll(async () => {
  app = await testApp({ isWorker: false });
  await seedApp(app.database.db, { id: 'berth' });
  serviceId = await seedService(app.database.db, { app: 'berth', serving: ['berth-1'] });
  await seedRevision(app.database.db, { serviceId, service: 'berth', number: 1 });
  await syncAdminToken(app.database.pool, automation);
});
afterAll(() => app?.close());
beforeEach(() => {
  name = `group-${(count += 1)}`;
});

const development = { app: 'berth', env: 'development' };
const call = (route: RouteShape, request: Request = {}, actor: Actor = 'member') =>
  app.call(actor, route, { ...request, params: { ...development, group: name, service: 'berth', ...request.params } });
const entriesOf = (values: Record<string, string>) => Object.entries(values).map(([key, value]) => ({ key, value }));
const create = (values: Record<string, string>, more: object = {}, request: Request = {}) =>
  call(secretGroupCreate, { ...request, body: { name, entries: entriesOf(values), ...more } });
const change = (basedOn: number, values: Record<string, string>, more: object = {}) =>
  call(secretVersionCreate, { body: { basedOn, entries: entriesOf(values), ...more } });
const view = async (request: Request = {}) => (await call(secretGroupView, request)).body as SecretGroup;
const versions = async () => ((await call(secretVersionList)).body as Page<SecretVersion>).content;
const reason = 'Looking into incident 4711';
const reveal = (key: string, version: number, request: Request = {}, actor: Actor = 'member') =>
  call(secretReveal, { body: { key, version, reason }, ...request }, actor);
const valueOf = async (key: string, version: number) => ((await reveal(key, version)).body as { value: string }).value;

describe('a new group', () => {
  test('shows its keys and no value', async () => {
    const { status, body } = await create({ PASSWORD: 'hunter2', USER: 'berth' });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name,
      kind: 'USER',
      autoAttach: false,
      version: 1,
      versionCount: 1,
      keys: [
        { key: 'PASSWORD', sizeBytes: 7, expiresAt: null, expiry: 'NONE', isUnused: true },
        { key: 'USER', sizeBytes: 5 },
      ],
      services: [],
      createdBy: { id: 'mats' },
      can: { update: true, versionCreate: true, delete: true, copy: true, reveal: true, restart: 'NothingToRestart' },
    });
    expect(JSON.stringify([body, await versions(), (await call(secretGroupList)).body])).not.toContain('hunter2');
    expect(((await call(secretGroupList, { query: { query: name } })).body as Page<SecretGroup>).content).toHaveLength(1);
  });

  test('needs a name of its own', async () => {
    await create({ A: '1' });
    expect(errorsOf(await create({ A: '1' }))).toEqual([409, 'name: SecretGroupAlreadyExists']);
    expect((await create({ A: '1' }, {}, { params: { env: 'production' } })).status).toBe(201);
  });

  test.each<[string, object, (string | number)[]]>([
    ['a name that is none', { name: 'No Name' }, [400, 'name: KebabCase']],
    ['a short name', { name: 'ab' }, [400, 'name: MinimumLength']],
    ['a reserved name', { name: 'settings' }, [400, 'name: InvalidName']],
    ['no keys', { entries: [] }, [400, 'entries: Required']],
    ['a wrong key', { entries: [{ key: '1A', value: 'x' }] }, [400, 'entries.0.key: InvalidSecretKey']],
    ['a key twice', { entries: entriesOf({ A: 'x' }).concat(entriesOf({ A: 'y' })) }, [400, 'entries: DuplicateSecretKey']],
    ['a large value', { entries: entriesOf({ A: 'ü'.repeat(32_769) }) }, [400, 'entries.0.value: SecretValueTooLarge']],
    ['a NUL', { entries: entriesOf({ A: 'a\0b' }) }, [400, 'entries.0.value: InvalidValue']],
    ['half a character', { entries: entriesOf({ A: '\ud800' }) }, [400, 'entries.0.value: InvalidValue']],
    ['a kind of its own', { kind: 'PLATFORM' }, [403, 'kind: ManageInternalSecretGroups']],
  ])('with %s is refused', async (_name, body, expected) => {
    expect(errorsOf(await create({ A: '1' }, body))).toEqual(expected);
  });

  test('may have a mebibyte, and not more', async () => {
    const large = Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`KEY_${at}`, '\u0001'.repeat(65_536)]));
    expect((await create(large)).status).toBe(201);
    expect(await valueOf('KEY_15', 1)).toBe('\u0001'.repeat(65_536));
    name = `${name}-more`;
    expect(errorsOf(await create({ ...large, MORE: 'x' }))).toEqual([400, 'entries: SecretVersionTooLarge']);
    name = name.replace('-more', '');
    expect(errorsOf(await change(1, { MORE: 'x' }))).toEqual([400, 'entries: SecretVersionTooLarge']);
  });
});

describe('a version', () => {
  test('carries over what was not named', async () => {
    await create({ A: 'one', B: 'two', C: 'three' });
    const { status, body } = await change(1, { B: 'other', D: 'four' }, { remove: ['C'] });
    expect([status, (body as SecretGroup).version]).toEqual([201, 2]);
    expect((await view()).keys.map(({ key }) => key)).toEqual(['A', 'B', 'D']);
    expect([await valueOf('A', 2), await valueOf('B', 2), await valueOf('B', 1), await valueOf('C', 1)]).toEqual([
      'one',
      'other',
      'two',
      'three',
    ]);
  });

  test('can replace everything', async () => {
    await create({ A: 'one', B: 'two' });
    await change(1, { C: 'three' }, { isReplacement: true });
    expect((await view()).keys.map(({ key }) => key)).toEqual(['C']);
    expect(errorsOf(await change(2, {}, { remove: ['C'] }))).toEqual([400, 'entries: Required']);
  });

  test('is made once, of what its maker saw', async () => {
    await create({ A: 'one' });
    const answers = await Promise.all([change(1, { A: 'two' }), change(1, { A: 'three' }), change(1, { A: 'four' })]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
    expect(errorsOf(await change(1, { A: 'five' }))).toEqual([409, 'undefined: SecretVersionConflict']);
    expect((await view()).versionCount).toBe(2);
  });

  test('is restored as a new one', async () => {
    await create({ A: 'one' });
    await change(1, { A: 'two', B: 'b' });
    expect((await call(secretVersionRestore, { params: { version: '1' } })).body).toMatchObject({ version: 3 });
    expect((await versions())[0]).toMatchObject({ version: 3, isCurrent: true, origin: 'RESTORED', from: '1', keys: ['A'] });
    expect(await valueOf('A', 3)).toBe('one');
  });

  test('is deleted unless it is the last, and its number is not given again', async () => {
    await create({ A: 'one' });
    const remove = (version: string) => call(secretVersionDelete, { params: { version } });
    expect(errorsOf(await remove('1'))).toEqual([409, 'undefined: LastSecretVersion']);
    await change(1, { A: 'two' });
    expect((await remove('2')).status).toBe(204);
    expect((await view()).version).toBe(1);
    expect((await change(1, { A: 'three' })).body).toMatchObject({ version: 3 });
    for (const version of ['2', '0', 'x', '99999999999']) expect((await remove(version)).status).toBe(404);
  });

  test('is compared by key, without values', async () => {
    await create({ A: 'same', B: 'old', C: 'gone' });
    await change(1, { B: 'new', D: 'more' }, { remove: ['C'] });
    const { body } = await call(secretVersionCompare, { query: { with: 1 } });
    expect(body).toEqual({
      version: 2,
      with: 1,
      keys: [
        { key: 'A', change: 'SAME' },
        { key: 'B', change: 'CHANGED' },
        { key: 'C', change: 'REMOVED' },
        { key: 'D', change: 'ADDED' },
      ],
    });
    expect((await call(secretVersionCompare, { query: { with: 7 } })).status).toBe(404);
    expect((await call(secretVersionCompare, { query: { with: 2_147_483_648 } })).status).toBe(400);
  });
});

test('development and production are compared by keyed hash', async () => {
  await create({ SAME: 'x', OTHER: 'a', DEV: 'd' });
  await create({ SAME: 'x', OTHER: 'b', PROD: 'p' }, {}, { params: { env: 'production' } });
  const { body } = await call(secretEnvironmentCompare);
  expect((body as { groups: { name: string }[] }).groups.find((group) => group.name === name)).toEqual({
    name,
    development: 1,
    production: 1,
    keys: [
      { key: 'DEV', state: 'ONLY_DEVELOPMENT' },
      { key: 'OTHER', state: 'DIFFERENT' },
      { key: 'PROD', state: 'ONLY_PRODUCTION' },
      { key: 'SAME', state: 'SAME' },
    ],
  });
});

test('a copy is sealed anew for where it goes', async () => {
  await create({ A: 'one' });
  await change(1, { A: 'two' });
  const copy = await call(secretGroupCopy, { body: { environment: 'production', name: `${name}-copy` } });
  expect(copy).toMatchObject({ status: 201, body: { environment: 'production', version: 1 } });
  const there = { params: { env: 'production', group: `${name}-copy` } };
  expect((await reveal('A', 1, there)).body).toMatchObject({ value: 'two' });
  const [version] = ((await call(secretVersionList, there)).body as Page<SecretVersion>).content;
  expect(version).toMatchObject({ origin: 'COPIED', from: `development/${name}@2` });
  expect(errorsOf(await call(secretGroupCopy, { body: { environment: 'production', name: `${name}-copy` } }))[0]).toBe(409);
});

describe('a value', () => {
  test('is read with a reason, which the activity log tells', async () => {
    await create({ PASSWORD: 'hunter2' });
    expect((await reveal('PASSWORD', 1)).body).toEqual({ key: 'PASSWORD', version: 1, value: 'hunter2' });
    const { content } = (await call(appActivityList)).body as Page<Activity>;
    const entry = content.find(({ type }) => type === 'secretReveal');
    expect(entry).toMatchObject({ actor: { id: 'mats' }, after: { group: name, key: 'PASSWORD', version: 1, reason } });
    expect(JSON.stringify(content)).not.toContain('hunter2');
  });

  test.each([
    [{ reason: 'too short' }, [400, 'reason: MinimumLength']],
    [{ reason: '              ' }, [400, 'reason: Required']],
    [{ key: 'NONE' }, [404, 'undefined: SecretKeyDoesNotExist']],
    [{ version: 2 }, [404, 'undefined: SecretVersionDoesNotExist']],
  ])('is not read with %o', async (body, expected) => {
    await create({ A: 'one' });
    expect(errorsOf(await call(secretReveal, { body: { key: 'A', version: 1, reason, ...body } }))).toEqual(expected);
  });

  test('is for members: not for administrators, the automation or strangers', async () => {
    await create({ A: 'one' });
    expect(errorsOf(await reveal('A', 1, {}, 'administrator'))).toEqual([403, 'undefined: NotAMember']);
    expect((await reveal('A', 1, {}, 'stranger')).status).toBe(404);
    const answer = await app.call(undefined, secretReveal, {
      params: { ...development, group: name },
      body: { key: 'A', version: 1, reason },
      token: automation,
    });
    expect(errorsOf(answer)).toEqual([403, 'undefined: AutomationCannotReveal']);
    const seen = await app.call(undefined, secretGroupView, { params: { ...development, group: name }, token: automation });
    expect((seen.body as SecretGroup).can).toMatchObject({ reveal: 'AutomationCannotReveal', versionCreate: true });
  });
});

test('a platform group is read-only but for the automation', async () => {
  const as = (route: RouteShape, request: Request = {}) =>
    app.call(undefined, route, { ...request, params: { ...development, group: name, ...request.params }, token: automation });
  expect((await as(secretGroupCreate, { body: { name, kind: 'PLATFORM', entries: entriesOf({ A: 'one' }) } })).status).toBe(201);
  const refused = 'ManageInternalSecretGroups';
  expect((await view()).can).toMatchObject({ update: refused, versionCreate: refused, delete: refused, copy: true, reveal: true });
  expect((await versions())[0]?.can).toEqual({ delete: refused, restore: refused });
  const tried = [
    await change(1, { A: 'two' }),
    await call(secretGroupDelete),
    await call(secretVersionDelete, { params: { version: '1' } }),
    await call(secretVersionRestore, { params: { version: '1' } }),
    await call(secretGroupUpdate, { body: { autoAttach: true } }),
    await call(secretKeyExpiry, { params: { key: 'A' }, body: { expiresAt: null } }),
  ];
  expect(tried.map(errorsOf)).toEqual(tried.map(() => [403, `undefined: ${refused}`]));
  expect((await as(secretVersionCreate, { body: { basedOn: 1, entries: entriesOf({ A: 'two' }) } })).status).toBe(201);
  expect((await as(secretGroupDelete)).status).toBe(204);
});

describe('a key that ends', () => {
  const setEnd = (key: string, expiresAt: string | null) => call(secretKeyExpiry, { params: { key }, body: { expiresAt } });
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

  test('reminds in time, and no longer once it has a new value', async () => {
    await create({ A: 'one', B: 'two' });
    const states = [];
    for (const days of [-1, 0, 13, 16]) states.push(((await setEnd('A', day(days))).body as SecretGroup).keys[0]?.expiry);
    expect(states).toEqual(['EXPIRED', 'SOON', 'SOON', 'LATER']);
    await change(1, { B: 'three' });
    expect((await view()).keys[0]?.expiresAt).toBe(day(16));
    await change(2, { A: 'four' });
    expect((await view()).keys[0]).toMatchObject({ expiresAt: null, expiry: 'NONE' });
  });

  test('needs a day and a key that there are', async () => {
    await create({ A: 'one' });
    expect(errorsOf(await setEnd('A', '2027-02-30'))).toEqual([400, 'expiresAt: InvalidValue']);
    expect(errorsOf(await setEnd('A', 'soon'))).toEqual([400, 'expiresAt: DoesNotMatchPattern']);
    expect(errorsOf(await setEnd('B', day(1)))).toEqual([404, 'undefined: SecretKeyDoesNotExist']);
  });
});

describe('attached to a service', () => {
  const attach = (body: object = {}) => call(serviceSecretGroupAttach, { body });
  const detach = () => call(serviceSecretGroupDetach);
  const attached = async () => ((await call(serviceSecretGroupList)).body as ServiceSecretGroup[]).find(({ group }) => group === name);
  const setTemplate = (template: object) =>
    app.database.pool.query(`update service set spec = jsonb_set(spec, '{template}', spec -> 'template' || $2) where id = $1`, [
      serviceId,
      JSON.stringify(template),
    ]);

  test('it is used, and cannot be deleted', async () => {
    await create({ A: 'one', 'tls.key': 'two' });
    expect((await attach()).body).toEqual({
      group: name,
      kind: 'USER',
      isAutoAttached: false,
      exposeAsEnvironment: true,
      keys: ['A', 'tls.key'],
      version: 1,
      runsVersion: null,
      needsRestart: true,
      can: { update: true, detach: true },
    });
    const group = await view();
    expect(group.services).toEqual([
      { service: 'berth', exposeAsEnvironment: true, isAutoAttached: false, runsVersion: null, needsRestart: true },
    ]);
    // A name with a dot is no variable.
    expect(group.keys.map(({ isUnused }) => isUnused)).toEqual([false, true]);
    expect(group.can).toMatchObject({ delete: 'SecretIsReferencedInAtLeastOneStack', restart: true });
    expect(errorsOf(await call(secretGroupDelete))).toEqual([409, 'undefined: SecretIsReferencedInAtLeastOneStack']);
    await attach({ exposeAsEnvironment: false });
    expect((await view()).keys.map(({ isUnused }) => isUnused)).toEqual([true, true]);
    expect((await detach()).status).toBe(204);
    expect((await call(secretGroupDelete)).status).toBe(204);
    expect((await call(secretGroupView)).status).toBe(404);
  });

  test('by itself it cannot be removed', async () => {
    await create({ A: 'one' }, { autoAttach: true });
    expect(await attached()).toMatchObject({ isAutoAttached: true, can: { detach: 'CannotRemoveAutoAttachSecretGroups' } });
    expect(errorsOf(await detach())).toEqual([409, 'undefined: CannotRemoveAutoAttachSecretGroups']);
    expect((await call(secretGroupUpdate, { body: { autoAttach: false } })).body).toMatchObject({ autoAttach: false, services: [] });
    expect(errorsOf(await detach())).toEqual([404, 'undefined: SecretGroupNotAttached']);
  });

  test('it stays while the settings name it', async () => {
    await create({ A: 'one' });
    await attach({ exposeAsEnvironment: false });
    await setTemplate({ envVars: [{ name: 'X', source: 'SECRET_KEY', secretGroup: name, secretKey: 'A' }] });
    expect((await view()).keys[0]?.isUnused).toBe(false);
    expect(errorsOf(await detach())).toEqual([400, 'undefined: SecretKeyNotReferenced']);
    const mount = { mountPath: '/run/x', secretGroup: name, includeAllKeys: true, fileFormat: 'env', secretKey: null };
    await setTemplate({ envVars: [], secretFileMounts: [mount] });
    expect(errorsOf(await detach())).toEqual([400, 'undefined: SecretVolumeNotReferenced']);
    await setTemplate({ secretFileMounts: [] });
    expect((await detach()).status).toBe(204);
  });

  test('a version that a revision reads stays, until the revision is deleted', async () => {
    await create({ A: 'one' });
    await change(1, { A: 'two' });
    await app.database.pool.query(`update revision set secret_versions = jsonb_build_object($1::text, 1)`, [name]);
    expect((await versions()).map(({ revisions, can }) => [revisions, can['delete']])).toEqual([
      [[], true],
      [['berth-1'], 'SecretIsReferencedInAtLeastOneStack'],
    ]);
    const remove = () => call(secretVersionDelete, { params: { version: '1' } });
    expect(errorsOf(await remove())).toEqual([409, 'undefined: SecretIsReferencedInAtLeastOneStack']);
    expect(errorsOf(await call(secretGroupDelete))[0]).toBe(409);
    const seen = async (actor: Actor) =>
      ((await call(revisionView, { params: { revision: 'berth-1' } }, actor)).body as Revision).secretVersions;
    expect([await seen('member'), await seen('stranger')]).toEqual([{ [name]: 1 }, {}]);
    await app.database.pool.query(`update revision set secret_versions = '{}'`);
    expect((await remove()).status).toBe(204);
  });

  test('it must be there, and so must the service', async () => {
    expect(errorsOf(await attach())).toEqual([404, 'undefined: SecretGroupDoesNotExist']);
    await create({ A: 'one' });
    expect(errorsOf(await call(serviceSecretGroupAttach, { params: { service: 'nobody' }, body: {} }))).toEqual([
      404,
      'undefined: ServiceDoesNotExist',
    ]);
  });
});

test('an Idempotency-Key keeps nothing of a request with values, not even a hash', async () => {
  const body = { name, entries: entriesOf({ A: 'hunter2' }) };
  const headers = { 'idempotency-key': name };
  expect((await call(secretGroupCreate, { body, headers })).status).toBe(201);
  expect((await call(secretGroupCreate, { body, headers })).status).toBe(409);
  const { rows } = await app.database.pool.query(`select 1 from idempotency where route like 'secret%'`);
  expect(rows).toEqual([]);
});

describe('what was tampered with', () => {
  const sql = (text: string, ...values: unknown[]) => app.database.pool.query(text, values);
  const mine = `(select id from secret_group where name = $1 and environment = 'development')`;
  const tampers: Record<string, () => Promise<unknown>> = {
    'two ciphertexts exchanged': () =>
      sql(
        `update secret_value value set sealed = other.sealed from secret_value other
          where value.group_id = ${mine} and other.group_id = value.group_id and other.version = value.version and other.key <> value.key`,
        name,
      ),
    'a ciphertext of another version': () =>
      sql(
        `update secret_value value set sealed = other.sealed from secret_value other
          where value.group_id = ${mine} and other.group_id = value.group_id and value.version = 2 and other.version = 1 and other.key = value.key`,
        name,
      ),
    'a truncated value': () =>
      sql(`update secret_value set sealed = substring(sealed for length(sealed) - 1) where group_id = ${mine}`, name),
    'an emptied value': () => sql(`update secret_value set sealed = '' where group_id = ${mine}`, name),
    'a value taken out': () => sql(`delete from secret_value where group_id = ${mine} and key = 'B'`, name),
    'a key renamed': () => sql(`update secret_value set key = 'C' where group_id = ${mine} and key = 'B'`, name),
    'a row moved to another environment': () => sql(`update secret_group set environment = 'production' where id = ${mine}`, name),
    'a wrapped key of another version': () =>
      sql(
        `update secret_version version set wrapped = other.wrapped, seal = other.seal from secret_version other
          where version.group_id = ${mine} and other.group_id = version.group_id and other.version <> version.version`,
        name,
      ),
    'a key that is not known': () => sql(`update secret_version set kid = 'file-9-000000000000' where group_id = ${mine}`, name),
  };

  test.each(Object.keys(tampers))('%s: refused, and never a wrong value', async (kind) => {
    await create({ A: 'one', B: 'two' });
    await change(1, { A: 'three', B: 'four' });
    await tampers[kind]?.();
    const request = kind.includes('environment') ? { params: { env: 'production' } } : {};
    for (const answer of [
      await reveal('A', 2, request),
      await call(secretVersionRestore, { params: { version: '2', ...request.params } }),
      await call(secretGroupCopy, { ...request, body: { environment: 'development', name: `${name}-copy` } }),
      await call(secretVersionCreate, { ...request, body: { basedOn: 2, entries: entriesOf({ D: 'x' }) } }),
    ])
      expect(errorsOf(answer)).toEqual([500, 'undefined: SecretUnreadable']);
    // Setting everything anew needs nothing of the old.
    const anew = await call(secretVersionCreate, {
      ...request,
      body: { basedOn: 2, entries: entriesOf({ A: 'new' }), isReplacement: true },
    });
    expect(anew.status).toBe(201);
    expect((await reveal('A', 3, request)).body).toMatchObject({ value: 'new' });
  });
});
