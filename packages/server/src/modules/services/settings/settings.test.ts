/** A service's settings over HTTP, on the real runtime: effects of each kind of change, and what a dry run leaves unchanged. */
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appActivityList, type Activity } from '@slipway/contract/activity.ts';
import { serviceSettingsView } from '@slipway/contract/service/service-operations.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { freePort } from '#testing/free-port.ts';
import { goodMain, program } from '#testing/programs.ts';
import { steadyLoad } from '#testing/load/steady-load.ts';
import { berthOf, done, makeBerth, params, type Change } from './settings.fixture.ts';

/** A program that also fetches the URLs it receives. */
const main = goodMain('one').replace(
  "if (request.url === '/env')",
  `if (request.url.startsWith('/fetch/'))
    return fetch(Buffer.from(request.url.slice(7), 'base64url').toString()).then(
      async (answer) => response.end(answer.status + ' ' + await answer.text()), () => response.end('failed'));
  if (request.url === '/env')`,
);

let outsidePort: number;
let app: TestApp;
const { call, settings, service, revisions, plan, apply, refused, instances, url, environment, rows } = berthOf(() => app);

beforeAll(async () => {
  outsidePort = await freePort();
  app = await testApp({ templates: async () => program(main), egressInside: [`127.0.0.2:${outsidePort}`] });
  await makeBerth(app);
});
afterAll(() => app?.close());

test('the screen gets the settings and what the rules must know', async () => {
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
    const activity = (await app.call('member', appActivityList, { params })).body as { content: Activity[] };
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

describe('outgoing traffic', () => {
  const listed = '127.0.0.2';
  let outside: Server;
  let port: number;
  beforeAll(async () => {
    outside = createServer((request, response) => response.end(`answered ${request.url}`));
    port = outsidePort;
    await new Promise<void>((resolve) => outside.listen(port, resolve));
  });
  afterAll(() => outside.close());
  /** Uses the program's own `fetch`, which reads the proxy from its environment. */
  const fetched = async (host: string): Promise<string> => {
    const address = `http://${host}:${port}/x`;
    return (await app.get(`${await url()}fetch/${Buffer.from(address).toString('base64url')}`)).text;
  };

  test('is none, until a host is listed; then it is that one', async () => {
    expect(await fetched(listed)).toBe('failed');
    const change: Change = ({ spec }) => {
      spec.outgoingTraffic = { type: 'LISTED', hosts: [`${listed}:${port}`, `api.example.com:${port}`] };
    };
    const answer = await plan(change);
    expect(answer.changes).toMatchObject([
      { path: 'spec.outgoingTraffic.type', label: 'Outgoing traffic', effect: 'RESTART', before: 'NONE', after: 'LISTED' },
      { path: 'spec.outgoingTraffic.hosts', effect: 'RESTART', before: [], after: [`${listed}:${port}`, `api.example.com:${port}`] },
    ]);
    expect((await apply(change)).status.state).toBe('COMPLETED');
    expect(await fetched(listed)).toBe('200 answered /x');
    // This host is not listed.
    expect(await fetched('127.0.0.4')).toMatch(/^403 |^failed$/);
    const [fresh] = await revisions();
    expect(fresh?.spec.outgoingTraffic.type).toBe('LISTED');
  });

  test('ends with the setting', async () => {
    const change: Change = ({ spec }) => {
      spec.outgoingTraffic.type = 'NONE';
    };
    await apply(change);
    expect(await fetched(listed)).toBe('failed');
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
