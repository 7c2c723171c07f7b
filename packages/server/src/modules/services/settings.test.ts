/** A service's settings through HTTP, on the real runtime: what each kind of change does to what runs, and what a dry run leaves alone. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { appActivityList, type Activity } from '@slipway/contract/activity.ts';
import type { Page } from '@slipway/contract/fields.ts';
import type { RouteShape } from '@slipway/contract/kernel.ts';
import type { PipelineRun } from '@slipway/contract/pipeline.ts';
import type { Plan } from '@slipway/contract/plan.ts';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import { revisionList, type Revision } from '@slipway/contract/revision.ts';
import { serviceSettingsView, serviceUpdate, type ServiceSettingsView } from '@slipway/contract/service-change.ts';
import { serviceView, type Service } from '@slipway/contract/service.ts';
import { errorsOf, testApp, type Request, type TestApp } from '#testing/app.ts';
import type { Actor } from '#testing/actors.ts';
import { good } from '#testing/programs.ts';
import { steadyLoad } from '#testing/steady-load.ts';

vi.setConfig({ testTimeout: 40_000 });

let app: TestApp;
const path = { app: 'berth', env: 'development', service: 'berth' };

beforeAll(async () => {
  app = await testApp({ templates: async () => good('one') });
  const body = { id: 'berth', teamId: 'cranes', template: 'node-http-api' };
  expect(await app.run('member', quickstartApplicationCreate, { body })).toMatchObject({ status: { state: 'COMPLETED' } });
}, 60_000);
afterAll(() => app?.close());

const call = (route: RouteShape, request: Request = {}, actor: Actor = 'member') => app.call(actor, route, { ...request, params: path });
const settings = async () => (await call(serviceSettingsView)).body as ServiceSettingsView;
const service = async () => (await call(serviceView)).body as Service;
const revisions = async () => ((await call(revisionList)).body as Page<Revision>).content;
type Change = (settings: ServiceSettingsView) => void;
const changed = async (change: Change) => {
  const { githubRepositoryName, active, spec, settingsVersion } = await settings();
  const body = { githubRepositoryName, active, spec, settingsVersion } as ServiceSettingsView;
  change(body);
  return body;
};
const plan = async (change: Change) => {
  const answer = await call(serviceUpdate, { query: { dryRun: true }, body: await changed(change) });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body as Plan;
};
const apply = async (change: Change): Promise<PipelineRun> =>
  app.run('member', serviceUpdate, { params: path, body: await changed(change) });
const refused = async (change: Change) => errorsOf(await call(serviceUpdate, { body: await changed(change) }));
/** The steps that had something to do. */
const done = (run: PipelineRun) => run.status.steps.filter(({ state }) => state === 'COMPLETED').map(({ code }) => code);
const instances = async () => (await app.adapters.runtime.list()).filter(({ state }) => state === 'READY').map(({ id }) => id);
const url = async () => (await service()).status.url ?? '';
const environment = async () => JSON.parse((await app.get(`${await url()}env`)).text) as Record<string, string>;
/** Everything that a write could have touched. */
const rows = async () => {
  const { db } = app.database;
  return JSON.stringify([
    await db.selectFrom('service').selectAll().execute(),
    await db.selectFrom('revision').selectAll().orderBy('id').execute(),
    await db.selectFrom('pipeline_run').selectAll().orderBy('run_id').execute(),
    await db.selectFrom('activity').selectAll().orderBy('id').execute(),
  ]);
};

test('the screen is told the settings and what the rules must know', async () => {
  const view = await settings();
  expect(view).toMatchObject({
    githubRepositoryName: 'berth',
    active: true,
    settingsVersion: 1,
    secretGroups: [],
    appliedBasePath: null,
    canEdit: true,
    pipelineId: null,
    engine: { hasVaultProxy: false },
  });
  expect(view.spec.containerImageName.startsWith(view.imagePrefix)).toBe(true);
  expect((await call(serviceSettingsView, {}, 'stranger')).status).toBe(403);
});

