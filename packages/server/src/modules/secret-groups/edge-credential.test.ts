/** User name and password of a service: made once, sealed, hashed for the edge, and made anew. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  secretGroupDelete,
  secretGroupView,
  secretReveal,
  secretVersionCreate,
  type SecretGroup,
} from '@slipway/contract/secret/secret-group.ts';
import { hashPassword, isPassword, RANDOM } from '#kernel/auth/password.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import { seedApp, seedRevision, seedSecretGroup, seedService } from '#testing/fixtures.ts';
import { dropEdgeCredential, ensureEdgeCredential, rotateEdgeCredential } from './edge-credential.ts';
import type { Viewer } from './groups.sql.ts';
import type { SecretDeps } from './secret-groups.ts';
import { createVault } from './vault.ts';

const key = { app: 'berth', environment: 'development', service: 'berth' } as const;
const params = { app: 'berth', env: 'development', group: 'berth-basic-auth' };
let app: TestApp;
let deps: SecretDeps;
beforeAll(async () => {
  app = await testApp({ isWorker: false });
  deps = { db: app.database.db, vault: createVault(app.database.pool, app.adapters.keys) };
  await seedApp(deps.db, { id: 'berth' });
});
afterAll(() => app?.close());
beforeEach(async () => {
  await deps.db.deleteFrom('service').execute();
  await deps.db.deleteFrom('secret_group').execute();
  await seedService(deps.db, { app: 'berth' });
});

const by = {
  caller: { id: 'mats', displayName: 'Mats Member', origin: 'console' },
  app: { id: 'berth', teamId: 'cranes', teamName: 'Team cranes' },
} as unknown as Viewer;
const credentials = () => deps.db.selectFrom('edge_credential').selectAll().execute();
const view = async () => (await app.call('member', secretGroupView, { params })).body as SecretGroup;
const reveal = async (name: string, version: number) => {
  const answer = await app.call('member', secretReveal, { params, body: { key: name, version, reason: 'To compare the hash' } });
  return (answer.body as { value: string }).value;
};

test('group, version and hash are made together, once, also by two at once', async () => {
  await Promise.all([ensureEdgeCredential(deps, key), ensureEdgeCredential(deps, key)]);
  const [made, ...others] = await credentials();
  expect(others).toEqual([]);
  expect(made).toMatchObject({ version: 1, username: 'berth' });
  expect(await view()).toMatchObject({ kind: 'PLATFORM', version: 1, versionCount: 1, autoAttach: false, services: [] });
  const password = await reveal('password', 1);
  expect(await reveal('username', 1)).toBe('berth');
  expect(await isPassword(password, made?.password_hash ?? '')).toBe(true);
  await ensureEdgeCredential(deps, key);
  expect(await credentials()).toEqual([made]);
  const reported = await deps.db.selectFrom('activity').selectAll().where('type', '=', 'secretGroupCreate').execute();
  expect(reported).toMatchObject([{ actor_id: 'platform', service: 'berth', team_id: 'cranes' }]);
  expect(JSON.stringify(reported)).not.toContain(password);
});

test('members can neither change nor delete the group; they rotate it', async () => {
  await ensureEdgeCredential(deps, key);
  const [before] = await credentials();
  const body = { basedOn: 1, entries: [{ key: 'password', value: 'mine' }] };
  expect(errorsOf(await app.call('member', secretVersionCreate, { params, body }))).toContain('undefined: ManageInternalSecretGroups');
  expect(errorsOf(await app.call('owner', secretGroupDelete, { params }))).toContain('undefined: ManageInternalSecretGroups');
  expect(await rotateEdgeCredential(deps, by, key)).toEqual({ secretGroup: 'berth-basic-auth', version: 2 });
  const [after] = await credentials();
  expect(after).toMatchObject({ version: 2 });
  expect(after?.password_hash).not.toBe(before?.password_hash);
  expect(await isPassword(await reveal('password', 2), after?.password_hash ?? '')).toBe(true);
  expect(await isPassword(await reveal('password', 1), after?.password_hash ?? '')).toBe(false);
});

test('rotations at once take turns', async () => {
  const made = await Promise.all([rotateEdgeCredential(deps, by, key), rotateEdgeCredential(deps, by, key)]);
  expect(made.map(({ version }) => version).toSorted()).toEqual([2, 3]);
  expect(await credentials()).toMatchObject([{ version: 3 }]);
});

test('a row that is missing or behind its group is made from the group', async () => {
  await ensureEdgeCredential(deps, key);
  const [made] = await credentials();
  await deps.db.deleteFrom('edge_credential').execute();
  await ensureEdgeCredential(deps, key);
  const [again] = await credentials();
  expect(again).toMatchObject({ group_id: made?.group_id, version: 1 });
  expect(await isPassword(await reveal('password', 1), again?.password_hash ?? '')).toBe(true);
  await deps.db
    .updateTable('edge_credential')
    .set({ version: 0, password_hash: await hashPassword('stale', RANDOM) })
    .execute();
  await ensureEdgeCredential(deps, key);
  expect(await isPassword(await reveal('password', 1), (await credentials())[0]?.password_hash ?? '')).toBe(true);
});

test("somebody's own group of the name is left alone", async () => {
  await seedSecretGroup(deps.db, { app: 'berth', name: 'berth-basic-auth' });
  await expect(ensureEdgeCredential(deps, key)).rejects.toMatchObject({ code: 'SecretGroupAlreadyExists' });
  await expect(rotateEdgeCredential(deps, by, key)).rejects.toMatchObject({ code: 'SecretGroupAlreadyExists' });
  await dropEdgeCredential(deps.db, key);
  expect(await view()).toMatchObject({ kind: 'USER', version: 1 });
  await expect(ensureEdgeCredential(deps, { ...key, service: 'gone' })).rejects.toMatchObject({ code: 'ServiceDoesNotExist' });
});

test('with the service goes its group, unless another service reads it', async () => {
  await ensureEdgeCredential(deps, key);
  const client = await seedService(deps.db, { app: 'berth', name: 'berth-client' });
  const [{ group_id: groupId } = { group_id: '' }] = await credentials();
  await deps.db.insertInto('service_secret_group').values({ service_id: client, group_id: groupId }).execute();
  await dropEdgeCredential(deps.db, key);
  expect(await view()).toMatchObject({ version: 1 });
  await deps.db.deleteFrom('service_secret_group').execute();
  await seedRevision(deps.db, { serviceId: client, service: 'berth-client', number: 1 });
  await deps.db.updateTable('revision').set({ secret_versions: '{"berth-basic-auth": 1}' }).execute();
  await dropEdgeCredential(deps.db, key);
  expect(await view()).toMatchObject({ version: 1 });
  await deps.db.deleteFrom('revision').execute();
  await dropEdgeCredential(deps.db, key);
  expect((await app.call('member', secretGroupView, { params })).status).toBe(404);
  expect(await credentials()).toEqual([]);
});
