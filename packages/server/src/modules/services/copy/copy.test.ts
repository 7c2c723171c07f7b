/** Copying services over HTTP: everything is compared, the selected changes are carried over, and nothing owned by the source is copied. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appActivityList, type Activity } from '@slipway/contract/activity.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import type { Plan } from '@slipway/contract/pipeline/plan.ts';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import { revisionView, type Revision } from '@slipway/contract/service/revision.ts';
import {
  secretGroupCreate,
  serviceSecretGroupAttach,
  serviceSecretGroupList,
  type ServiceSecretGroup,
} from '@slipway/contract/secret/secret-group.ts';
import { serviceCopy } from '@slipway/contract/service/service-operations.ts';
import type { ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { serviceActivation, serviceDelete, serviceView, type Service } from '@slipway/contract/service/service.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import { seedApp, seedService } from '#testing/fixtures.ts';
import { good } from '#testing/programs.ts';

let app: TestApp;
let tag: string;
type Env = 'development' | 'production';
const at = (service: string, env: Env) => ({ params: { app: 'berth', env, service } });
const service = async (name: string, env: Env) => (await app.call('member', serviceView, at(name, env))).body as Service;
const from = { params: { app: 'berth', env: 'development', service: 'berth' } };
const copy = (body: object) => app.run('member', serviceCopy, { ...from, body });
const plan = async (body: object) => (await app.call('member', serviceCopy, { ...from, body, query: { dryRun: true } })).body as Plan;
const refused = async (body: object) => errorsOf(await app.call('member', serviceCopy, { ...from, body }));
const groupsOf = async (name: string, env: Env) =>
  ((await app.call('member', serviceSecretGroupList, at(name, env))).body as ServiceSecretGroup[]).map(({ group }) => group);
const makeGroup = (env: Env, name: string, key: string) =>
  app.call('member', secretGroupCreate, { params: { app: 'berth', env }, body: { name, entries: [{ key, value: 'v' }] } });
const changeSpec = async (change: (spec: ServiceSpec) => void) => {
  const row = await app.database.db
    .selectFrom('service')
    .select(['id', 'spec'])
    .where('name', '=', 'berth')
    .where('environment', '=', 'development')
    .executeTakeFirstOrThrow();
  const spec = row.spec as ServiceSpec;
  change(spec);
  await app.database.db
    .updateTable('service')
    .set({ spec: JSON.stringify(spec) })
    .where('id', '=', row.id)
    .execute();
};

beforeAll(async () => {
  app = await testApp({ templates: async () => good('one') });
  await app.run('member', quickstartApplicationCreate, { body: { id: 'berth', teamId: 'cranes', template: 'node-web' } });
  tag = (await service('berth', 'development')).status.imageTag ?? '';
  for (const [env, group, key] of [
    ['development', 'storage', 'PASSWORD'],
    ['development', 'partner', 'API_KEY'],
    ['production', 'storage', 'PASSWORD'],
  ] as const)
    expect((await makeGroup(env, group, key)).status).toBe(201);
  for (const group of ['storage', 'partner'])
    await app.call('member', serviceSecretGroupAttach, {
      params: { ...from.params, group },
      body: { exposeAsEnvironment: group === 'partner' },
    });
  await changeSpec((spec) => {
    spec.resources.memoryMegabytes = 300;
    spec.externalTraffic.domain = 'berth.example.com';
    spec.template.envVars = [
      { name: 'DB', source: 'SECRET_KEY', secretGroup: 'storage', secretKey: 'PASSWORD' },
      { name: 'PARTNER', source: 'SECRET_KEY', secretGroup: 'partner', secretKey: 'API_KEY' },
      { name: 'PEER', source: 'STATIC', value: 'http://peer.berth.development.localhost' },
    ];
  });
});
afterAll(() => app?.close());

const production = { environment: 'production', name: 'berth' };
const withoutPartner = ['spec.resources.memoryMegabytes', 'spec.template.envVars.DB', 'spec.template.envVars.PEER'];

describe('a copy is refused', () => {
  test.each([
    ['onto itself', { environment: 'development', name: 'berth' }, [400, 'name: CopyOntoItself']],
    ['under another app’s name', { environment: 'production', name: 'quay' }, [400, 'name: ServiceNameMustStartWithApplicationName']],
    ['to nowhere', { environment: 'staging', name: 'berth' }, [400, 'environment: InvalidValue']],
    ['with a change that there is not', { ...production, carry: ['active', 'spec.nonsense'] }, [400, 'carry.1: InvalidValue']],
    ['with a tag that is not there', { ...production, carry: [], imageTag: 'nothing' }, [400, 'imageTag: ImageTagDoesNotExist']],
    ['with secrets that are not there', production, [400, 'spec.template.envVars.PARTNER: SecretKeyNotReferenced']],
    [
      'with a domain that is in use',
      { ...production, carry: ['spec.externalTraffic.domain'] },
      [400, 'spec.externalTraffic.domain: DomainInUse'],
    ],
  ])('%s', async (_name, body, errors) => {
    expect(await refused(body)).toEqual(errors);
    expect((await app.call('member', serviceView, at('berth', 'production'))).status).toBe(404);
  });
});

test('the comparison shows everything, whatever is carried, and what to look at', async () => {
  const compared = await plan({ ...production, carry: [] });
  expect(compared.changes.map(({ path }) => path)).toEqual([
    'githubRepositoryName',
    'spec.resources.memoryMegabytes',
    'spec.template.envVars.DB',
    'spec.template.envVars.PARTNER',
    'spec.template.envVars.PEER',
    'spec.externalTraffic.domain',
  ]);
  expect(compared).toMatchObject({
    pipelineType: 'CopyService',
    consequences: [
      { code: 'MakesService', context: { service: 'berth', environment: 'production' } },
      { code: 'NothingRuns' },
      { code: 'AttachesSecretGroup', context: { group: 'storage' } },
    ],
    warnings: [
      { code: 'SecretGroupMissing', context: { group: 'partner', environment: 'production' } },
      { code: 'DomainTaken', context: { address: 'berth.example.com/' }, field: 'spec.externalTraffic.domain' },
      { code: 'ProductionChange' },
    ],
    steps: [{ code: 'CreateService' }, { code: 'AttachSecretGroups' }, { code: 'ValidateService' }],
    image: null,
  });
  const chosen = await plan({ ...production, carry: withoutPartner, imageTag: tag });
  expect(chosen.warnings).toContainEqual({
    code: 'NamesOtherEnvironment',
    context: { name: 'PEER', environment: 'development' },
    field: 'spec.template.envVars.PEER',
  });
  expect([chosen.image, chosen.steps.at(-1)?.code]).toEqual([{ before: null, after: tag }, 'ShiftTraffic']);
  expect((await app.call('member', serviceView, at('berth', 'production'))).status).toBe(404);
});

test('development’s service goes to production with its image', async () => {
  const done = await copy({ ...production, carry: withoutPartner, imageTag: tag });
  expect(done).toMatchObject({
    pipelineType: 'CopyService',
    status: { state: 'COMPLETED' },
    facts: { from: 'development/berth', imageTag: tag },
  });
  const made = await service('berth', 'production');
  expect(made).toMatchObject({
    state: 'ACTIVE',
    active: true,
    githubRepositoryName: null,
    spec: {
      containerImageName: `${app.adapters.registry.host}/berth/berth`,
      resources: { memoryMegabytes: 300 },
      externalTraffic: { domain: null },
      template: { envVars: [{ name: 'DB' }, { name: 'PEER' }] },
    },
    status: { health: 'HEALTHY', imageTag: tag },
  });
  expect(await app.get(made.status.url ?? '')).toMatchObject({ text: 'one' });
  const environment = JSON.parse((await app.get(`${made.status.url}env`)).text) as Record<string, string>;
  expect(environment).toMatchObject({ DB: 'v', PEER: 'http://peer.berth.development.localhost' });
  expect(await groupsOf('berth', 'production')).toEqual(['storage']);
  const revision = await app.call('member', revisionView, {
    params: { ...at('berth', 'production').params, revision: made.status.serving ?? '' },
  });
  expect((revision.body as Revision).reason).toMatchObject({ type: 'COPY', text: 'berth of development' });
});

describe('onto a service that is there', () => {
  test('needs to be said', async () => {
    expect(await refused({ ...production, carry: [] })).toEqual([409, 'name: ServiceAlreadyExists']);
  });

  test('compares where nothing is carried, and then changes nothing', async () => {
    const compared = await plan({ ...production, carry: [], overwrite: true });
    expect(compared).toMatchObject({ pipelineType: 'UpdateService', steps: [], consequences: [] });
    expect(compared.changes.map(({ path }) => path)).toEqual([
      'githubRepositoryName',
      'spec.template.envVars.PARTNER',
      'spec.externalTraffic.domain',
    ]);
    expect(await refused({ ...production, carry: [], overwrite: true })).toEqual([409, 'undefined: NothingChanged']);
  });

  test('settings alone are a change of settings, with the groups that they need', async () => {
    await makeGroup('production', 'partner', 'API_KEY');
    const body = { ...production, carry: 'all', overwrite: true };
    const planned = await plan(body);
    expect(planned).toMatchObject({
      pipelineType: 'UpdateService',
      warnings: expect.arrayContaining([{ code: 'ProductionChange', context: {} }]) as unknown,
    });
    expect(planned.consequences).toContainEqual({ code: 'AttachesSecretGroup', context: { group: 'partner' } });
    expect(await groupsOf('berth', 'production')).toEqual(['storage']);
    expect(await copy(body)).toMatchObject({ pipelineType: 'UpdateService', status: { state: 'COMPLETED' } });
    expect(await groupsOf('berth', 'production')).toEqual(['partner', 'storage']);
    const { status } = await service('berth', 'production');
    expect(JSON.parse((await app.get(`${status.url}env`)).text)).toMatchObject({ PARTNER: 'v', API_KEY: 'v' });
  });

  test('with a tag they are saved and deployed in one go', async () => {
    await changeSpec((spec) => {
      spec.resources.cpuMillicores = 400;
    });
    const done = await copy({ ...production, overwrite: true, imageTag: tag });
    expect(done).toMatchObject({ pipelineType: 'CopyService', status: { state: 'COMPLETED' } });
    const { spec, settingsVersion, status } = await service('berth', 'production');
    expect([spec.resources.cpuMillicores, settingsVersion, status.serving]).toEqual([400, 3, 'berth-3']);
    expect((await service('berth', 'production')).status.health).toBe('HEALTHY');
  });

  test('that is inactive nothing is deployed', async () => {
    await app.run('member', serviceActivation, { ...at('berth', 'production'), body: { active: false } });
    expect(await refused({ ...production, overwrite: true, imageTag: tag })).toEqual([409, 'undefined: ServiceInactive']);
  });
});

test('a service at work is left alone', async () => {
  const started = await app.call('member', serviceActivation, { ...at('berth', 'production'), body: { active: true } });
  for (const imageTag of [null, tag])
    expect(await refused({ ...production, carry: ['githubRepositoryName'], overwrite: true, imageTag })).toEqual([
      409,
      'undefined: DeployPipelineAlreadyRunning',
    ]);
  await app.ended((started.body as PipelineRun).pipelineId);
});

test('under another name in the same environment it runs the same images', async () => {
  const body = { environment: 'development', name: 'berth-two', imageTag: tag };
  expect((await copy(body)).status.state).toBe('COMPLETED');
  expect(await service('berth-two', 'development')).toMatchObject({
    githubRepositoryName: null,
    spec: { containerImageName: `${app.adapters.registry.host}/berth/berth`, externalTraffic: { domain: null } },
    status: { health: 'HEALTHY' },
  });
});

test('the repository goes along only when it is named, and then nothing is built by surprise', async () => {
  const done = await copy({ environment: 'development', name: 'berth-three', carry: ['githubRepositoryName'] });
  expect(done.status.steps.find(({ code }) => code === 'ConnectRepository')?.state).toBe('COMPLETED');
  expect(await service('berth-three', 'development')).toMatchObject({ githubRepositoryName: 'berth', status: { serving: null } });
});

test('a copy that fails is not created, reads no secrets, and can be discarded', async () => {
  await app.adapters.builder.build({
    buildId: 'bad',
    files: good('one').map((file) => (file.path === 'main.js' ? { ...file, content: Buffer.from('process.exit(1)') } : file)),
    repository: 'berth/berth',
    tag: 'bad',
    labels: {},
    onLog: () => {},
  });
  const failed = await copy({ environment: 'development', name: 'berth-four', imageTag: 'bad' });
  expect(failed.status.state).toBe('FAILED');
  expect(await service('berth-four', 'development')).toMatchObject({ state: 'NOT_CREATED', can: { delete: true } });
  expect(await groupsOf('berth-four', 'development')).toEqual([]);
  expect(await refused({ environment: 'development', name: 'berth-four', overwrite: true })).toEqual([409, 'undefined: ServiceNotCreated']);
  expect((await app.run('member', serviceDelete, at('berth-four', 'development'))).status.state).toBe('COMPLETED');
  expect(await app.adapters.registry.image('berth/berth', 'bad')).toBeDefined();
});

test('nothing is copied from what is not there, nor into an app that is not', async () => {
  await seedApp(app.database.db, { id: 'pier', state: 'NOT_CREATED' });
  const place = { params: { app: 'pier', env: 'development', service: 'pier' } };
  const copied = async () =>
    errorsOf(await app.call('member', serviceCopy, { ...place, body: { environment: 'production', name: 'pier' } }));
  expect(await copied()).toEqual([404, 'undefined: ServiceDoesNotExist']);
  await seedService(app.database.db, { app: 'pier' });
  expect(await copied()).toEqual([409, 'undefined: ApplicationNotCreated']);
});

test('the log tells what was copied, and masks nothing that is only a name', async () => {
  const answer = await app.call('member', appActivityList, {
    params: at('berth', 'production').params,
    query: { type: 'serviceCopy', size: 100 },
  });
  const entry = (answer.body as Page<Activity>).content.at(-1);
  expect(entry).toMatchObject({
    message: 'Mats Member copied berth of development to berth in production',
    after: { 'spec.resources.memoryMegabytes': 300, secretGroups: ['storage'], imageTag: tag },
  });
});
