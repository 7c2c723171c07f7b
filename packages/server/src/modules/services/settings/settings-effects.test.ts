// @long (shared process): tries rare cases that take long
/** Effects of settings on a running service in special cases: failures, conflicts, reruns, images, passwords, activations. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pipelineRerun, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { secretGroupView } from '@slipway/contract/secret/secret-group.ts';
import { serviceUpdate } from '@slipway/contract/service/service-operations.ts';
import { serviceActivation, serviceDeploy, serviceTagList } from '@slipway/contract/service/service.ts';
import type { SourceFile } from '#ports/builder.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { seedPipeline, seedService } from '#testing/fixtures.ts';
import { good, goodMain } from '#testing/programs.ts';
import { steadyLoad } from '#testing/load/steady-load.ts';
import { hint } from '../pipelines/rollout.sql.ts';
import { berthOf, done, makeBerth, params, type Change } from './settings.fixture.ts';

/** A program that exits immediately if the variable `CRASH` is set. */
const fragile = (version: string): readonly SourceFile[] =>
  good(version).map((file) =>
    file.path === 'main.js' ? { ...file, content: Buffer.from(`if (process.env.CRASH) process.exit(3);\n${goodMain(version)}`) } : file,
  );

let app: TestApp;
const { call, run, changed, settings, service, revisions, plan, apply, refused, instances, url, environment, push } = berthOf(() => app);
const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const answer = async () => (await app.get(await url())).text;
const edge = async () =>
  (await app.database.db.selectFrom('service').select('edge').where('name', '=', 'berth').executeTakeFirstOrThrow()).edge;

beforeAll(async () => {
  app = await testApp({ templates: async () => fragile('one') });
  await makeBerth(app);
  await push('two', good('two'));
});
afterAll(() => app?.close());

const crashing: Change = ({ spec }) => {
  spec.template.envVars = [{ name: 'CRASH', source: 'STATIC', value: 'yes' }];
  spec.externalTraffic.config.readTimeoutMs = 1234;
  spec.template.replicaScaling.count = 2;
};
let failed: PipelineRun;

describe('a revision that does not get healthy', () => {
  test('leaves settings, edge and instances as they were, without a failed request; its row keeps what was wanted', async () => {
    const before = [await settings(), await edge(), await instances(), (await service()).status.serving];
    const load = steadyLoad(app, await url());
    failed = await apply(crashing);
    expect([failed.status.state, (await load.stop()).failures], failed.statusMessage ?? '').toEqual(['FAILED', []]);
    const now = { ...(await settings()), settingsVersion: 1 };
    expect([now, await edge(), await instances(), (await service()).status.serving]).toEqual(before);
    expect((await revisions())[0]).toMatchObject({
      status: 'FAILING',
      isServing: false,
      reason: { type: 'SETTINGS' },
      spec: { template: { envVars: [{ name: 'CRASH' }] } },
    });
  });

  test('was saved and taken back: whoever still edits what was there in between gets an error', async () => {
    expect(
      await refused((wanted) => {
        wanted.settingsVersion = 2;
        wanted.spec.resources.cpuMillicores = 300;
      }),
    ).toEqual([409, 'undefined: SettingsChangedMeanwhile']);
  });

  test('is tried again with the image that runs by then', async () => {
    expect((await run(serviceDeploy, { body: { imageTag: 'two' } })).status.state).toBe('COMPLETED');
    const again = await run(pipelineRerun, { params: { pipelineId: failed.pipelineId }, body: {} });
    expect([again.status.state, again.facts['imageTag']], again.statusMessage ?? '').toEqual(['COMPLETED', 'two']);
    expect([await answer(), (await environment())['CRASH'], (await instances()).length]).toEqual(['two', 'yes', 2]);
    expect(await edge()).toMatchObject({ externalTraffic: { config: { readTimeoutMs: 1234 } } });
  });

  test('is not tried again onto settings that are others by now', async () => {
    const wrong = await apply(({ spec }) => {
      spec.template.healthCheck.exec.command = ['node', '--eval', 'process.exit(0)'];
      spec.template.healthCheck.enabled = false;
    });
    expect([wrong.status.state, wrong.statusMessage]).toEqual(['FAILED', 'Health check is required to run new pipeline']);
    await apply(({ spec }) => {
      spec.rollout.strategy = 'RED_BLACK';
    });
    const again = await run(pipelineRerun, { params: { pipelineId: wrong.pipelineId }, body: {} });
    expect(again.statusMessage).toBe('Somebody changed the settings meanwhile. Look at what is different now, then save again.');
  });
});

