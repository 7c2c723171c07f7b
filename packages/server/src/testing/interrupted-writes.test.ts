/**
 * The platform dies between the commit of a write and its answer, and the client repeats the request with its key: for every kind of
 * write the repeat is answered as the first was, and nothing is done twice.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { applicationCreate, applicationDelete, applicationMacIdSet, applicationUpdate } from '@slipway/contract/application.ts';
import {
  catalogApplicationCreate,
  catalogApplicationPatch,
  catalogApplicationUpdate,
  catalogIssueCreate,
} from '@slipway/contract/catalog/application.ts';
import {
  catalogRequestAssign,
  catalogRequestComment,
  catalogRequestDecide,
  catalogRequestsDecide,
} from '@slipway/contract/catalog/request.ts';
import { meTokenCreate, meTokenDelete, meTokenList, serviceAccountCreate, serviceAccountTokenCreate } from '@slipway/contract/identity.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { keyRotationCreate } from '@slipway/contract/keys.ts';
import { pipelineCancel } from '@slipway/contract/pipeline/pipeline.ts';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import {
  robotAccountActivate,
  robotAccountCreate,
  robotAccountDelete,
  robotAccountSecretEnd,
  robotAccountUpdate,
} from '@slipway/contract/registry/robot-account.ts';
import { webhookCreate, webhookDelete, webhookDeliveryResend, webhookTest } from '@slipway/contract/registry/webhook.ts';
import { requestCommentCreate, requestDecide } from '@slipway/contract/request/request.ts';
import {
  secretGroupCopy,
  secretGroupCreate,
  secretGroupDelete,
  secretGroupRestart,
  secretGroupUpdate,
  secretKeyExpiry,
  secretVersionCreate,
  secretVersionDelete,
  secretVersionRestore,
  serviceSecretGroupAttach,
  serviceSecretGroupDetach,
} from '@slipway/contract/secret/secret-group.ts';
import { serviceChangeRequest } from '@slipway/contract/service/approval.ts';
import { serviceBasicAuthRotate } from '@slipway/contract/service/service-access.ts';
import { serviceDelete } from '@slipway/contract/service/service.ts';
import { teamCreate, teamDelete } from '@slipway/contract/team.ts';
import type { Actor } from './actors.ts';
import { testApp, type Answer, type Request, type TestApp } from './app.ts';
import { seedApp, seedCatalogApplication, seedRevision, seedService } from './fixtures.ts';

vi.setConfig({ testTimeout: 30_000 });

const berth = { app: 'berth', env: 'development', service: 'berth' };
const db = { ...berth, group: 'orders-db' };
const robot = { app: 'berth', env: 'development', robot: 'ci' };
const hook = { app: 'berth', env: 'development', webhook: 'board' };
const entry = { params: { appId: 'AB12345' }, headers: { 'Mac-App-Id': 'AB12345' } };
const tides = { owners: ['olga'], description: 'Predicts the tides of the coming week for pilots.', platformId: 'PLT-0901' };
const production = { app: 'berth', env: 'production' };
const entries = [{ key: 'PASSWORD', value: 'first' }];

let app: TestApp;
/** Known once the test before has made it. */
const known: Record<string, string> = {};
beforeAll(async () => {
  app = await testApp({ isWorker: false });
  await seedApp(app.database.db, { id: 'berth' });
  const serviceId = await seedService(app.database.db, { app: 'berth', serving: ['berth-1'] });
  await seedRevision(app.database.db, { serviceId, service: 'berth', number: 1 });
  await seedService(app.database.db, { app: 'berth', name: 'berth-empty' });
  await seedService(app.database.db, {
    app: 'berth',
    name: 'berth-locked',
    change: (spec) => ({ ...spec, externalTrafficAuthentication: 'BASIC_AUTH' }),
  });
  await seedService(app.database.db, { app: 'berth', environment: 'production', serving: ['berth-1'] });
  await app.database.pool.query(`update team set needs_production_approval = true where id = 'cranes'`);
  await seedCatalogApplication(app.database.db, { id: 'AB12345', owners: ['olga'] });
  await app.call('owner', secretGroupCreate, { params: berth, body: { name: 'orders-db', entries } });
  await app.call('owner', secretGroupCreate, { params: berth, body: { name: 'spare', entries } });
  await app.call('owner', serviceSecretGroupAttach, { params: db, body: {} });
  await app.database.pool.query(`update revision set secret_versions = '{"orders-db": 1}'`);
  await app.call('owner', secretVersionCreate, { params: db, body: { basedOn: 1, entries: [{ key: 'PASSWORD', value: 'second' }] } });
  await app.adapters.registry.projectEnsure('berth', 'app:berth');
  await app.call('owner', robotAccountCreate, { params: robot, body: { name: 'ci', permissions: ['pull'] } });
  const webhook = { name: 'board', targetUrl: 'https://board.invalid/', eventTypes: ['PUSH_ARTIFACT'] };
  await app.call('owner', webhookCreate, { params: hook, body: webhook });
  await app.database.pool.query(`insert into webhook_delivery (id, webhook_id, event, state, operator, body, max_tries)
    select 'msg_1', id, 'PUSH_ARTIFACT', 'FAILED', 'ci', '{}', 1 from webhook`);
}, 60_000);
afterAll(() => app?.close());

