/** Promotions of a whole app over HTTP: the comparison, the order of the parts, and what happens when one fails or the platform ends. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freezeWindowCreate, freezeWindowEnd, type FreezeWindow } from '@slipway/contract/freeze.ts';
import { databaseCreate, databaseView } from '@slipway/contract/database/database.ts';
import { planTextOf, type Plan } from '@slipway/contract/pipeline/plan.ts';
import { pipelineRerun, pipelineView, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { appPromote, appPromotionView, type AppPromotion, type PromotionRow } from '@slipway/contract/promotion.ts';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import { requestDecide, requestList, type Request as AskedRequest } from '@slipway/contract/request/request.ts';
import { secretGroupCreate, secretGroupView, serviceSecretGroupAttach } from '@slipway/contract/secret/secret-group.ts';
import { serviceSettingsView, serviceUpdate, type ServiceSettingsView } from '@slipway/contract/service/service-operations.ts';
import { serviceView, type Service } from '@slipway/contract/service/service.ts';
import { accountCreate } from '@slipway/contract/streaming/account.ts';
import { schemaCreate } from '@slipway/contract/streaming/schema.ts';
import { topicCreate } from '@slipway/contract/streaming/topic.ts';
import { teamUpdate } from '@slipway/contract/team.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import { PortFailure } from '#ports/failure.ts';
import type { Streaming } from '#ports/streaming.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import { faultyPort, type FaultyPort } from '#testing/faults/faulty-port.ts';
import { good } from '#testing/programs.ts';
import { partsOf } from './parts.sql.ts';

let app: TestApp;
const params = { app: 'berth' };
const here = { app: 'berth', env: 'development' };
const there = { app: 'berth', env: 'production' };
const completed = { status: { state: 'COMPLETED' } };

const comparison = async () => (await app.call('member', appPromotionView, { params })).body as AppPromotion;
const rows = async () => (await comparison()).rows.map(({ kind, name, state }) => `${kind} ${name} ${state}`);
const row = async (name: string): Promise<PromotionRow> => {
  const found = (await comparison()).rows.find((one) => one.name === name);
  if (!found) throw new Error(`No row ${name}`);
  return found;
};
const value = [{ key: 'API_KEY', value: 'typed for production' }];
const partOf = ({ kind, name, mark }: PromotionRow, more: object = {}) => ({
  kind,
  name,
  mark,
  ...(kind === 'secretGroup' ? { entries: value } : {}),
  ...more,
});
const chosen = async () => (await comparison()).rows.filter(({ isChosen }) => isChosen).map((one) => partOf(one));
const promote = (parts: readonly object[]) => app.run('member', appPromote, { params, body: { parts } });
const parts = async () => (await comparison()).latest?.parts.map(({ kind, name, state }) => `${kind} ${name} ${state}`);
const failedStep = ({ status }: PipelineRun) => status.steps.find(({ state }) => state === 'FAILED');
const service = async (env: string) =>
  (await app.call('member', serviceView, { params: { app: 'berth', env, service: 'berth' } })).body as Service;
const change = async (memoryMegabytes: number, more: object = {}) => {
  const at = { params: { ...here, service: 'berth' } };
  const { githubRepositoryName, active, spec, settingsVersion } = (await app.call('member', serviceSettingsView, at))
    .body as ServiceSettingsView;
  const body = {
    githubRepositoryName,
    active,
    settingsVersion,
    spec: { ...spec, ...more, resources: { ...spec.resources, memoryMegabytes } },
  };
  expect(await app.run('member', serviceUpdate, { ...at, body })).toMatchObject(completed);
};

let cluster: FaultyPort<Streaming>;
beforeAll(async () => {
  app = await testApp({
    templates: async () => good('one'),
    adapt: (adapters) => {
      cluster = faultyPort(adapters.streaming);
      return { ...adapters, streaming: cluster.port };
    },
  });
  await app.run('member', quickstartApplicationCreate, { body: { id: 'berth', teamId: 'cranes', template: 'node-web' } });
  await app.call('member', secretGroupCreate, {
    params: here,
    body: { name: 'partner', entries: [{ key: 'API_KEY', value: 'of development' }] },
  });
  const settings = { displayName: 'Plans', storageGb: 32, backupRetentionDays: 7, maxConnections: 20, plan: 'BURSTABLE_1' };
  for (const [route, body] of [
    [databaseCreate, { ...settings, name: 'plans', region: 'WESTEUROPE', attachTo: ['berth'] }],
    [
      schemaCreate,
      { name: 'event', content: JSON.stringify({ type: 'record', name: 'Event', fields: [{ name: 'berth', type: 'string' }] }) },
    ],
    [topicCreate, { name: 'events', description: 'Berths', spec: { valueSchema: { resourceId: 'event' } } }],
    [accountCreate, { name: 'planner', description: 'Plans', produceTopics: [{ resourceId: 'events', applicationCode: 'berth' }] }],
  ] as const)
    expect(await app.run('member', route, { params: here, body }), route.id).toMatchObject(completed);
  await app.call('member', serviceSecretGroupAttach, { params: { ...here, service: 'berth', group: 'partner' }, body: {} });
  await change(300, {});
}, 120_000);
afterAll(() => app?.close());

test('an empty production lacks everything, in the order in which it is promoted', async () => {
  expect(await rows()).toEqual([
    'secretGroup partner MISSING',
    'database plans MISSING',
    'schema event MISSING',
    'topic events MISSING',
    'account planner MISSING',
    'service berth MISSING',
  ]);
  expect((await comparison()).rows.every(({ isChosen, blocked }) => isChosen && blocked === null)).toBe(true);
  expect(await row('partner')).toMatchObject({ missingKeys: ['API_KEY'] });
  expect(JSON.stringify(await comparison())).not.toContain('of development');
});

test('the plan lists what each part does, in the right order whatever the order of the request, and changes nothing', async () => {
  const wanted = (await chosen()).toReversed();
  const plan = (await app.call('member', appPromote, { params, body: { parts: wanted }, query: { dryRun: true } })).body as Plan;
  expect(plan.steps.map(({ code }) => code)).toEqual([
    'PromoteDatabases',
    'PromoteSchemas',
    'PromoteTopics',
    'PromoteAccounts',
    'PromoteServices',
  ]);
  expect(plan.consequences.map(planTextOf)).toEqual(
    expect.arrayContaining(['Saves API_KEY in the secret group partner.', 'Makes the service berth in production.']),
  );
  expect(plan.consequences[0]).toMatchObject({ code: 'SetsSecretKeys', field: 'parts.5' });
  expect(await rows()).toContain('database plans MISSING');
  expect((await app.call('member', secretGroupView, { params: { ...there, group: 'partner' } })).status).toBe(404);
});

test('strangers do not learn of it, and a group without a value is refused at its row', async () => {
  expect((await app.call('stranger', appPromotionView, { params })).status).toBe(404);
  expect((await app.call('stranger', appPromote, { params, body: { parts: await chosen() } })).status).toBe(404);
  const without = { params, body: { parts: [partOf(await row('plans')), partOf(await row('partner'), { entries: [] })] } };
  expect(errorsOf(await app.call('member', appPromote, without))).toEqual([400, 'parts.1.entries: Required']);
});

test('stops at the first part that fails, leaves the rest, and continues when it is run again', async () => {
  cluster.next('openUser', () =>
    Promise.reject(new PortFailure('rejected', 'no', { code: 'StreamingUserRefused', context: { reason: 'no' } })),
  );
  const run = await promote(await chosen());
  expect(run.status.state).toBe('FAILED');
  expect(failedStep(run)).toMatchObject({ code: 'PromoteAccounts', message: { code: 'PartFailed', context: { name: 'planner' } } });
  expect(await parts()).toEqual([
    'secretGroup partner DONE',
    'database plans DONE',
    'schema event DONE',
    'topic events DONE',
    'account planner FAILED',
    'service berth WAITING',
  ]);
  expect(await rows()).toEqual(expect.arrayContaining(['account planner MISSING', 'service berth MISSING']));
  expect((await app.call('stranger', pipelineView, { params: { pipelineId: run.pipelineId } })).status).toBe(404);

  const again = await app.run('member', pipelineRerun, { params: { pipelineId: run.pipelineId } });
  expect(again).toMatchObject({ pipelineId: run.pipelineId, ...completed });
  expect((await parts())?.every((part) => part.endsWith('DONE'))).toBe(true);
  expect((await rows()).every((one) => one.endsWith('EQUAL'))).toBe(true);
  expect(await chosen()).toEqual([]);
  expect((await app.get((await service('production')).status.url ?? '')).text).toBe('one');
  expect((await app.call('member', databaseView, { params: { ...there, database: 'plans' } })).body).toMatchObject({ state: 'ACTIVE' });
  const runs = await app.database.db.selectFrom('pipeline').select('type').where('type', '=', 'CreateDatabase').execute();
  expect(runs).toHaveLength(2);
}, 60_000);

test('a service carries the chosen differences alone; the number of instances is meant to differ', async () => {
  const { spec } = (await app.call('member', serviceSettingsView, { params: { ...here, service: 'berth' } })).body as ServiceSettingsView;
  await change(320, { template: { ...spec.template, replicaScaling: { ...spec.template.replicaScaling, count: 2 } } });
  const differs = await row('berth');
  expect(differs).toMatchObject({
    state: 'DIFFERS',
    isChosen: true,
    differences: [
      { field: 'spec.resources.memoryMegabytes', before: '300 MB', after: '320 MB', isChosen: true },
      { field: 'spec.template.replicaScaling.count', before: '1', after: '2', isChosen: false },
    ],
  });
  expect(await promote([partOf(differs)])).toMatchObject(completed);
  expect((await row('berth')).differences.map(({ field }) => field)).toEqual(['spec.template.replicaScaling.count']);
  expect(await row('berth')).toMatchObject({ isChosen: false });
}, 60_000);

test('a row that changed since it was compared is refused, and nothing else is begun', async () => {
  const seen = await row('berth');
  await change(340);
  const answer = await app.call('member', appPromote, { params, body: { parts: [partOf(await row('plans')), partOf(seen)] } });
  expect(errorsOf(answer)).toEqual([400, 'parts.1.mark: ProductionChangedMeanwhile']);
});

test('goes on where it was when the platform ends in the middle, and starts no part twice', async () => {
  const answer = await app.call('member', appPromote, { params, body: { parts: [partOf(await row('berth'))] } });
  const { pipelineId } = answer.body as PipelineRun;
  await expect.poll(async () => (await partsOf(app.database.db, pipelineId))[0]?.part_pipeline_id).not.toBeNull();
  expect(errorsOf(await app.call('member', appPromote, { params, body: { parts: [partOf(await row('berth'))] } }))).toEqual([
    409,
    'undefined: WorkflowExecutionAlreadyStarted',
  ]);
  // As if the replica had been killed after the part's pipeline had started, and before the part's row said so.
  await app.restart(async () => {
    await app.database.db.updateTable('promotion_part').set({ part_pipeline_id: null }).where('pipeline_id', '=', pipelineId).execute();
  });
  expect(await app.ended(pipelineId)).toMatchObject(completed);
  expect(await parts()).toEqual(['service berth DONE']);
  const { rows: copies } = await app.database.pool.query(
    `select from pipeline where type = 'UpdateService' and subject = 'service:berth/production/berth'`,
  );
  expect(copies).toHaveLength(2);
}, 60_000);

test('continues a part that production did not have before the platform ended', async () => {
  const settings = { displayName: 'Tides', storageGb: 32, backupRetentionDays: 7, maxConnections: 20, plan: 'BURSTABLE_1' };
  const body = { ...settings, name: 'tides', region: 'WESTEUROPE', attachTo: [] };
  expect(await app.run('member', databaseCreate, { params: here, body })).toMatchObject(completed);
  const answer = await app.call('member', appPromote, { params, body: { parts: [partOf(await row('tides'))] } });
  const { pipelineId } = answer.body as PipelineRun;
  await expect.poll(async () => (await partsOf(app.database.db, pipelineId))[0]?.part_pipeline_id).not.toBeNull();
  // As if the replica had been killed before the part's row named its pipeline. By now, production has the database.
  await app.restart(async () => {
    await app.database.db.updateTable('promotion_part').set({ part_pipeline_id: null }).where('pipeline_id', '=', pipelineId).execute();
  });
  expect(await app.ended(pipelineId)).toMatchObject(completed);
  expect(await parts()).toEqual(['database tides DONE']);
}, 60_000);
const freeze = async (): Promise<() => Promise<void>> => {
  const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();
  const times = { startsAt: inHours(-1), endsAt: inHours(1), timeZone: 'Europe/Oslo' };
  const body = { name: 'Peak week', reason: 'Terminals run at full load', ...times, teams: [], apps: [], ownersMayOverride: true };
  const { id } = (await app.call('administrator', freezeWindowCreate, { body })).body as FreezeWindow;
  return async () => {
    expect((await app.call('administrator', freezeWindowEnd, { params: { freezeWindow: id } })).status).toBeLessThan(300);
  };
};

test('a freeze refuses the services before anything is promoted, and the plan says so', async () => {
  const end = await freeze();
  const wanted = [partOf(await row('plans')), partOf(await row('berth'), { fields: ['spec.template.replicaScaling.count'] })];
  const [database] = wanted;
  const planned = async (parts: readonly unknown[]) =>
    (await app.call('member', appPromote, { params, body: { parts }, query: { dryRun: true } })).body as Plan;
  expect(await planned(wanted)).toMatchObject({ freeze: { name: 'Peak week', canOverride: false } });
  expect(await planned([database])).not.toHaveProperty('freeze');
  expect(errorsOf(await app.call('member', appPromote, { params, body: { parts: wanted } }))).toEqual([409, 'undefined: ProductionFrozen']);
  await end();
  expect(await planned(wanted)).not.toHaveProperty('freeze');
});

test('asks for the approval of a service where its team demands one', async () => {
  const body = { displayName: 'Team cranes', ownerIds: ['olga'], memberIds: ['mats', 'robot-1'], needsProductionApproval: true };
  expect(await app.run('owner', teamUpdate, { params: { team: 'cranes' }, body })).toMatchObject(completed);
  await change(360);
  const wanted = [partOf(await row('berth'))];
  const plan = (await app.call('member', appPromote, { params, body: { parts: wanted }, query: { dryRun: true } })).body as Plan;
  expect(plan.warnings).toContainEqual({ code: 'AsksApproval', context: { name: 'berth', team: 'Team cranes' }, field: 'parts.0' });
  const run = await promote(wanted);
  expect(run.statusMessage).toBeNull();
  expect(await parts()).toEqual(['service berth ASKED']);
  expect((await comparison()).approvingTeam).toBe('Team cranes');
  const [asked] = ((await app.call('owner', requestList, { query: { size: 10 } })).body as Page<AskedRequest>).content;
  expect((await app.call('owner', requestDecide, { params: { request: asked?.id ?? '' }, body: { status: 'APPROVED' } })).status).toBe(200);
  await expect.poll(async () => (await row('berth')).differences.map(({ label }) => label)).toEqual(['Replicas']);
}, 60_000);

test('asks for the approval during a freeze, too', async () => {
  const active = app.database.db.selectFrom('pipeline_run').select('run_id').where('state', 'in', ['QUEUED', 'PENDING', 'RUNNING']);
  await expect.poll(() => active.execute(), { timeout: 30_000 }).toEqual([]);
  const end = await freeze();
  const run = await promote([partOf(await row('berth'), { fields: ['spec.template.replicaScaling.count'] })]);
  await end();
  expect(run.statusMessage).toBeNull();
  expect(await parts()).toEqual(['service berth ASKED']);
}, 60_000);
