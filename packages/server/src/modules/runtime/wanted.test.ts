/** Tests which routes the edge receives, from the rows alone. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newServiceSpec, type ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { seedPeople } from '#testing/actors.ts';
import { seedRevision, seedSecretGroup } from '#testing/fixtures.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { wantedPages, wantedRoutes, type WantedRevision } from './wanted.sql.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await seedPeople(database.db);
  await database.db.insertInto('app').values({ id: 'yard', display_name: 'Yard', team_id: 'cranes', created_by: 'olga' }).execute();
});
afterAll(() => database.drop());

interface Wanted {
  readonly name?: string;
  readonly change?: Partial<ServiceSpec>;
  /** Edge settings that a pipeline has applied, or null if no pipeline has applied any. */
  readonly edge?: Partial<ServiceSpec> | null;
  readonly active?: boolean;
  readonly isOlder?: boolean;
}
const insert = async ({ name = 'yard', change, edge = null, active = true, isOlder = false }: Wanted = {}): Promise<void> => {
  const spec = newServiceSpec(`localhost/yard/${name}`);
  const { externalTraffic, externalTrafficAuthentication, exposedPort } = { ...spec, ...edge };
  await database.db
    .insertInto('service')
    .values({
      id: `svc_${name}`,
      app_id: 'yard',
      environment: 'development',
      name,
      active,
      spec: JSON.stringify({ ...spec, ...change }),
      edge: edge && JSON.stringify({ externalTraffic, externalTrafficAuthentication, exposedPort }),
      serving: [`${name}-1`],
      created_by: 'olga',
      created_at: new Date(isOlder ? '2026-01-01' : '2026-02-01'),
    })
    .execute();
};
const routes = async (isNetworkIsolated = true) =>
  new Map((await wantedRoutes(database.db, { isNetworkIsolated })).values.map(({ service, route }) => [service.service, route]));
const wantedRevisions = async (): Promise<WantedRevision[]> => {
  const found: WantedRevision[] = [];
  for await (const { values } of wantedPages(database.db)) found.push(...values);
  return found;
};
const routeFor = async (wanted: Wanted) => {
  await database.db.deleteFrom('service').execute();
  await insert(wanted);
  return (await routes()).get(wanted.name ?? 'yard');
};
const { externalTraffic } = newServiceSpec('localhost/yard/yard');

test('a serving revision is routed, as the settings say while no pipeline has applied any', async () => {
  const config = { ...externalTraffic.config, spikeArrestPerMinute: 7 };
  const change = { externalTraffic: { ...externalTraffic, basePath: '/a', config } };
  expect(await routeFor({ change })).toEqual({
    revisions: ['yard-1'],
    domain: undefined,
    basePath: '/a',
    stripBasePath: true,
    ...config,
    authentication: { type: 'NO_AUTH' },
  });
});

test('what a pipeline has applied wins over the settings', async () => {
  const edge = { externalTraffic: { ...externalTraffic, basePath: '/applied' } };
  const change = {
    externalTrafficAuthentication: 'AZURE_AUTH',
    exposedPort: null,
    externalTraffic: { ...externalTraffic, basePath: '/a' },
  } as const;
  expect(await routeFor({ edge, change })).toMatchObject({ basePath: '/applied', authentication: { type: 'NO_AUTH' } });
});

test('whoever calls an AZURE_AUTH service shows a token for it alone', async () => {
  const edge = { externalTrafficAuthentication: 'AZURE_AUTH' } as const;
  const authentication = { type: 'AZURE_AUTH', audience: 'service:yard/development/yard' };
  expect(await routeFor({ edge })).toMatchObject({ authentication });
  const throughProxy = { ...edge, externalTraffic: { ...externalTraffic, type: 'API_PROXY' } } as const;
  expect(await routeFor({ edge: throughProxy })).toMatchObject({ ...externalTraffic.config, authentication });
});

test.each(['NO_AUTH', 'BASIC_AUTH'] as const)('behind the API proxy %s is closed', async (externalTrafficAuthentication) => {
  const edge = { externalTrafficAuthentication, externalTraffic: { ...externalTraffic, type: 'API_PROXY' } } as const;
  expect(await routeFor({ edge })).toMatchObject({ authentication: { type: 'CLOSED' } });
});

test('a BASIC_AUTH service is closed until it has a password', async () => {
  const edge = { externalTrafficAuthentication: 'BASIC_AUTH' } as const;
  expect(await routeFor({ edge })).toMatchObject({ authentication: { type: 'CLOSED' } });
  await seedSecretGroup(database.db, { app: 'yard', name: 'yard-basic-auth' });
  const row = { service_id: 'svc_yard', group_id: 'sg-yard-yard-basic-auth', version: 1, username: 'yard', password_hash: 'scrypt$' };
  await database.db.insertInto('edge_credential').values(row).execute();
  const authentication = { type: 'BASIC_AUTH', username: 'yard', passwordHash: 'scrypt$' };
  expect((await routes()).get('yard')).toMatchObject({ authentication });
  // Without the platform's group, nobody can read or change the password, so nobody is let in.
  await database.db.deleteFrom('secret_group').execute();
  expect((await routes()).get('yard')).toMatchObject({ authentication: { type: 'CLOSED' } });
});

test('a sign-in that nobody knows closes the service', async () => {
  expect(await routeFor({ edge: { externalTrafficAuthentication: 'MAGIC' as 'NO_AUTH' } })).toMatchObject({
    authentication: { type: 'CLOSED' },
  });
});