test('of two changes at once one is applied, and the other gets an error', async () => {
  const [one, other] = await Promise.all(
    [301, 302].map(async (cpu) => {
      const body = await changed(({ spec }) => (spec.resources.cpuMillicores = cpu));
      return call(serviceUpdate, { body });
    }),
  );
  expect([one?.status, other?.status].toSorted()).toEqual([202, 409]);
  const started = [one, other].find((one) => one?.status === 202)?.body as PipelineRun;
  expect((await app.ended(started.pipelineId)).status.state).toBe('COMPLETED');
  // The strategy is RED_BLACK now, so the previous revision is kept, disabled.
  expect((await revisions())[1]).toMatchObject({ enabled: false, status: 'NO_INSTANCES' });
});

/** Retries a change whose prerequisites disappeared after the request. */
const tryAgain = async (id: string, change: Change): Promise<PipelineRun> => {
  const { db } = app.database;
  const { githubRepositoryName, active, spec } = await settings();
  const before = { githubRepositoryName, active, spec };
  const after = copyOf(before);
  change(after as Parameters<Change>[0]);
  const reason = { type: 'SETTINGS', text: 'Test', commit: null, commitMessage: null };
  const input = { app: 'berth', environment: 'development', service: 'berth', reason, before, after };
  const subject = 'service:berth/development/berth';
  await seedPipeline(db, { id, type: 'UpdateService', subject, app: 'berth', service: 'berth', state: 'FAILED' });
  await db
    .updateTable('pipeline_run')
    .set({ input: JSON.stringify(input) })
    .where('pipeline_id', '=', id)
    .execute();
  const again = await run(pipelineRerun, { params: { pipelineId: id }, body: { from: 'start' } });
  expect([again.status.state, (await settings()).spec]).toEqual(['FAILED', spec]);
  return again;
};

test('an address that another service has taken before a re-run is not taken from it, nor saved', async () => {
  const { spec } = copyOf(await settings());
  spec.externalTraffic.domain = 'late.example.com';
  await seedService(app.database.db, { app: 'berth', name: 'berth-late', change: () => spec });
  const again = await tryAgain('pl-late', (wanted) => {
    wanted.spec.externalTraffic.domain = 'late.example.com';
    wanted.spec.resources.memoryMegabytes += 1;
  });
  expect(again.statusMessage).toBe('Another service answers on late.example.com/.');
});

describe('scaling by CPU', () => {
  const auto = (minReplicas: number, maxReplicas: number): Change => {
    return ({ spec }) => Object.assign(spec.template.replicaScaling, { scalingType: 'AUTO', count: 1, minReplicas, maxReplicas });
  };
  test('goes on with what runs, within its bounds, without a restart', async () => {
    const before = await instances();
    expect((await plan(auto(1, 5))).consequences).toEqual([{ code: 'ScalesWithCpu', context: { min: '1', max: '5' } }]);
    expect(done(await apply(auto(1, 5)))).toEqual(['ValidateService', 'UpdateService']);
    expect(await instances()).toEqual(before);
    await apply(auto(3, 5));
    expect((await instances()).length).toBe(3);
    await apply(auto(1, 2));
    await expect.poll(async () => (await instances()).length).toBe(2);
    expect(await answer()).toBe('two');
  });
  test('a restart starts with as many as ran', async () => {
    await apply(({ spec }) => (spec.template.envVars = []));
    expect([(await instances()).length, (await environment())['CRASH']]).toEqual([2, undefined]);
    await apply(({ spec }) => Object.assign(spec.template.replicaScaling, { scalingType: 'STATIC', count: 1 }));
  });
});

test('a password is made before the edge asks for it', async () => {
  const basic: Change = ({ spec }) => (spec.externalTrafficAuthentication = 'BASIC_AUTH');
  expect((await plan(basic)).steps.map(({ code }) => code)).toEqual([
    'ValidateService',
    'ConfigureCredentials',
    'UpdateService',
    'ConfigureExternalTraffic',
  ]);
  const applied = await apply(basic);
  expect(done(applied)).toContain('ConfigureCredentials');
  expect([(await app.get(await url())).status, (await call(secretGroupView, { params: { group: 'berth-basic-auth' } })).status]).toEqual([
    401, 200,
  ]);
  await apply(({ spec }) => (spec.externalTrafficAuthentication = 'NO_AUTH'));
  expect(await answer()).toBe('two');
});