describe('what restarts', () => {
  const change: Change = ({ spec }) => {
    spec.resources.memoryMegabytes = 300;
    spec.template.envVars = [{ name: 'BERTHS', source: 'STATIC', value: '12' }];
  };

  test('a dry run answers the plan, and leaves every row as it was', async () => {
    const before = await rows();
    const answer = await plan(change);
    expect(answer).toMatchObject({
      isPlan: true,
      pipelineType: 'UpdateService',
      changes: [
        { path: 'spec.resources.memoryMegabytes', label: 'Memory', effect: 'RESTART', before: 256, after: 300 },
        { path: 'spec.template.envVars.BERTHS', effect: 'RESTART', before: null, after: { source: 'STATIC', value: '12' } },
      ],
      consequences: [
        { code: 'ReplacesInstancesOneByOne', context: { count: '1', revision: 'berth-1' } },
        { code: 'DeletesOldRevision', context: { revision: 'berth-1' } },
      ],
    });
    expect(await rows()).toBe(before);
  });

  test('makes a new revision of the same image, without a failed request, by the steps of the plan', async () => {
    const planned = (await plan(change)).steps.map(({ code }) => code);
    const load = steadyLoad(app, await url());
    const run = await apply(change);
    const { failures } = await load.stop();
    expect([run.status.state, failures, done(run)], run.statusMessage ?? '').toEqual(['COMPLETED', [], planned]);
    expect(run).toMatchObject({ pipelineType: 'UpdateService', trigger: 'settings', facts: { settings: 'Memory, Environment variables' } });
    const [fresh, old] = await revisions();
    expect(fresh).toMatchObject({
      name: 'berth-2',
      isServing: true,
      imageDigest: old?.imageDigest,
      reason: { type: 'SETTINGS', text: 'Memory, Environment variables' },
      spec: { resources: { memoryMegabytes: 300 } },
    });
    expect([(await environment())['BERTHS'], (await settings()).settingsVersion]).toEqual(['12', 2]);
    const activity = (await app.call('member', appActivityList, { params: path })).body as { content: Activity[] };
    const entry = activity.content.find(({ type }) => type === 'serviceUpdate');
    expect(entry).toMatchObject({ before: { 'spec.resources.memoryMegabytes': 256 }, after: { 'spec.resources.memoryMegabytes': 300 } });
    expect(entry?.message).not.toContain('12');
  });
});

describe('what does not restart', () => {
  test('more instances join those that run', async () => {
    const before = await instances();
    const change: Change = ({ spec }) => {
      spec.template.replicaScaling.count = 2;
    };
    const answer = await plan(change);
    expect(answer).toMatchObject({ consequences: [{ code: 'ScalesInstances', context: { from: '1', to: '2' } }] });
    const run = await apply(change);
    expect(done(run)).toEqual(['ValidateService', 'UpdateService', 'ScaleInstances']);
    expect(done(run)).toEqual(answer.steps.map(({ code }) => code));
    const after = await instances();
    expect([after.length, before.every((id) => after.includes(id)), (await service()).status.serving]).toEqual([2, true, 'berth-2']);
  });

  test('the edge changes at once', async () => {
    const before = await instances();
    const change: Change = ({ spec }) => {
      spec.externalTraffic.basePath = '/planner';
    };
    const old = await url();
    const answer = await plan(change);
    expect(answer.consequences.map(({ code }) => code)).toEqual(['MovesTraffic', 'ChangesEdge']);
    const run = await apply(change);
    expect(done(run)).toEqual(['ValidateService', 'UpdateService', 'ConfigureExternalTraffic']);
    expect([(await app.get(await url())).text, (await app.get(old)).status, await instances()]).toEqual(['one', 404, before]);
    await apply(({ spec }) => {
      spec.externalTraffic.basePath = '/';
    });
    expect((await app.get(old)).text).toBe('one');
  });

  test('a policy changes nothing that runs', async () => {
    const change: Change = ({ spec }) => {
      spec.rollout.strategy = 'RED_BLACK';
    };
    expect((await plan(change)).consequences).toEqual([{ code: 'AppliesFromNowOn', context: {} }]);
    expect(done(await apply(change))).toEqual(['ValidateService', 'UpdateService']);
  });
});

describe('activity', () => {
  test('off stops the instances, on starts them again with what was changed meanwhile', async () => {
    const off = await apply((wanted) => {
      wanted.active = false;
    });
    expect(done(off)).toEqual(['ValidateService', 'UpdateService', 'StopInstances']);
    expect([await instances(), (await service()).active]).toEqual([[], false]);
    const idle: Change = ({ spec }) => {
      spec.template.envVars = [{ name: 'BERTHS', source: 'STATIC', value: '13' }];
    };
    expect((await plan(idle)).consequences).toEqual([{ code: 'NothingRuns', context: {} }]);
    await apply(idle);
    const on = await apply((wanted) => {
      wanted.active = true;
    });
    expect([on.status.state, (await environment())['BERTHS'], (await service()).active]).toEqual(['COMPLETED', '13', true]);
  });
});

describe('is refused', () => {
  test('when nothing would change', async () => {
    expect(await refused(() => {})).toEqual([409, 'undefined: NothingChanged']);
  });
  test('when somebody changed the settings meanwhile', async () => {
    expect(
      await refused((wanted) => {
        wanted.settingsVersion -= 1;
        wanted.spec.resources.cpuMillicores = 300;
      }),
    ).toEqual([409, 'undefined: SettingsChangedMeanwhile']);
  });
});
