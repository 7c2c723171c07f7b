/** New blank services over HTTP: rejected at the field, created without running, shared by both environments, discarded without a trace. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ErrorObject } from '@slipway/contract/kernel/errors.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import { pipelineRerun, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import type { Plan } from '@slipway/contract/pipeline/plan.ts';
import { quickstartServiceCreate } from '@slipway/contract/quickstart.ts';
import { revisionList, type Revision } from '@slipway/contract/service/revision.ts';
import { secretGroupView, serviceSecretGroupList } from '@slipway/contract/secret/secret-group.ts';
import { serviceCreate } from '@slipway/contract/service/service-operations.ts';
import { newServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { serviceDelete, serviceDeploy, serviceTagList, serviceView, type Service } from '@slipway/contract/service/service.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import { seedApp } from '#testing/fixtures.ts';
import { good } from '#testing/programs.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ templates: async () => good('template') });
  const { registry, source } = app.adapters;
  await seedApp(app.database.db, { id: 'berth' });
  await registry.projectEnsure('berth', 'app:berth');
  await source.createRepository({ owner: 'berth', name: 'berth-api' }, good('one'), { message: 'Start', author: 'O', email: 'o@x' });
  await app.adapters.builder.warm();
});
afterAll(() => app?.close());

const place = (env = 'development', of = 'berth') => ({ params: { app: of, env } });
const at = (service: string, env = 'development', of = 'berth') => ({ params: { app: of, env, service } });
const create = (body: object, env?: string) => app.run('member', serviceCreate, { ...place(env), body });
const service = async (name: string, env?: string) => (await app.call('member', serviceView, at(name, env))).body as Service;
const prefix = () => `${app.adapters.registry.host}/berth/`;

describe('a blank service that is refused', () => {
  test.each([
    ['a name that does not begin with the app’s', { name: 'quay-api' }, [400, 'name: ServiceNameMustStartWithApplicationName']],
    ['a reserved name', { name: 'settings' }, [400, 'name: InvalidName']],
    ['no name', {}, [400, 'name: Required']],
    [
      'a repository that is not there',
      { name: 'berth-x', githubRepositoryName: 'nothing' },
      [400, 'githubRepositoryName: ChooseExistingRepository'],
    ],
    [
      'a repository’s address',
      { name: 'berth-x', githubRepositoryName: 'https://x/y.git' },
      [400, 'githubRepositoryName: RepositoryNameOnly'],
    ],
  ])('has %s', async (_name, body, errors) => {
    for (const query of [{}, { dryRun: true }])
      expect(errorsOf(await app.call('member', serviceCreate, { ...place(), body, query }))).toEqual(errors);
  });

  test('tells everything that is wrong with its settings at once', async () => {
    const spec = newServiceSpec('elsewhere:5000/other/berth-x');
    spec.exposedPort = null;
    const answer = await app.call('member', serviceCreate, {
      ...place(),
      body: { name: 'berth-x', githubRepositoryName: 'nothing', spec },
    });
    expect(errorsOf(answer)).toEqual([
      400,
      'githubRepositoryName: ChooseExistingRepository',
      'spec.containerImageName: NotARegistryPath',
      'spec.exposedPort: Required',
      'spec.externalTraffic.type: ExternalTrafficNeedsInternal',
    ]);
    expect((await app.call('member', serviceView, at('berth-x'))).status).toBe(404);
  });

  test('belongs to an app that is not there yet', async () => {
    await seedApp(app.database.db, { id: 'pier', state: 'CREATING' });
    expect(errorsOf(await app.call('member', serviceCreate, { ...place('development', 'pier'), body: { name: 'pier' } }))).toEqual([
      409,
      'undefined: ApplicationNotCreated',
    ]);
  });
});

test('a dry run tells what would be made, and makes nothing', async () => {
  const body = { name: 'berth-api', githubRepositoryName: 'berth-api' };
  const answer = await app.call('member', serviceCreate, { ...place('production'), body, query: { dryRun: true } });
  expect(answer.status).toBe(200);
  expect(answer.body as Plan).toMatchObject({
    pipelineType: 'CreateService',
    changes: [{ path: 'githubRepositoryName', before: null, after: 'berth-api' }],
    consequences: [{ code: 'MakesService', context: { service: 'berth-api', environment: 'production' } }, { code: 'NothingRuns' }],
    steps: [{ code: 'ValidateService' }, { code: 'CreateRegistryProject' }, { code: 'CreateService' }, { code: 'ConnectRepository' }],
  });
  expect((await app.call('member', serviceView, at('berth-api', 'production'))).status).toBe(404);
});

test('a blank service waits for its first pipeline, which an image starts', async () => {
  // The specification's name of `name`.
  const done = await create({ metadata: { name: 'berth-api' } });
  expect([done.pipelineType, done.status.state]).toEqual(['CreateService', 'COMPLETED']);
  expect(done.status.steps.map(({ state }) => state)).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED', 'SKIPPED', 'SKIPPED']);
  expect(await service('berth-api')).toMatchObject({
    metadata: { name: 'berth-api', environment: 'development' },
    state: 'ACTIVE',
    githubRepositoryName: null,
    spec: { containerImageName: `${prefix()}berth-api` },
    status: { health: 'NO_INSTANCES', serving: null, pipelineId: null },
    can: { deploy: true },
  });
  expect(((await app.call('member', revisionList, at('berth-api'))).body as Page<Revision>).content).toEqual([]);
  expect(errorsOf(await app.call('member', serviceCreate, { ...place(), body: { name: 'berth-api' } }))).toEqual([
    409,
    'name: ServiceAlreadyExists',
  ]);
  const image = { repository: 'berth/berth-api', tag: 'one' };
  await app.adapters.builder.build({ buildId: 'build-one', files: good('one'), ...image, labels: {}, onLog: () => {} });
  expect((await app.run('member', serviceDeploy, { ...at('berth-api'), body: { imageTag: 'one' } })).status.state).toBe('COMPLETED');
  expect(await app.get((await service('berth-api')).status.url ?? '')).toEqual({ status: 200, text: 'one' });
});

test('production’s service of the name shares repository and images, and neither’s end takes the other’s away', async () => {
  expect((await create({ name: 'berth-api', githubRepositoryName: 'berth-api' }, 'production')).status.state).toBe('COMPLETED');
  expect(await service('berth-api', 'production')).toMatchObject({ githubRepositoryName: 'berth-api', status: { serving: null } });
  const done = await app.run('member', serviceDeploy, { ...at('berth-api', 'production'), body: { imageTag: 'one' } });
  expect(done.status.state).toBe('COMPLETED');
  expect(await app.get((await service('berth-api', 'production')).status.url ?? '')).toMatchObject({ text: 'one' });
  // A service that was never deployed can be deleted. Its images stay, because other services use them.
  await create({ name: 'berth-copy', spec: newServiceSpec(`${prefix()}berth-api`) });
  expect((await app.run('member', serviceDelete, at('berth-copy'))).status.state).toBe('COMPLETED');
  expect((await app.call('member', serviceTagList, at('berth-api'))).body).toMatchObject([{ tag: 'one', isServing: true }]);
});

test('one that the edge protects gets its password at once', async () => {
  const spec = newServiceSpec(`${prefix()}berth-safe`);
  spec.externalTrafficAuthentication = 'BASIC_AUTH';
  const done = await create({ name: 'berth-safe', spec });
  expect(done.status.steps.map(({ code, state }) => [code, state])).toContainEqual(['ConfigureCredentials', 'COMPLETED']);
  expect((await app.call('member', serviceSecretGroupList, at('berth-safe'))).status).toBe(200);
  expect(
    (await app.call('member', secretGroupView, { params: { app: 'berth', env: 'development', group: 'berth-safe-basic-auth' } })).status,
  ).toBe(200);
});

test('a template is not laid over a repository that is there', async () => {
  const body = { app: 'berth', name: 'berth-api', environment: 'development', template: 'node-web' };
  expect(errorsOf(await app.call('member', quickstartServiceCreate, { body }))).toEqual([409, 'name: ServiceAlreadyExists']);
  const refused = await app.call('member', quickstartServiceCreate, { body: { ...body, name: 'berth-old' } });
  expect(refused.status).toBe(202);
  await app.ended((refused.body as PipelineRun).pipelineId);
  const other = await app.call('member', quickstartServiceCreate, { body: { ...body, name: 'berth-old', environment: 'production' } });
  expect(errorsOf(other)).toEqual([409, 'name: AppRepositoryAlreadyExists', 'name: GithubRepositoryAlreadyExists']);
  expect((other.body as ErrorObject).errors[0]?.context).toEqual({ repository: 'berth/berth-old' });
});

describe('a creation that fails', () => {
  const failed = async (name: string) => {
    await app.adapters.registry.projectEnsure(name, 'somebody');
    await seedApp(app.database.db, { id: name });
    await app.adapters.source.createRepository({ owner: name, name }, good('one'), { message: 'Start', author: 'O', email: 'o@x' });
    const body = { name, githubRepositoryName: name };
    const run = await app.run('member', serviceCreate, { ...place('development', name), body });
    expect([run.status.state, run.statusMessage]).toEqual([
      'FAILED',
      expect.stringContaining(`registry project ${name} belongs to somebody`),
    ]);
    expect((await app.call('member', serviceView, at(name, 'development', name))).body).toMatchObject({
      state: 'NOT_CREATED',
      creationPipelineId: run.pipelineId,
      githubRepositoryName: null,
      can: { deploy: 'ServiceNotCreated', delete: true },
    });
    return run;
  };

  test('is re-run when its cause is gone', async () => {
    const { pipelineId } = await failed('mooring');
    await app.adapters.registry.projectDelete('mooring');
    expect((await app.run('member', pipelineRerun, { params: { pipelineId } })).status.state).toBe('COMPLETED');
    expect((await app.call('member', serviceView, at('mooring', 'development', 'mooring'))).body).toMatchObject({
      state: 'ACTIVE',
      githubRepositoryName: 'mooring',
    });
  });

  test('says so where the repository has gone meanwhile', async () => {
    const { pipelineId } = await failed('bollard');
    await app.adapters.registry.projectDelete('bollard');
    await app.adapters.source.deleteRepository({ owner: 'bollard', name: 'bollard' });
    const rerun = await app.run('member', pipelineRerun, { params: { pipelineId } });
    expect([rerun.status.state, rerun.statusMessage]).toEqual(['FAILED', 'Repository bollard/bollard does not exist any more.']);
  });

  test('is discarded, and the repository that was there before stays', async () => {
    const { pipelineId } = await failed('tugboat');
    expect((await app.run('member', serviceDelete, at('tugboat', 'development', 'tugboat'))).status.state).toBe('COMPLETED');
    expect(await app.adapters.source.repository({ owner: 'tugboat', name: 'tugboat' })).toBeDefined();
    const rerun = await app.run('member', pipelineRerun, { params: { pipelineId } });
    expect([rerun.status.state, rerun.statusMessage]).toEqual(['FAILED', 'It was discarded meanwhile.']);
  });
});
