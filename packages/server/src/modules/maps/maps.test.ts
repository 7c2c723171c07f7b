/** Maps over HTTP: what an app and a team are connected to, what strangers see, how many queries a map takes, and its limits. No worker. */
import type { KyselyPlugin } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appMapView, maxMapNodes, teamMapView, type ResourceMap } from '@slipway/contract/map.ts';
import { seedTopic } from '#modules/streaming/accounts/accounts.fixture.ts';
import type { Actor } from '#testing/actors.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import { seedApp, seedRevision, seedService } from '#testing/fixtures.ts';
import { appMap } from './app-map.ts';

let app: TestApp;
const by = { created_by: 'olga', created_by_name: 'Olga Owner' };
const place = (id: string) => ({ app_id: id, environment: 'development', ...by }) as const;

const seedAccount = async (id: string, name: string, group: string | null, drift: 'NONE' | 'DRIFT' = 'NONE'): Promise<string> => {
  const principal = `${id}.${name}`;
  const row = {
    ...place(id),
    id: `ka_${id}_${name}`,
    name,
    description: '',
    state: 'ACTIVE',
    principal,
    group_prefix: `${principal}.`,
  } as const;
  await app.database.db
    .insertInto('account')
    .values({ ...row, secret_group: group, drift })
    .execute();
  return row.id;
};
const seedGrant = (account: string, topic: string, operation: 'READ' | 'WRITE', state: 'APPROVED' | 'REQUESTED' | 'REVOKED' = 'APPROVED') =>
  app.database.db
    .insertInto('topic_grant')
    .values({
      id: `${account}>${topic}>${operation}`,
      account_id: account,
      topic_id: topic,
      operation,
      state,
      is_listed: true,
      requested_by: 'olga',
      requested_by_name: 'Olga Owner',
    })
    .execute();
const seedGroup = async (name: string, services: string[], options: { kind?: 'PLATFORM'; auto_attach?: boolean } = {}) => {
  const { db } = app.database;
  await db
    .insertInto('secret_group')
    .values({ ...place('berth'), id: `sg_${name}`, name, ...options })
    .execute();
  for (const service_id of services)
    await db
      .insertInto('service_secret_group')
      .values({ service_id, group_id: `sg_${name}` })
      .execute();
};

beforeAll(async () => {
  app = await testApp({ isWorker: false });
  const { db } = app.database;
  for (const [id, team] of [
    ['berth', 'cranes'],
    ['yard', 'cranes'],
    ['clearance', 'customs'],
    ['quiet', 'customs'],
  ] as const)
    await seedApp(db, { id, team });
  const api = await seedService(db, {
    app: 'berth',
    name: 'api',
    change: (spec) => ({ ...spec, externalTraffic: { ...spec.externalTraffic, type: 'NONE' } }),
  });
  const web = await seedService(db, {
    app: 'berth',
    name: 'web',
    change: (spec) => ({ ...spec, externalTraffic: { ...spec.externalTraffic, type: 'DIRECT' } }),
  });
  await seedService(db, { app: 'berth', name: 'other', environment: 'production' });
  await seedRevision(db, { serviceId: api, service: 'api', number: 1, status: 'FAILING' });
  await db
    .insertInto('database')
    .values({
      ...place('berth'),
      id: 'db_plans',
      name: 'plans',
      display_name: 'Plans',
      region: 'local',
      plan: 'SMALL' as never,
      storage_gb: 1,
      max_connections: 20,
      backup_retention_days: 7,
      state: 'ACTIVE',
      secret_group: 'plans-db',
      server_name: 'plans',
      is_read_only: true,
    })
    .execute();
  await seedGroup('plans-db', [api], { kind: 'PLATFORM' });
  await seedGroup('berth-kafka', [api], { kind: 'PLATFORM' });
  await seedGroup('api-basic-auth', [web], { kind: 'PLATFORM' });
  await seedGroup('tide-key', [], { auto_attach: true });
  await seedGroup('unused', []);
  const plans = await seedTopic(db, undefined, { app: 'berth', name: 'plans' });
  const releases = await seedTopic(db, undefined, { app: 'clearance', name: 'releases' });
  await db
    .updateTable('topic')
    .set({ drift: JSON.stringify({ differences: [{ setting: 'partitions' }], same: 0 }) as never })
    .where('id', '=', plans)
    .execute();
  const own = await seedAccount('berth', 'api', 'berth-kafka');
  const loose = await seedAccount('berth', 'loose', null, 'DRIFT');
  const yard = await seedAccount('yard', 'reader', null);
  const customs = await seedAccount('clearance', 'desk', null);
  await seedAccount('quiet', 'desk', null);
  await seedGrant(own, plans, 'WRITE');
  await seedGrant(own, releases, 'READ');
  await seedGrant(loose, plans, 'READ');
  await seedGrant(yard, plans, 'READ');
  await seedGrant(yard, releases, 'READ', 'REVOKED');
  await seedGrant(customs, plans, 'WRITE', 'REQUESTED');
});
afterAll(() => app?.close());