type Case = [name: string, actor: Actor, route: RouteShape, request: () => Request];
/** In this order: some need what those before have made. */
const cases: readonly Case[] = [
  ['a team', 'owner', teamCreate, () => ({ body: { id: 'divers', displayName: 'Divers', ownerIds: ['olga'] } })],
  ['an app', 'owner', applicationCreate, () => ({ body: { id: 'pier', displayName: 'Pier', teamId: 'cranes' } })],
  ['a cancelled pipeline', 'owner', pipelineCancel, () => ({ params: { pipelineId: known['an app'] ?? '' } })],
  ['a quickstart', 'owner', quickstartApplicationCreate, () => ({ body: { id: 'jetty', teamId: 'cranes', template: 'node-http-api' } })],
  ['an app’s name', 'owner', applicationUpdate, () => ({ params: berth, body: { displayName: 'The berth', teamId: 'cranes' } })],
  ['an app’s macId', 'owner', applicationMacIdSet, () => ({ params: berth, body: { macId: 'AB12345' } })],
  ['an attached group', 'owner', serviceSecretGroupAttach, () => ({ params: { ...db, group: 'spare' }, body: {} })],
  ['a detached group', 'owner', serviceSecretGroupDetach, () => ({ params: { ...db, group: 'spare' } })],
  ['a group’s setting', 'owner', secretGroupUpdate, () => ({ params: db, body: { autoAttach: true } })],
  ['a key’s last day', 'owner', secretKeyExpiry, () => ({ params: { ...db, key: 'PASSWORD' }, body: { expiresAt: '2099-01-01' } })],
  ['a copied group', 'owner', secretGroupCopy, () => ({ params: db, body: { environment: 'production', name: 'orders-db' } })],
  ['a restored version', 'owner', secretVersionRestore, () => ({ params: { ...db, version: '1' } })],
  ['a deleted version', 'owner', secretVersionDelete, () => ({ params: { ...db, version: '2' } })],
  ['a deleted group', 'owner', secretGroupDelete, () => ({ params: { ...db, group: 'spare' } })],
  ['restarts', 'owner', secretGroupRestart, () => ({ params: db, body: {} })],
  ['a new password at the edge', 'owner', serviceBasicAuthRotate, () => ({ params: { ...berth, service: 'berth-locked' } })],
  ['a deleted service', 'owner', serviceDelete, () => ({ params: { ...berth, service: 'berth-empty' } })],
  ['a token', 'owner', meTokenCreate, () => ({ body: { name: 'laptop', scopes: ['read'] } })],
  ['a service account', 'owner', serviceAccountCreate, () => ({ params: { team: 'cranes' }, body: { displayName: 'Robot' } })],
  [
    'a service account’s token',
    'owner',
    serviceAccountTokenCreate,
    () => ({ params: { team: 'cranes', identityId: known['a service account'] ?? '' }, body: { name: 'second', scopes: ['read'] } }),
  ],
  ['a revoked token', 'owner', meTokenDelete, () => ({ params: { tokenId: known['a token'] ?? '' } })],
  ['a changed robot account', 'owner', robotAccountUpdate, () => ({ params: robot, body: { permissions: ['push'] } })],
  ['a disabled robot account', 'owner', robotAccountActivate, () => ({ params: robot, body: { active: false } })],
  ['an ended secret', 'owner', robotAccountSecretEnd, () => ({ params: robot })],
  ['a deleted robot account', 'owner', robotAccountDelete, () => ({ params: robot })],
  ['a tested webhook', 'owner', webhookTest, () => ({ params: hook })],
  ['a delivery sent again', 'owner', webhookDeliveryResend, () => ({ params: { ...hook, delivery: 'msg_1' } })],
  ['a deleted webhook', 'owner', webhookDelete, () => ({ params: hook })],
  ['a rotated key', 'administrator', keyRotationCreate, () => ({})],
  ['an onboarded application', 'member', catalogApplicationCreate, () => ({ body: { ...tides, applicationName: 'Tide Tables' } })],
  [
    'a change of an application that waits',
    'member',
    catalogApplicationUpdate,
    () => ({ params: { appId: 'MAC-10001' }, headers: { 'Mac-App-Id': 'MAC-10001' }, body: { ...tides, applicationName: 'Tide Table' } }),
  ],
  ['an approved onboarding', 'administrator', catalogRequestDecide, () => decided('an onboarded application')],
  [
    'a change that waits',
    'owner',
    catalogApplicationUpdate,
    () => ({ ...entry, body: { ...tides, applicationName: 'Berth Planner Two' } }),
  ],
  [
    'an amended change that waits',
    'owner',
    catalogApplicationUpdate,
    () => ({
      ...entry,
      headers: { ...entry.headers, 'Mac-Request-Id': known['a change that waits'] ?? '' },
      body: { ...tides, applicationName: 'Berth Planner Three' },
    }),
  ],
  [
    'a comment on it',
    'member',
    catalogRequestComment,
    () => ({ params: { requestId: known['a change that waits'] ?? '' }, body: { text: 'Which berth?' } }),
  ],
  [
    'its delegation',
    'administrator',
    catalogRequestAssign,
    () => ({ params: { requestId: known['a change that waits'] ?? '' }, body: { assignedTo: ['ada'], comment: 'Ada knows the berths' } }),
  ],
  [
    'a bulk decision',
    'administrator',
    catalogRequestsDecide,
    () => ({ body: { requestIds: [known['a change that waits']], status: 'REJECTED', comment: 'The name is taken' } }),
  ],
  [
    'a criticality that waits',
    'owner',
    catalogApplicationPatch,
    () => ({ ...entry, body: { criticalityId: 'mission-critical', reason: 'Every terminal needs it' } }),
  ],
  ['a data issue', 'member', catalogIssueCreate, () => ({ ...entry, body: { comments: 'The owner left last year' } })],
  ['a corrected issue', 'administrator', catalogRequestDecide, () => decided('a data issue')],
  [
    'a change in production',
    'member',
    serviceChangeRequest,
    () => ({ params: production, body: { operation: 'serviceDelete', service: 'berth', comment: 'Nobody uses it' } }),
  ],
  [
    'a comment on the change',
    'owner',
    requestCommentCreate,
    () => ({ params: { request: known['a change in production'] ?? '' }, body: { text: 'Since when?' } }),
  ],
  [
    'an approved change in production',
    'owner',
    requestDecide,
    () => ({ params: { request: known['a change in production'] ?? '' }, body: { status: 'APPROVED' } }),
  ],
];