test('external traffic ends and begins at the edge alone', async () => {
  const [before, address] = [await instances(), await url()];
  const none: Change = ({ spec }) => (spec.externalTraffic.type = 'NONE');
  expect((await plan(none)).consequences.map(({ code }) => code)).toEqual(['StopsTraffic', 'ChangesEdge']);
  const closed = await apply(none);
  const reported = closed.status.steps.find(({ code }) => code === 'ConfigureExternalTraffic')?.message?.code;
  expect([reported, (await app.get(address)).status, (await service()).status.url, await instances()]).toEqual([
    'EdgeClosed',
    404,
    null,
    before,
  ]);
  await apply(({ spec }) => (spec.externalTraffic.type = 'DIRECT'));
  expect([await answer(), await instances()]).toEqual(['two', before]);
});

test('another image must hold the tag that runs, and is what runs then', async () => {
  await push('elsewhere', good('other'), 'berth/other');
  const other: Change = ({ spec }) => (spec.containerImageName = spec.containerImageName.replace(/berth$/, 'other'));
  expect(await refused(other)).toEqual([400, 'spec.containerImageName: ContainerImageWrong']);
  await push('two', good('other'), 'berth/other');
  const applied = await apply(other);
  expect([applied.status.state, await answer()], applied.statusMessage ?? '').toEqual(['COMPLETED', 'other']);
  const tags = (await call(serviceTagList)).body as { tag: string }[];
  expect(tags.map(({ tag }) => tag).toSorted()).toEqual(['elsewhere', 'two']);
});

describe('a service that does not run', () => {
  const named = (value: string): Change => {
    return ({ spec }) => (spec.template.envVars = [{ name: 'BERTHS', source: 'STATIC', value }]);
  };
  const activate = (active: boolean) => run(serviceActivation, { body: { active } });
  test('takes what was changed while it was inactive, and leaves nothing behind', async () => {
    await activate(false);
    expect(done(await apply(named('7')))).toEqual(['ValidateService', 'UpdateService']);
    expect((await activate(true)).status.state).toBe('COMPLETED');
    expect((await environment())['BERTHS']).toBe('7');
    const live = (await revisions()).filter(({ enabled, status }) => enabled && status !== 'DELETED');
    expect(live.map(({ isServing }) => isServing)).toEqual([true]);
  });
  test('and what was changed while it rested; changing it does not wake it', async () => {
    const { pool } = app.database;
    // Scales to zero as the platform does after days without requests.
    await pool.query(
      `update revision set replicas_wanted = 0 where replicas_wanted > 0; update service set scaled_down_at = now() where name = 'berth'`,
    );
    await hint(app.database.db, { app: 'berth', environment: 'development', service: 'berth' });
    await expect.poll(instances).toEqual([]);
    expect((await plan(named('8'))).consequences).toEqual([{ code: 'NothingRuns', context: {} }]);
    await apply(named('8'));
    expect([await instances(), (await service()).status.scaledDownAt === null]).toEqual([[], false]);
    expect((await activate(true)).status.state).toBe('COMPLETED');
    expect([(await environment())['BERTHS'], (await service()).status.scaledDownAt]).toEqual(['8', null]);
  });
  test('says on its own page that it cannot be changed while it is', async () => {
    const started = await call(serviceUpdate, { params, body: await changed(named('9')) });
    const busy = await service();
    expect([busy.can['update'], (await settings()).canEdit]).toEqual(['DeployPipelineAlreadyRunning', 'DeployPipelineAlreadyRunning']);
    await app.ended((started.body as PipelineRun).pipelineId);
    expect((await service()).can['update']).toBe(true);
  });
});

test('an image that has gone since is missed before anything is changed', async () => {
  const elsewhere = await tryAgain('pl-elsewhere', ({ spec }) => (spec.containerImageName += '-gone'));
  expect(elsewhere.statusMessage).toBe('Container image is wrong or does not exist');
  const { spec } = await settings();
  const before = await instances();
  await app.adapters.registry.repositoryDelete('berth/other');
  const failedNow = await apply((wanted) => (wanted.spec.resources.memoryMegabytes += 1));
  expect([failedNow.status.state, failedNow.statusMessage]).toEqual([
    'FAILED',
    `There is no image ${spec.containerImageName}:two. Push it, or choose another tag.`,
  ]);
  expect([(await settings()).spec, await instances()]).toEqual([spec, before]);
});
