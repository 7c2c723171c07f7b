/** The permission table against the running server, and the facts that make the table whole. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes } from '@slipway/contract/routes.ts';
import { testApp, type TestApp } from './app.ts';
import { seedApp, seedCatalogApplication, seedPipeline, seedRevision, seedSecretGroup, seedService } from './fixtures.ts';
import { permissions, roles, type Role } from './permissions.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ isWorker: false });
  const { db } = app.database;
  await seedApp(db, { id: 'berth' });
  const serviceId = await seedService(db, { app: 'berth', serving: ['berth-1'] });
  await seedRevision(db, { serviceId, service: 'berth', number: 1 });
  await seedSecretGroup(db, { app: 'berth', name: 'database', services: [serviceId] });
  await seedCatalogApplication(db, { id: 'MAC-1' });
  await seedCatalogApplication(db, { id: 'MAC-2', status: 'DECOMMISSIONED' });
  await db.insertInto('catalog_label').values({ id: 'LBL-1', name: 'core', description: '', created_by: 'ada' }).execute();
  // Under way, so that nobody starts one; without a worker nobody ends it either.
  await db.insertInto('key_rotation').values({ id: 'rot', kid: 'k', total: 1, started_by: 'ada', started_by_name: 'Ada' }).execute();
  await seedPipeline(db, { id: 'pl-done', type: 'Deploy', subject: 'service:berth/development/berth', app: 'berth', state: 'COMPLETED' });
});
afterAll(() => app?.close());

const ask = async (role: Role, id: string): Promise<number> => {
  const route = routes.find((one) => one.id === id);
  const request = permissions[id]?.request ?? {};
  if (!route) throw new Error(`The contract has no route ${id}`);
  if (role === 'anonymous') return (await app.call(undefined, route, request)).status;
  if (role !== 'expired') return (await app.call(role, route, request)).status;
  const token = await app.signIn.token('owner', { expiresAt: '1 minute ago' });
  return (await app.call(undefined, route, { ...request, token })).status;
};

test('every route has a row, and every row a route', () => {
  expect(Object.keys(permissions).toSorted()).toEqual(routes.map(({ id }) => id).toSorted());
});

describe.each(Object.keys(permissions))('%s', (id) => {
  test('lets in whom it should', async () => {
    const answers = await Promise.all(roles.map(async (role) => [role, await ask(role, id)] as const));
    const expected = roles.map((role, index) => [role, permissions[id]?.statuses[index]]);
    expect(answers).toEqual(expected);
  });
});

test('a row that is refused refuses with the access that the route declares', () => {
  const anonymous = roles.indexOf('anonymous');
  const open = routes.filter(({ id }) => permissions[id]?.statuses[anonymous] !== 401).map(({ id }) => id);
  expect(open).toEqual(routes.filter(({ access }) => access === 'public').map(({ id }) => id));
});

test('every route of the contract has a handler', () => {
  const missing = routes.filter(({ method, path }) => !app.app.server.hasRoute({ method, url: path.replace(/\{(\w+)\}/g, ':$1') }));
  expect(missing.map(({ id }) => id)).toEqual([]);
});

test('every route that a file of the contract declares is in its list', async () => {
  const contract = join(import.meta.dirname, '../../../contract/src');
  const files = globSync('**/*.ts', { cwd: contract, exclude: ['**/*.test.ts'] });
  const modules = await Promise.all(files.map(async (file): Promise<object> => import(join(contract, file))));
  const isRoute = (value: unknown): value is { id: string } =>
    typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'id' in value;
  const declared = new Set(modules.flatMap((module) => Object.values<unknown>({ ...module }).filter(isRoute)).map(({ id }) => id));
  const listed = new Set(routes.map(({ id }) => id));
  expect([...declared].filter((id) => !listed.has(id))).toEqual([]);
});

test('no two routes share an id, or a method and path', () => {
  const doors = routes.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`);
  expect(doors).toHaveLength(new Set(doors).size);
  expect(routes).toHaveLength(new Set(routes.map(({ id }) => id)).size);
});
