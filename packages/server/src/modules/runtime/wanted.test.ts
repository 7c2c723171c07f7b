/** What the edge is told to route, from the rows alone. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newServiceSpec, type ServiceSpec } from '@slipway/contract/service-spec.ts';
import { seedPeople } from '#testing/actors.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { wantedRoutes } from './wanted.sql.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await seedPeople(database.db);
  await database.db.insertInto('app').values({ id: 'yard', display_name: 'Yard', team_id: 'cranes', created_by: 'olga' }).execute();
}, 60_000);
afterAll(() => database.drop());

const routeFor = async (change: Partial<ServiceSpec>, active = true) => {
  await database.db.deleteFrom('service').execute();
  await database.db
    .insertInto('service')
    .values({
      id: 'svc_1',
      app_id: 'yard',
      environment: 'development',
      name: 'yard',
      active,
      spec: JSON.stringify({ ...newServiceSpec('localhost/yard/yard'), ...change }),
      serving: ['yard-1'],
      created_by: 'olga',
    })
    .execute();
  return (await wantedRoutes(database.db))[0]?.route;
};

test('a serving revision is routed', async () => {
  expect(await routeFor({})).toMatchObject({ revisions: ['yard-1'], basePath: '/', authentication: { type: 'NO_AUTH' } });
});

test.each(['AZURE_AUTH', 'BASIC_AUTH'] as const)('what asks for %s is not served open', async (externalTrafficAuthentication) => {
  expect(await routeFor({ externalTrafficAuthentication })).toBeUndefined();
});

test('nothing is routed to a service without a port, without traffic, or inactive', async () => {
  expect(await routeFor({ exposedPort: null })).toBeUndefined();
  const { externalTraffic } = newServiceSpec('localhost/yard/yard');
  expect(await routeFor({ externalTraffic: { ...externalTraffic, type: 'NONE' } })).toBeUndefined();
  expect(await routeFor({}, false)).toBeUndefined();
});
