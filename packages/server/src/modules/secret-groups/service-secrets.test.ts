/** Tests how a running service reads secrets: only with its next revision, from environment and files, and never a wrong value. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import { revisionActivation, revisionView, type Revision } from '@slipway/contract/service/revision.ts';
import {
  secretGroupCreate,
  secretGroupRestart,
  secretGroupView,
  secretVersionCreate,
  secretVersionDelete,
  serviceSecretGroupAttach,
  serviceSecretGroupDetach,
  serviceSecretGroupList,
  type SecretGroup,
  type ServiceSecretGroup,
} from '@slipway/contract/secret/secret-group.ts';
import { pipelineStepLogs, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { serviceDeploy, serviceView, type Service } from '@slipway/contract/service/service.ts';
import { testApp, type Request, type TestApp } from '#testing/app.ts';
import { good, goodMain } from '#testing/programs.ts';

const params = { app: 'berth', env: 'development', service: 'berth', group: 'orders-db' };
const withFiles = `import fs from 'node:fs';\n${goodMain('one').replace(
  "if (request.url === '/env')",
  "if (request.url.startsWith('/run/')) return response.end(fs.existsSync(request.url) ? fs.readFileSync(request.url) : 'nothing');\n  if (request.url === '/env')",
)}`;

let app: TestApp;
beforeAll(async () => {
  const files = good('one').map((file) => (file.path === 'main.js' ? { ...file, content: Buffer.from(withFiles) } : file));
  app = await testApp({ templates: async () => files });
  const body = { id: 'berth', teamId: 'cranes', template: 'node-http-api' };
  expect(await app.run('member', quickstartApplicationCreate, { body })).toMatchObject({ status: { state: 'COMPLETED' } });
  await call(secretGroupCreate, {
    body: {
      name: 'orders-db',
      entries: [
        { key: 'PASSWORD', value: 'first' },
        { key: 'tls.pem', value: 'x\ny' },
      ],
    },
  });
});
afterAll(() => app?.close());

const call = (route: RouteShape, request: Request = {}) =>
  app.call('member', route, { ...request, params: { ...params, ...request.params } });
const group = async () => (await call(secretGroupView)).body as SecretGroup;
const service = async () => (await call(serviceView)).body as Service;
const get = async (path: string) => (await app.get(`${(await service()).status.url ?? ''}${path}`)).text;
const env = async () => JSON.parse(await get('env')) as Record<string, string>;
const change = async (entries: { key: string; value: string }[]) =>
  call(secretVersionCreate, { body: { basedOn: (await group()).version, entries } });
const restart = async (): Promise<PipelineRun> => {
  const { status, body } = await call(secretGroupRestart, { body: {} });
  expect(status).toBe(202);
  return app.ended((body as { pipelines: PipelineRun[] }).pipelines[0]?.pipelineId ?? '');
};
const serving = async () => (await call(revisionView, { params: { revision: (await service()).status.serving ?? '' } })).body as Revision;
const attached = async () => ((await call(serviceSecretGroupList)).body as ServiceSecretGroup[])[0];
const setTemplate = (template: object) =>
  app.database.pool.query(`update service set spec = jsonb_set(spec, '{template}', spec -> 'template' || $1)`, [JSON.stringify(template)]);
const deploy = async () => app.run('member', serviceDeploy, { params, body: { imageTag: (await service()).status.imageTag } });

test('an attached group is read with the next revision, which names the version', async () => {
  await call(serviceSecretGroupAttach, { body: {} });
  expect((await env())['PASSWORD']).toBeUndefined();
  expect(await attached()).toMatchObject({ version: 1, runsVersion: null, needsRestart: true });
  const before = await serving();
  expect(await restart()).toMatchObject({ status: { state: 'COMPLETED' } });
  expect(await env()).toMatchObject({ PASSWORD: 'first' });
  const after = await serving();
  expect(after).toMatchObject({ secretVersions: { 'orders-db': 1 }, imageDigest: before.imageDigest, imageTag: before.imageTag });
  expect(after.number).toBe(before.number + 1);
  expect(JSON.stringify(after)).not.toContain('first');
  expect(await attached()).toMatchObject({ runsVersion: 1, needsRestart: false });
  expect((await call(secretGroupRestart, { body: {} })).status).toBe(409);
});

test('a new version is read after a restart, and not before, not even when the program starts again', async () => {
  expect((await change([{ key: 'PASSWORD', value: 'second' }])).status).toBe(201);
  expect(await env()).toMatchObject({ PASSWORD: 'first' });
  await app.restart();
  await expect
    .poll(async () => JSON.parse((await get('env')).replace(/^[^{].*/s, '{}')) as object)
    .toMatchObject({
      PASSWORD: 'first',
    });
  expect((await group()).services).toEqual([
    { service: 'berth', exposeAsEnvironment: true, isAutoAttached: false, runsVersion: 1, needsRestart: true },
  ]);
  await restart();
  expect(await env()).toMatchObject({ PASSWORD: 'second' });
  expect((await serving()).secretVersions).toEqual({ 'orders-db': 2 });
});