const appMapAs = async (actor: Actor, id = 'berth', env = 'development'): Promise<ResourceMap> => {
  const { status, body } = await app.call(actor, appMapView, { params: { app: id, env } });
  expect(status, JSON.stringify(body)).toBe(200);
  return body as ResourceMap;
};
const edgesOf = ({ edges }: ResourceMap): string[] =>
  edges
    .map(({ from, to, reason, through, isRequested }) => `${from} ${reason}${isRequested ? '?' : ''} ${to} ${through.join()}`.trim())
    .sort();
const statesOf = ({ nodes }: ResourceMap) => Object.fromEntries(nodes.map(({ id, state }) => [id, state]));

test('the map of an app contains what its services use, through which groups, and who uses its topics', async () => {
  const map = await appMapAs('member');
  expect(edgesOf(map)).toEqual([
    'app:clearance OWNS topic:clearance/releases',
    'app:clearance WRITES? topic:berth/plans desk',
    'outside:/outside CALLS service:berth/web',
    'service:berth/api QUERIES database:berth/plans plans-db',
    'service:berth/api SECRET secretGroup:berth/tide-key',
    'service:berth/api WRITES topic:berth/plans api',
    'service:berth/web CALLS service:berth/api api-basic-auth',
    'service:berth/web SECRET secretGroup:berth/tide-key',
    'topic:berth/plans DESCRIBES schema:berth/plans',
    'topic:berth/plans READS account:berth/loose loose',
    'topic:berth/plans READS app:yard reader',
    'topic:clearance/releases READS service:berth/api api',
  ]);
  expect(statesOf(map)).toEqual({
    'service:berth/api': 'FAILING',
    'service:berth/web': 'NONE',
    'outside:/outside': null,
    'topic:berth/plans': 'DIFFERS',
    'topic:clearance/releases': null,
    'schema:berth/plans': 'READY',
    'database:berth/plans': 'READ_ONLY',
    'secretGroup:berth/tide-key': null,
    'account:berth/loose': 'DIFFERS',
    'app:clearance': 'NONE',
    'app:yard': 'NONE',
  });
  expect([map.isComplete, map.cutKinds, map.areEdgesCut]).toEqual([true, [], false]);
  expect(map.nodes.find(({ id }) => id === 'app:clearance')?.team).toEqual({ id: 'customs', displayName: 'Team customs' });
  expect((await appMapAs('member', 'berth', 'production')).nodes.map(({ id }) => id)).toEqual(['service:berth/other', 'outside:/outside']);
});

test('strangers see services, topics and schemas only', async () => {
  const map = await appMapAs('stranger');
  expect(map.isComplete).toBe(false);
  expect([...new Set(map.nodes.map(({ kind }) => kind))].sort()).toEqual(['outside', 'schema', 'service', 'topic']);
  expect(edgesOf(map)).toEqual(['outside:/outside CALLS service:berth/web', 'topic:berth/plans DESCRIBES schema:berth/plans']);
});

test('the map of a team connects its apps with those that share topics, for its members', async () => {
  const params = { team: 'cranes', env: 'development' };
  const map = (await app.call('member', teamMapView, { params })).body as ResourceMap;
  expect(edgesOf(map)).toEqual([
    'app:berth READS app:yard plans',
    'app:clearance READS app:berth releases',
    'app:clearance WRITES? app:berth plans',
  ]);
  expect(statesOf(map)).toEqual({ 'app:berth': 'FAILING', 'app:yard': 'NONE', 'app:clearance': 'NONE' });
  const refused = await app.call('stranger', teamMapView, { params });
  expect(errorsOf(refused)).toEqual([403, 'undefined: NotAMember']);
  const missing = await app.call('administrator', teamMapView, { params: { ...params, team: 'nobody' } });
  expect(errorsOf(missing)).toEqual([404, 'undefined: TeamDoesNotExist']);
  const wrong = await app.call('member', teamMapView, { params: { ...params, env: 'staging' } });
  expect(errorsOf(wrong)).toContain('undefined: EnvironmentDoesNotExist');
});

test('a full map says what it leaves out, keeps the failing service, and takes as many queries as a small one', async () => {
  const { db } = app.database;
  let queries = 0;
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => {
      queries += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const team = { id: 'cranes', displayName: 'Team cranes' };
  const count = async (): Promise<number> => {
    queries = 0;
    await appMap(db.withPlugin(counting), { app: 'berth', environment: 'development' }, team, true);
    return queries;
  };
  const before = await count();
  expect(before).toBe(8);
  for (let index = 0; index < maxMapNodes; index += 1) await seedService(db, { app: 'berth', name: `a${index}` });
  const map = await appMapAs('member');
  expect(map.cutKinds).toEqual(['service']);
  expect(map.nodes.filter(({ kind }) => kind === 'service')).toHaveLength(maxMapNodes);
  expect(statesOf(map)['service:berth/api']).toBe('FAILING');
  // Edges of services that the map leaves out are left out, too.
  expect(edgesOf(map).some((edge) => edge.includes('service:berth/web'))).toBe(false);
  expect(await count()).toBe(before);
});
