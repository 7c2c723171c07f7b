/** Connecting services to repositories over HTTP: connecting deploys nothing, the next push does, and building immediately is optional. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appActivityList, type Activity } from '@slipway/contract/activity.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import { pipelineCancel, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import type { Plan } from '@slipway/contract/pipeline/plan.ts';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import { repositoryList, serviceCreate, serviceRepositorySet } from '@slipway/contract/service/service-operations.ts';
import { serviceActivation, servicePipelineList, serviceView, type Service } from '@slipway/contract/service/service.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import { CRASH_MAIN, good, goodMain } from '#testing/programs.ts';
import { workingCopy, type WorkingCopy } from '#testing/working-copy.ts';

let app: TestApp;
let copy: WorkingCopy;
beforeAll(async () => {
  app = await testApp({ templates: async () => good('one') });
  await app.run('member', quickstartApplicationCreate, { body: { id: 'berth', teamId: 'cranes', template: 'node-web' } });
  for (const env of ['development', 'production'])
    await app.run('member', serviceCreate, { params: { app: 'berth', env }, body: { name: 'berth-api' } });
  copy = await workingCopy(app, 'berth/berth', await app.apiToken('member', ['git']));
});
afterAll(async () => {
  await copy?.remove();
  await app?.close();
});

const at = (env = 'development') => ({ params: { app: 'berth', env, service: 'berth-api' } });
const service = async (env?: string) => (await app.call('member', serviceView, at(env))).body as Service;
const pipelines = async () =>
  ((await app.call('member', servicePipelineList, { ...at(), query: { size: 100 } })).body as Page<PipelineRun>).content;
const set = (body: object, env?: string) => app.run('member', serviceRepositorySet, { ...at(env), body });
const refused = async (body: object, query: { dryRun?: boolean } = {}) =>
  errorsOf(await app.call('member', serviceRepositorySet, { ...at(), body, query }));
const push = async (text: string) => {
  const commit = await copy.commit({ 'main.js': goodMain(text) });
  expect(await copy.push()).toMatchObject({ code: 0 });
  return commit;
};

test('the list names what is built from each', async () => {
  const { body } = await app.call('member', repositoryList, { params: { app: 'berth' } });
  expect(body).toEqual([
    {
      name: 'berth',
      cloneUrl: `${app.url}/git/berth/berth.git`,
      defaultBranch: 'main',
      headCommit: expect.stringMatching(/^[0-9a-f]{40}$/) as unknown,
      services: ['berth'],
    },
  ]);
});

test.each([
  ['a repository that is not there', { githubRepositoryName: 'nothing' }, [400, 'githubRepositoryName: ChooseExistingRepository']],
  ['an address', { githubRepositoryName: 'http://x/y' }, [400, 'githubRepositoryName: RepositoryNameOnly']],
  ['nothing at all', {}, [400, 'githubRepositoryName: Required']],
  ['none, as it is', { githubRepositoryName: null }, [409, 'undefined: NothingChanged']],
])('is refused: %s', async (_name, body, errors) => {
  expect(await refused(body)).toEqual(errors);
  expect(await refused(body, { dryRun: true })).toEqual(errors);
});

test('a dry run tells what a push will do, in either environment', async () => {
  const plan = async (body: object, env?: string) =>
    (await app.call('member', serviceRepositorySet, { ...at(env), body, query: { dryRun: true } })).body as Plan;
  expect(await plan({ githubRepositoryName: 'berth' })).toMatchObject({
    pipelineType: 'ConnectRepository',
    changes: [{ path: 'githubRepositoryName', before: null, after: 'berth' }],
    consequences: [{ code: 'PushesDeploy', context: { repository: 'berth/berth' } }],
    steps: [{ code: 'ConnectRepository' }],
  });
  expect(await plan({ githubRepositoryName: 'berth' }, 'production')).toMatchObject({
    consequences: [{ code: 'PushesDeployElsewhere' }],
    warnings: [{ code: 'ProductionChange' }],
  });
  expect((await plan({ githubRepositoryName: 'berth', buildNow: true })).steps.map(({ code }) => code)).toEqual(
    expect.arrayContaining(['ConnectRepository', 'BuildImage', 'ShiftTraffic']),
  );
  expect((await service()).githubRepositoryName).toBeNull();
});

test('connecting deploys nothing; the next push does, in development alone', async () => {
  expect((await set({ githubRepositoryName: 'berth' })).status.state).toBe('COMPLETED');
  expect((await set({ githubRepositoryName: 'berth' }, 'production')).status.state).toBe('COMPLETED');
  expect(await service()).toMatchObject({ githubRepositoryName: 'berth', settingsVersion: 2, status: { serving: null } });
  const commit = await push('two');
  const built = async () => (await pipelines()).find(({ facts }) => facts['commit'] === commit.slice(0, 7));
  await expect.poll(built).toBeDefined();
  const run = await app.ended((await built())?.pipelineId ?? '');
  expect(run).toMatchObject({ pipelineType: 'BuildAndDeploy', trigger: 'push', status: { state: 'COMPLETED' } });
  expect((await pipelines()).map(({ pipelineType }) => pipelineType)).toEqual(['BuildAndDeploy', 'ConnectRepository', 'CreateService']);
  expect(await app.get((await service()).status.url ?? '')).toMatchObject({ text: 'two' });
  expect((await service('production')).status.serving).toBeNull();
});

test('building at once runs the newest commit, also where it is connected already, and in production', async () => {
  const done = await set({ githubRepositoryName: 'berth', buildNow: true }, 'production');
  expect(done.status.steps.map(({ state }) => state)).not.toContain('FAILED');
  expect(await app.get((await service('production')).status.url ?? '')).toMatchObject({ text: 'two' });
});

test('a build that fails leaves the service connected as it was', async () => {
  expect((await set({ githubRepositoryName: null })).status.state).toBe('COMPLETED');
  await copy.commit({ 'main.js': CRASH_MAIN });
  await copy.push();
  const failed = await set({ githubRepositoryName: 'berth', buildNow: true });
  expect([failed.status.state, failed.status.steps.find(({ state }) => state === 'FAILED')?.code]).toEqual(['FAILED', 'StartInstances']);
  expect(await service()).toMatchObject({ githubRepositoryName: null, status: { health: 'HEALTHY' } });
  expect(await app.get((await service()).status.url ?? '')).toMatchObject({ text: 'two' });
});

test('an inactive service does not build, and a busy one is left alone', async () => {
  const body = { githubRepositoryName: 'berth', buildNow: true };
  await app.run('member', serviceActivation, { ...at(), body: { active: false } });
  expect(await refused(body)).toEqual([409, 'undefined: ServiceInactive']);
  const started = await app.call('member', serviceActivation, { ...at(), body: { active: true } });
  expect(await refused({ githubRepositoryName: 'berth' })).toEqual([409, 'undefined: DeployPipelineAlreadyRunning']);
  await app.call('member', pipelineCancel, { params: { pipelineId: (started.body as PipelineRun).pipelineId } });
  await app.ended((started.body as PipelineRun).pipelineId);
});

test('the log tells who connected what', async () => {
  const answer = await app.call('member', appActivityList, { params: at().params, query: { type: 'serviceRepositorySet', size: 100 } });
  expect((answer.body as Page<Activity>).content.at(-1)).toMatchObject({
    reason: 'Connected',
    message: 'Mats Member connected berth-api to berth/berth',
    before: { githubRepositoryName: null },
    after: { githubRepositoryName: 'berth' },
  });
});