test('settings name keys and mounts; what they say themselves wins', async () => {
  const mount = { secretGroup: 'orders-db', includeAllKeys: true, secretKey: null };
  await setTemplate({
    envVars: [
      { name: 'PASSWORD', source: 'STATIC', value: 'own' },
      { name: 'DB_PASSWORD', source: 'SECRET_KEY', secretGroup: 'orders-db', secretKey: 'PASSWORD' },
    ],
    secretFileMounts: [
      { ...mount, mountPath: '/run/all', fileFormat: 'File' },
      { ...mount, mountPath: '/run/env', fileFormat: 'env' },
      { ...mount, mountPath: '/run/json', fileFormat: 'JSON' },
      { ...mount, mountPath: '/run/yaml', fileFormat: 'YAML' },
      { ...mount, mountPath: '/run/bash', fileFormat: 'Bash' },
      { ...mount, mountPath: '/run/ps', fileFormat: 'PowerShell' },
      { ...mount, mountPath: '/run/one', fileFormat: 'File', includeAllKeys: false, secretKey: 'tls.pem' },
    ],
  });
  expect(await deploy()).toMatchObject({ status: { state: 'COMPLETED' } });
  expect(await env()).toMatchObject({ PASSWORD: 'own', DB_PASSWORD: 'second' });
  // Without namespaces there is no place to show them.
  if ((await app.adapters.runtime.capabilities()).tier === 'host') return;
  const files = ['all/PASSWORD', 'all/tls.pem', 'env/orders-db.env', 'json/orders-db.json', 'yaml/orders-db.yaml', 'bash/orders-db.sh'];
  const read = [];
  for (const file of [...files, 'ps/orders-db.ps1', 'one/tls.pem', 'one/PASSWORD']) read.push(await get(`run/${file}`));
  expect(read).toEqual([
    'second',
    'x\ny',
    "PASSWORD='second'\ntls.pem='x\ny'\n",
    '{\n  "PASSWORD": "second",\n  "tls.pem": "x\\ny"\n}\n',
    '"PASSWORD": "second"\n"tls.pem": "x\\ny"\n',
    "export PASSWORD='second'\n",
    "${env:PASSWORD} = 'second'\n${env:tls.pem} = 'x\ny'\n",
    'x\ny',
    'nothing',
  ]);
});

describe('settings that name what the service does not read fail the deploy, and the error says what', () => {
  const keyOf = (secretGroup: string, secretKey: string) => ({
    envVars: [{ name: 'X', source: 'SECRET_KEY', secretGroup, secretKey }],
    secretFileMounts: [],
  });
  const mountOf = (secretGroup: string, secretKey: string, fileFormat = 'file') => ({
    envVars: [],
    secretFileMounts: [{ mountPath: '/run/x', secretGroup, includeAllKeys: false, fileFormat, secretKey }],
  });
  test.each([
    ['SecretKeyNotReferenced', keyOf('mail', 'A'), 'X needs A of mail'],
    ['SecretKeyNotReferenced', keyOf('orders-db', 'NONE'), 'X needs NONE of orders-db'],
    ['SecretVolumeNotReferenced', mountOf('mail', 'A'), '/run/x needs mail A'],
    ['SecretVolumeNotReferenced', mountOf('orders-db', 'NONE'), '/run/x needs orders-db NONE'],
    ['SecretFileFormatUnknown', mountOf('orders-db', 'PASSWORD', 'toml'), '/run/x is to be written as toml'],
  ])('%s', async (code, template, reported) => {
    await setTemplate(template);
    const ended = await deploy();
    const step = ended.status.steps.find(({ state }) => state === 'FAILED');
    expect(step).toMatchObject({ code: 'ValidateService', message: { code, context: {} } });
    const log = await call(pipelineStepLogs, { params: { pipelineId: ended.pipelineId, step: 'ValidateService' } });
    expect(JSON.stringify(log.body)).toContain(reported);
    await setTemplate({ envVars: [], secretFileMounts: [] });
  });
});