/** An approval of the request that an earlier case raised. */
const decided = (by: string): Request => ({ params: { requestId: known[by] ?? '' }, body: { status: 'APPROVED' } });
/** Returns what a client continues with: the pipeline ID, or the entity without the parts that time and secrets change. */
const gist = ({ status, body }: Answer): unknown => {
  const { pipelineId, token, ...rest } = (body ?? {}) as { pipelineId?: string; token?: unknown };
  return { status, what: pipelineId ?? rest, hasToken: token !== undefined };
};
const idOf = ({ body }: Answer): string => {
  const { pipelineId, id, identity, requestId, requests } = (body ?? {}) as {
    pipelineId?: string;
    id?: string;
    identity?: { id: string };
    requestId?: string;
    requests?: readonly { readonly requestId: string }[];
  };
  return pipelineId ?? id ?? identity?.id ?? requestId ?? requests?.[0]?.requestId ?? '';
};
const written = async (): Promise<number> => {
  const { rows } = await app.database.pool.query<{ count: number }>('select count(*)::int from activity');
  return rows[0]?.count ?? 0;
};
/** As a kill leaves it that came after the commit. */
const interrupt = () =>
  app.database.pool.query(`update idempotency set status = null, response = null, seen_at = now() - interval '1 minute'`);

test.each(cases)('%s', async (name, actor, route, request) => {
  const { headers, ...rest } = request();
  const asked = { ...rest, headers: { ...headers, 'idempotency-key': encodeURIComponent(name) } };
  const before = await written();
  const first = await app.call(actor, route, asked);
  expect([first.status, first.body]).toEqual([expect.toSatisfy((status: number) => status < 300), first.body]);
  known[name] = idOf(first);
  const after = await written();
  expect(after).toBeGreaterThan(before);
  await interrupt();
  const again = await app.call(actor, route, asked);
  expect(gist(again)).toEqual(gist(first));
  if (name.endsWith('that waits')) expect(idOf(again)).toMatch(/^REQ-/);
  expect(await written()).toBe(after);
});