test("a domain is shared by base path; an address that two want is the older service's", async () => {
  const at = (basePath: string) => ({ externalTraffic: { ...externalTraffic, domain: 'yard.example', basePath } });
  await database.db.deleteFrom('service').execute();
  await insert({ name: 'yard-new', edge: at('/a/') });
  await insert({ name: 'yard-old', edge: at('/a'), isOlder: true });
  await insert({ name: 'yard-other', edge: at('/b') });
  const domains = [...(await routes())].map(([name, route]) => [name, route?.domain]);
  expect(Object.fromEntries(domains)).toEqual({ 'yard-old': 'yard.example', 'yard-new': undefined, 'yard-other': 'yard.example' });
});

test('nothing is routed to a service without a port, without traffic, or inactive', async () => {
  expect(await routeFor({ change: { exposedPort: null } })).toBeUndefined();
  expect(await routeFor({ edge: { exposedPort: null } })).toBeUndefined();
  expect(await routeFor({ change: { externalTraffic: { ...externalTraffic, type: 'NONE' } } })).toBeUndefined();
  expect(await routeFor({ active: false })).toBeUndefined();
});

test.each(['BASIC_AUTH', 'AZURE_AUTH', 'NO_AUTH'] as const)('where every instance could walk around the edge, %s', async (type) => {
  await routeFor({ edge: { externalTrafficAuthentication: type } });
  const route = (await routes(false)).get('yard');
  expect(route?.authentication).toMatchObject(
    type === 'NO_AUTH' ? { type } : { type: 'CLOSED', detail: expect.stringContaining('walking around') as string },
  );
});

test.each([
  [{ type: 'NONE', hosts: ['api.example.com'] }, []],
  [{ type: 'LISTED', hosts: ['api.example.com', '*.example.org:8443'] }, ['api.example.com', '*.example.org:8443']],
  [{ type: 'ANY', hosts: ['api.example.com'] }, ['*']],
  // A replica of the previous version writes no value.
  [undefined, []],
])('outgoing traffic %j is let out to %j', async (outgoingTraffic, egress) => {
  await database.db.deleteFrom('service').execute();
  await insert();
  const change = (spec: ServiceSpec) => ({ ...spec, outgoingTraffic }) as ServiceSpec;
  await seedRevision(database.db, { serviceId: 'svc_yard', service: 'yard', number: 1, change });
  expect((await wantedRevisions()).map(({ spec }) => spec.egress)).toEqual([egress]);
});

test('the way to brokers is made for revisions that read the secret group of an account', async () => {
  await database.db.deleteFrom('service').execute();
  await insert();
  const account = {
    app_id: 'yard',
    environment: 'development',
    description: '',
    state: 'ACTIVE',
    created_by: 'olga',
    created_by_name: 'Olga Owner',
  } as const;
  const connectionTo = (...bootstrapServers: readonly string[]) =>
    JSON.stringify({ bootstrapServers, securityProtocol: 'SASL_SSL', mechanism: 'SCRAM-SHA-512', schemaRegistryUrl: null });
  const named = (name: string) => ({ ...account, id: `ka_${name}`, name, principal: `yard.${name}`, group_prefix: `yard.${name}.` });
  await database.db
    .insertInto('account')
    .values([
      { ...named('reader'), secret_group: 'reader-kafka', connection: connectionTo('kafka1.internal:9092', 'kafka2.internal:9093') },
      { ...named('writer'), secret_group: 'writer-kafka', connection: connectionTo('127.0.0.1:19092') },
      { ...named('shown'), secret_group: null, connection: connectionTo('127.0.0.1:19092') },
      { ...named('waiting'), secret_group: 'waiting-kafka', connection: null },
    ])
    .execute();
  const brokersOf = async (secretVersions: Record<string, number>) => {
    await database.db
      .updateTable('revision')
      .set({ secret_versions: JSON.stringify(secretVersions) })
      .execute();
    return (await wantedRevisions())[0]?.spec.brokers;
  };
  await seedRevision(database.db, { serviceId: 'svc_yard', service: 'yard', number: 1 });
  expect(await brokersOf({})).toEqual([]);
  expect(await brokersOf({ 'writer-kafka': 3, 'waiting-kafka': 1, other: 1 })).toEqual([{ host: '127.0.0.1', port: 19_092 }]);
  expect(await brokersOf({ 'reader-kafka': 1 })).toEqual([
    { host: 'kafka1.internal', port: 9092 },
    { host: 'kafka2.internal', port: 9093 },
  ]);
});

test('the way to a database is made for revisions that read one of its secret groups', async () => {
  await database.db.deleteFrom('service').execute();
  await insert();
  const plans = {
    id: 'db_plans',
    app_id: 'yard',
    environment: 'development',
    name: 'plans',
    display_name: 'Plans',
    region: 'WESTEUROPE',
    plan: 'BURSTABLE_1',
    storage_gb: 32,
    max_connections: 20,
    backup_retention_days: 7,
    state: 'ACTIVE',
    server_name: 'plans_1',
    created_by: 'olga',
    created_by_name: 'Olga Owner',
    host: '127.0.0.1',
    port: 4432,
  } as const;
  await database.db
    .insertInto('database')
    .values({ ...plans, secret_group: 'yard-plans', reader_group: 'yard-plans-read' })
    .execute();
  await seedRevision(database.db, { serviceId: 'svc_yard', service: 'yard', number: 1 });
  const databasesOf = async (secretVersions: Record<string, number>) => {
    await database.db
      .updateTable('revision')
      .set({ secret_versions: JSON.stringify(secretVersions) })
      .execute();
    return (await wantedRevisions())[0]?.spec.databases;
  };
  const server = [{ host: '127.0.0.1', port: 4432 }];
  expect([await databasesOf({ other: 1 }), await databasesOf({ 'yard-plans': 1 }), await databasesOf({ 'yard-plans-read': 1 })]).toEqual([
    [],
    server,
    server,
  ]);
});