test('what cannot be read starts nothing, and what served goes on', async () => {
  await change([{ key: 'PASSWORD', value: 'third' }]);
  await app.database.pool.query(`update secret_value set sealed = substring(sealed for length(sealed) - 1) where version = 3`);
  const before = await serving();
  const ended = await restart();
  expect(ended.status.state).toBe('FAILED');
  expect(ended.status.steps.find(({ state }) => state === 'FAILED')).toMatchObject({
    code: 'StartInstances',
    message: { code: 'SecretUnreadable' },
  });
  expect((await serving()).name).toBe(before.name);
  expect(await env()).toMatchObject({ DB_PASSWORD: 'second' });
  expect(
    (await call(secretVersionCreate, { body: { basedOn: 3, isReplacement: true, entries: [{ key: 'PASSWORD', value: 'fourth' }] } }))
      .status,
  ).toBe(201);
  expect(await restart()).toMatchObject({ status: { state: 'COMPLETED' } });
  expect(await env()).toMatchObject({ PASSWORD: 'fourth' });
});

test('a detached group is not read by the next revision', async () => {
  expect((await call(serviceSecretGroupDetach)).status).toBe(204);
  expect(await env()).toMatchObject({ PASSWORD: 'fourth' });
  await deploy();
  expect((await env())['PASSWORD']).toBeUndefined();
  expect((await serving()).secretVersions).toEqual({});
});

test('groups that attach themselves are read by all; of two with one key the later by name is', async () => {
  const create = (name: string, values: Record<string, string>) =>
    call(secretGroupCreate, {
      body: { name, autoAttach: true, entries: Object.entries(values).map(([key, value]) => ({ key, value })) },
    });
  await create('all-of-them', { PASSWORD: 'early', SHARED: 'yes' });
  await create('zebra', { PASSWORD: 'late' });
  await deploy();
  expect(await env()).toMatchObject({ PASSWORD: 'late', SHARED: 'yes' });
  expect((await serving()).secretVersions).toEqual({ 'all-of-them': 1, zebra: 1 });
});

test('a revision that is enabled again reads what it read then', async () => {
  await app.database.pool.query(`update service set spec = jsonb_set(spec, '{rollout,strategy}', '"RED_BLACK"')`);
  const before = await serving();
  const body = { basedOn: 1, entries: [{ key: 'PASSWORD', value: 'newest' }] };
  expect((await call(secretVersionCreate, { params: { group: 'zebra' }, body })).status).toBe(201);
  await deploy();
  expect(await env()).toMatchObject({ PASSWORD: 'newest' });
  const enabled = { params: { ...params, revision: before.name }, body: { enabled: true } };
  expect(await app.run('member', revisionActivation, enabled)).toMatchObject({ status: { state: 'COMPLETED' } });
  expect(await env()).toMatchObject({ PASSWORD: 'late', SHARED: 'yes' });
  expect(await serving()).toMatchObject({ name: before.name, secretVersions: { zebra: 1 } });
  // Kept for as long as a revision may come back to it.
  const remove = await call(secretVersionDelete, { params: { group: 'zebra', version: '1' } });
  expect(remove.status).toBe(409);
});

test('a program that dies with a secret on its lips does not put it into the pipeline', async () => {
  const main = "console.error('Error: no route to postgres://berth:' + process.env.PASSWORD + '@db');\nprocess.exit(1);\n";
  const files = good('two').map((file) => (file.path === 'main.js' ? { ...file, content: Buffer.from(main) } : file));
  const build = { buildId: 'telling', files, repository: 'berth/berth', tag: 'telling', labels: {}, onLog: () => {} };
  await app.adapters.builder.build(build);
  const body = { basedOn: 2, entries: [{ key: 'PASSWORD', value: 'correct-horse' }] };
  expect((await call(secretVersionCreate, { params: { group: 'zebra' }, body })).status).toBe(201);
  const ended = await app.run('member', serviceDeploy, { params, body: { imageTag: 'telling' } });
  const step = ended.status.steps.find(({ state }) => state === 'FAILED');
  expect(step?.message).toMatchObject({
    code: 'CrashLoop',
    context: { lastLine: 'It said: Error: no route to postgres://berth:•••@db' },
  });
  expect(JSON.stringify(ended)).not.toContain('correct-horse');
});