test('of a token that was made again, the former value is nobody’s', async () => {
  const asked = { body: { name: 'phone', scopes: ['read'] }, headers: { 'idempotency-key': 'phone' } };
  const valueOf = ({ body }: Answer) => (body as { token: string }).token;
  const [first, again] = [await app.call('owner', meTokenCreate, asked), await app.call('owner', meTokenCreate, asked)];
  const use = async (answer: Answer) => (await app.call('owner', meTokenList, { token: valueOf(answer) })).status;
  expect([await use(first), await use(again)]).toEqual([401, 200]);
  const { rows } = await app.database.pool.query(`select 1 from api_token where name = 'phone'`);
  expect(rows).toHaveLength(1);
  const kept = await app.database.pool.query<{ text: string }>(
    "select coalesce(string_agg(idempotency::text, ''), '') as text from idempotency",
  );
  for (const answer of [first, again]) expect(kept.rows[0]?.text).not.toContain(valueOf(answer));
});

test('a repeat by another credential gets no token', async () => {
  const asked = { body: { name: 'tablet', scopes: ['read'] }, headers: { 'idempotency-key': 'tablet' } };
  expect((await app.call('owner', meTokenCreate, asked)).status).toBe(201);
  const token = await app.apiToken('owner', ['read', 'write']);
  expect((await app.call('owner', meTokenCreate, { ...asked, token })).status).toBe(409);
});

test.each([
  ['a team', teamDelete, { team: 'divers' }],
  ['an app', applicationDelete, { app: 'pier' }],
] as const)('the end of %s, also once it is gone', async (_name, route, params) => {
  await app.database.pool.query(`update pipeline_run set state = 'CANCELED'`);
  const asked = { params, headers: { 'idempotency-key': route.id } };
  const first = await app.call('owner', route, asked);
  expect(first.status).toBe(202);
  await interrupt();
  expect(gist(await app.call('owner', route, asked))).toEqual(gist(first));
  // As its pipeline ends.
  const [table, id] = Object.entries(params)[0] ?? [];
  await app.database.pool.query(`delete from ${table} where id = $1`, [id]);
  expect(gist(await app.call('owner', route, asked))).toEqual(gist(first));
  await interrupt();
  expect(gist(await app.call('owner', route, asked))).toEqual(gist(first));
  const others = [
    await app.call('member', route, asked),
    await app.call('owner', route, { ...asked, headers: { 'idempotency-key': 'another' } }),
    await app.call('owner', route, { params }),
  ];
  expect(others.map(({ status }) => status)).toEqual([404, 404, 404]);
});
