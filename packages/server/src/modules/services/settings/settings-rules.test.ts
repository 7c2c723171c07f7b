/** Every rule of a service's settings over HTTP: the error's field, code and text. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { messageOf, type ErrorObject } from '@slipway/contract/kernel/errors.ts';
import { serviceUpdate, type ServiceSettingsView } from '@slipway/contract/service/service-operations.ts';
import type { Plan } from '@slipway/contract/pipeline/plan.ts';
import { newServiceSpec, type SecretFileMount } from '@slipway/contract/service/service-spec.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import { seedApp, seedPipeline, seedSecretGroup, seedService } from '#testing/fixtures.ts';
import { berthOf, type Change } from './settings.fixture.ts';

let app: TestApp;
const { call, changed, plan, refused, rows, settings } = berthOf(() => app);

beforeAll(async () => {
  app = await testApp({ isWorker: false });
  const { db } = app.database;
  const { host } = app.adapters.registry;
  await seedApp(db, { id: 'berth' });
  await app.adapters.registry.projectEnsure('berth', 'berth');
  const own = (name: string, domain: string | null = null, basePath = '/') => ({
    app: 'berth',
    name,
    change: () => {
      const spec = newServiceSpec(`${host}/berth/${name}`);
      return { ...spec, externalTraffic: { ...spec.externalTraffic, domain, basePath } };
    },
  });
  const serviceId = await seedService(db, own('berth'));
  await seedService(db, own('berth-taken', 'taken.example.com', '/api'));
  await seedSecretGroup(db, { app: 'berth', name: 'orders-db', services: [serviceId] });
  await seedSecretGroup(db, { app: 'berth', name: 'not-attached' });
});
afterAll(() => app?.close());

const mount = (change: Partial<SecretFileMount> = {}): SecretFileMount => ({
  mountPath: '/etc/tls',
  secretGroup: 'orders-db',
  includeAllKeys: true,
  fileFormat: 'file',
  secretKey: null,
  ...change,
});
const fromSecret = (secretGroup: string, secretKey: string) => ({ name: 'DB', source: 'SECRET_KEY' as const, secretGroup, secretKey });
const health = 'spec.template.healthCheck';
const traffic = 'spec.externalTraffic';
const scaling = 'spec.template.replicaScaling';

type Rule = [field: string, code: string, message: string, change: Change];
const rules: readonly Rule[] = [
  ['spec.resources.cpuMillicores', 'Minimum', 'Minimum CPU of 50 is required', ({ spec }) => (spec.resources.cpuMillicores = 49)],
  ['spec.resources.cpuMillicores', 'Maximum', 'Maximum CPU of 16000 is required', ({ spec }) => (spec.resources.cpuMillicores = 16_001)],
  ['spec.resources.memoryMegabytes', 'NotAnInteger', 'Memory must be an integer', ({ spec }) => (spec.resources.memoryMegabytes = 64.5)],
  ['spec.exposedPort', 'NotANumber', 'Exposed port must be a number', ({ spec }) => Object.assign(spec, { exposedPort: '8080' })],
  ['spec.region', 'RegionDoesNotExist', 'Region does not exist', ({ spec }) => Object.assign(spec, { region: 'MOON' })],
  [
    'spec.rollout.strategy',
    'InvalidValue',
    'Rollout strategy is not valid',
    ({ spec }) => Object.assign(spec.rollout, { strategy: 'HOPE' }),
  ],
  [`${health}.http.path`, 'NotAPath', 'HTTP path is not a valid path', ({ spec }) => (spec.template.healthCheck.http.path = 'healthz')],
  [`${traffic}.basePath`, 'NotAPath', 'Base path is not a valid path', ({ spec }) => (spec.externalTraffic.basePath = 'no path')],
  [
    `${traffic}.domain`,
    'DoesNotMatchPattern',
    'Domain does not match expected pattern',
    ({ spec }) => (spec.externalTraffic.domain = 'a b'),
  ],
  [
    'spec.template.envVars.0.name',
    'INVALID_ENV_VAR_NAME',
    'Invalid environment variable name',
    ({ spec }) => (spec.template.envVars = [{ name: '1BERTH', source: 'STATIC', value: 'x' }]),
  ],
  [
    'spec.template.envVars.0.value',
    'ExceedsMaximumLength',
    'Environment variable exceeds maximum length',
    ({ spec }) => (spec.template.envVars = [{ name: 'LONG', source: 'STATIC', value: 'x'.repeat(32_769) }]),
  ],
  [
    'spec.template.envVars.1.name',
    'DuplicateEnvVar',
    'The environment variable A is set more than once',
    ({ spec }) =>
      (spec.template.envVars = [
        { name: 'A', source: 'STATIC', value: '1' },
        { name: 'A', source: 'STATIC', value: '2' },
      ]),
  ],
  [
    'spec.template.envVars.0.secretKey',
    'SecretKeyNotReferenced',
    'Environment variable refers to a secret key that is not referenced in stack',
    ({ spec }) => (spec.template.envVars = [fromSecret('orders-db', 'NOTHING')]),
  ],
  [
    'spec.template.envVars.0.secretKey',
    'SecretKeyNotReferenced',
    'Environment variable refers to a secret key that is not referenced in stack',
    ({ spec }) => (spec.template.envVars = [fromSecret('not-attached', 'PASSWORD')]),
  ],
  [
    'spec.template.envVars.0.secretKey',
    'Required',
    'Secret key is required',
    ({ spec }) => (spec.template.envVars = [fromSecret('orders-db', '')]),
  ],
  [
    'spec.template.secretFileMounts.1.mountPath',
    'SameMountPath',
    "You can't use the same mount path for multiple volumes",
    ({ spec }) => (spec.template.secretFileMounts = [mount(), mount()]),
  ],
  [
    'spec.template.secretFileMounts.1.mountPath',
    'DuplicateVolumePaths',
    'Duplicate volume paths are not allowed',
    ({ spec }) => (spec.template.secretFileMounts = [mount(), mount({ mountPath: '/etc/tls/' })]),
  ],
  [
    'spec.template.secretFileMounts.0.secretGroup',
    'SecretVolumeNotReferenced',
    'Secret volume refers to a secret that is not referenced in stack',
    ({ spec }) => (spec.template.secretFileMounts = [mount({ secretGroup: 'not-attached' })]),
  ],
  [
    'spec.template.secretFileMounts.0.fileFormat',
    'SecretFileFormatUnknown',
    'Secret files are written as file, env, bash, powershell, json or yaml',
    ({ spec }) => (spec.template.secretFileMounts = [mount({ fileFormat: 'toml' })]),
  ],
  [
    `${scaling}.count`,
    'ReplicasAboveMaximum',
    'Replicas must be less than or equal to max replicas',
    ({ spec }) => Object.assign(spec.template.replicaScaling, { scalingType: 'AUTO', count: 5, maxReplicas: 4 }),
  ],
  [
    `${scaling}.minReplicas`,
    'MinReplicasAboveMaximum',
    'Min replicas must be less than or equal to max replicas',
    ({ spec }) => Object.assign(spec.template.replicaScaling, { scalingType: 'AUTO', minReplicas: 5, maxReplicas: 4 }),
  ],
  [`${scaling}.count`, 'Maximum', 'Maximum Replicas of 10 is required', ({ spec }) => (spec.template.replicaScaling.count = 11)],
  [
    `${scaling}.cpuUtilization`,
    'Minimum',
    'Minimum CPU utilization of 60 is required',
    ({ spec }) => (spec.template.replicaScaling.cpuUtilization = 59),
  ],
  [
    `${health}.exec.command`,
    'Required',
    'Command is required',
    ({ spec }) => Object.assign(spec.template.healthCheck, { type: 'exec', exec: { command: [] } }),
  ],
  [
    `${traffic}.type`,
    'ExternalTrafficNeedsInternal',
    'External traffic cannot be on when internal traffic is off',
    ({ spec }) => (spec.exposedPort = null),
  ],
  [
    'spec.externalTrafficAuthentication',
    'ApiProxyNeedsJwt',
    'API proxy traffic supports only JWT authentication',
    ({ spec }) => (spec.externalTraffic.type = 'API_PROXY'),
  ],
  [
    'spec.outgoingTraffic.hosts.0',
    'NotAHost',
    'Outgoing hosts: api.example.com, api.example.com:8443 or *.example.com is expected',
    ({ spec }) => (spec.outgoingTraffic = { type: 'LISTED', hosts: ['https://api.example.com'] }),
  ],
  [
    'spec.outgoingTraffic.hosts.1',
    'PrivateHost',
    'Outgoing hosts: 127.0.0.1:5700 leads to the service itself, this machine or a private network',
    ({ spec }) => (spec.outgoingTraffic = { type: 'LISTED', hosts: ['api.example.com', '127.0.0.1:5700'] }),
  ],
  ['spec.outgoingTraffic.hosts', 'Required', 'Outgoing hosts is required', ({ spec }) => (spec.outgoingTraffic.type = 'LISTED')],
  [
    'spec.outgoingTraffic.type',
    'InvalidValue',
    'Outgoing traffic is not valid',
    ({ spec }) => Object.assign(spec.outgoingTraffic, { type: 'SOME' }),
  ],
  [
    `${traffic}.domain`,
    'DomainInUse',
    'Another service answers on taken.example.com/api/',
    ({ spec }) => Object.assign(spec.externalTraffic, { domain: 'taken.example.com', basePath: '/api/' }),
  ],
  [
    `${traffic}.domain`,
    'DomainInUse',
    'Another service answers on berth-taken.berth.development.localhost/',
    ({ spec }) => (spec.externalTraffic.domain = 'berth-taken.berth.development.localhost'),
  ],
  [
    `${traffic}.domain`,
    'DomainReserved',
    'The platform keeps quay-api.quay.production.localhost for itself',
    ({ spec }) => (spec.externalTraffic.domain = 'quay-api.quay.production.localhost'),
  ],
  [
    `${traffic}.domain`,
    'DoesNotMatchPattern',
    'Domain does not match expected pattern',
    ({ spec }) => (spec.externalTraffic.domain = '127.0.0.1'),
  ],
  [
    'spec.imageUpdatePolicy.regex.pattern',
    'NotARegularExpression',
    'Tag pattern is not a valid regular expression',
    ({ spec }) => (spec.imageUpdatePolicy = { type: 'REGEX', regex: { pattern: '(' } }),
  ],
  // Valid in JavaScript, but not in RE2.
  [
    'spec.imageUpdatePolicy.regex.pattern',
    'NotARegularExpression',
    'Tag pattern is not a valid regular expression',
    ({ spec }) => (spec.imageUpdatePolicy = { type: 'REGEX', regex: { pattern: '^(?!beta).*$' } }),
  ],
  [
    'spec.containerImageName',
    'NotARegistryPath',
    "Container image must contain full path to the company's container registry",
    ({ spec }) => (spec.containerImageName = 'docker.io/library/nginx'),
  ],
  [
    'spec.containerImageName',
    'HARBOR_REPOSITORY_ADDRESS_IS_WRONG_OR_IT_DOES_NOT_EXIST',
    'Container repository address is wrong or it does not exist',
    ({ spec }) => (spec.containerImageName += '-nowhere'),
  ],
  [
    'githubRepositoryName',
    'RepositoryNameOnly',
    'Github repository name must be valid or empty',
    (wanted) => (wanted.githubRepositoryName = 'https://github.com/berth/berth.git'),
  ],
  [
    'githubRepositoryName',
    'ChooseExistingRepository',
    'Please choose an existing GitHub repository',
    (wanted) => (wanted.githubRepositoryName = 'nowhere'),
  ],
  [
    'spec.template.vaultProxyEnabled',
    'NotOnThisEngine',
    'Vault proxy is not offered by this engine',
    ({ spec }) => (spec.template.vaultProxyEnabled = true),
  ],
];

test.each(rules)('%s: %s', async (field, code, message, change) => {
  const before = await rows();
  const answer = await call(serviceUpdate, { body: await changed(change) });
  const { errors } = answer.body as ErrorObject;
  const found = errors.find((error) => error.field === field);
  expect([answer.status, found?.code, messageOf(code, found?.context)], JSON.stringify(answer.body)).toEqual([400, code, message]);
  expect(await rows()).toBe(before);
  expect((await call(serviceUpdate, { query: { dryRun: true }, body: await changed(change) })).status).toBe(400);
});

test('all errors are reported at once, in the order of the screen', async () => {
  const all: Change = (wanted) => {
    wanted.githubRepositoryName = 'nowhere';
    wanted.spec.containerImageName = 'docker.io/library/nginx';
    wanted.spec.template.secretFileMounts = [mount({ secretGroup: 'not-attached' })];
    wanted.spec.imageUpdatePolicy = { type: 'REGEX', regex: { pattern: '^(?!beta).*$' } };
    Object.assign(wanted.spec.externalTraffic, { domain: 'taken.example.com', basePath: '/api' });
  };
  expect(await refused(all)).toEqual([
    400,
    'githubRepositoryName: ChooseExistingRepository',
    'spec.containerImageName: NotARegistryPath',
    'spec.template.secretFileMounts.0.secretGroup: SecretVolumeNotReferenced',
    'spec.imageUpdatePolicy.regex.pattern: NotARegularExpression',
    'spec.externalTraffic.domain: DomainInUse',
  ]);
});

describe('what is applied', () => {
  test('fixes the base path of an API proxy', async () => {
    const { pool } = app.database;
    const proxy: Change = ({ spec }) => {
      Object.assign(spec.externalTraffic, { type: 'API_PROXY', basePath: '/other' });
      spec.externalTrafficAuthentication = 'AZURE_AUTH';
    };
    const { spec } = await settings();
    const edge = { ...spec, externalTraffic: { ...spec.externalTraffic, type: 'API_PROXY', basePath: '/api' } };
    await pool.query(`update service set edge = $1 where name = 'berth'`, [JSON.stringify(edge)]);
    expect((await settings()).appliedBasePath).toBe('/api');
    expect(await refused(proxy)).toEqual([400, 'spec.externalTraffic.basePath: BasePathFixed']);
    await pool.query(`update service set edge = null where name = 'berth'`);
    expect((await plan(proxy)).changes.length).toBe(3);
  });
});

test('a registry that has moved to another address is no reason to refuse what was stored before', async () => {
  const { pool } = app.database;
  const move = (from: string, to: string) =>
    pool.query(
      `update service set spec = jsonb_set(spec, '{containerImageName}', to_jsonb(replace(spec ->> 'containerImageName', $1, $2)))`,
      [from, to],
    );
  const { host } = app.adapters.registry;
  await move(host, 'old:5000');
  expect((await settings()).imagePrefix).toBe('old:5000/berth/');
  expect((await plan(({ spec }) => (spec.resources.cpuMillicores = 300))).changes.map(({ label }) => label)).toEqual(['CPU']);
  expect(await refused(({ spec }) => (spec.containerImageName = 'other:5000/berth/berth'))).toEqual([
    400,
    'spec.containerImageName: NotARegistryPath',
  ]);
  await move('old:5000', host);
});

describe('warnings', () => {
  const codes = (answer: Plan) => answer.warnings.map(({ code, field }) => `${field}: ${code}`);
  test('of values that look like secrets, which are not quoted', async () => {
    const value = ['ghp', 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6'].join('_');
    const answer = await plan(({ spec }) => (spec.template.envVars = [{ name: 'GITHUB', source: 'STATIC', value }]));
    expect(answer.warnings).toEqual([
      { code: 'LooksLikeSecret', context: { name: 'GITHUB', kind: 'a GitHub token' }, field: 'spec.template.envVars.GITHUB' },
    ]);
  });
  test('of what is easily regretted', async () => {
    const auth = 'spec.externalTrafficAuthentication';
    expect(codes(await plan(({ spec }) => (spec.externalTrafficAuthentication = 'BASIC_AUTH')))).toEqual([`${auth}: BasicAuthWeak`]);
    expect(codes(await plan(({ spec }) => (spec.outgoingTraffic.type = 'ANY')))).toEqual(['spec.outgoingTraffic.type: OutgoingAny']);
    expect(codes(await plan(({ spec }) => (spec.rollout.strategy = 'RECREATE')))).toEqual(['spec.rollout.strategy: Downtime']);
    expect(codes(await plan(({ spec }) => (spec.template.healthCheck.enabled = false)))).toEqual([`${health}.enabled: NoHealthCheck`]);
    expect(codes(await plan(({ spec }) => (spec.imageUpdatePolicy = { type: 'REGEX', regex: { pattern: 'v.*' } })))).toEqual([
      'spec.imageUpdatePolicy.regex.pattern: PatternMatchesNothing',
    ]);
  });
});

test.each([
  ['a NUL', '\0'],
  ['half a character', '\ud800'],
])('%s in a variable is refused in a dry run as it is when it is saved', async (_name, value) => {
  const body = await changed(({ spec }: ServiceSettingsView) => (spec.template.envVars = [{ name: 'A', source: 'STATIC', value }]));
  for (const query of [{ dryRun: true }, {}])
    expect(errorsOf(await call(serviceUpdate, { body, query }))).toEqual([400, 'spec.template.envVars.0.value: BodyInvalid']);
});

describe('who and when', () => {
  const body = async () => changed(({ spec }) => (spec.resources.cpuMillicores = 300));
  test('strangers may not', async () => {
    expect((await call(serviceUpdate, { body: await body() }, 'stranger')).status).toBe(403);
    expect((await call(serviceUpdate, { query: { dryRun: true }, body: await body() }, 'stranger')).status).toBe(403);
  });
  test('not of a service that is not there', async () => {
    const answer = await call(serviceUpdate, { params: { service: 'berth-gone' }, body: await body() });
    expect(errorsOf(answer)).toEqual([404, 'undefined: ServiceDoesNotExist']);
  });
  test('not while a pipeline is at work, also not on trial; the screen says so', async () => {
    const { db } = app.database;
    await seedPipeline(db, { id: 'pl-busy', type: 'Deploy', subject: 'service:berth/development/berth', app: 'berth', state: 'RUNNING' });
    for (const query of [{}, { dryRun: true }])
      expect(errorsOf(await call(serviceUpdate, { query, body: await body() }))).toEqual([409, 'undefined: DeployPipelineAlreadyRunning']);
    expect(await settings()).toMatchObject({ canEdit: 'DeployPipelineAlreadyRunning', pipelineId: 'pl-busy' });
    await db.updateTable('pipeline_run').set({ state: 'COMPLETED', ended_at: new Date() }).execute();
  });
  test('not before it is created', async () => {
    const { pool } = app.database;
    await pool.query(`update service set state = 'NOT_CREATED' where name = 'berth'`);
    expect(errorsOf(await call(serviceUpdate, { body: await body() }))).toEqual([409, 'undefined: ServiceNotCreated']);
    expect((await settings()).canEdit).toBe('ServiceNotCreated');
    await pool.query(`update service set state = 'ACTIVE' where name = 'berth'`);
  });
  test('what looks like a secret is masked in the activity log', async () => {
    const value = ['ghp', 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6'].join('_');
    const wanted = await changed(({ spec }: ServiceSettingsView) => {
      spec.template.envVars = [{ name: 'GITHUB', source: 'STATIC', value }];
      spec.template.healthCheck.exec.command = ['probe', `--token=${value}`];
      spec.observability.metrics.path = `/metrics?token=${value}`;
    });
    expect((await call(serviceUpdate, { body: wanted })).status).toBe(202);
    const entries = JSON.stringify(await app.database.db.selectFrom('activity').selectAll().execute());
    expect([entries.includes('spec.template.envVars.GITHUB'), entries.includes(value)]).toEqual([true, false]);
    const run = await app.database.db.selectFrom('pipeline').select('facts').where('type', '=', 'UpdateService').executeTakeFirstOrThrow();
    expect(JSON.stringify(run)).not.toContain(value);
  });
});
