/** Every kind of change to a service over HTTP: the plan names the same steps as the run. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { Plan } from '@slipway/contract/pipeline/plan.ts';
import { revisionActivation, revisionDelete } from '@slipway/contract/service/revision.ts';
import {
  serviceCopy,
  serviceCreate,
  serviceRepositorySet,
  serviceRollback,
  serviceUpdate,
} from '@slipway/contract/service/service-operations.ts';
import { newServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { serviceActivation, serviceDelete, serviceDeploy } from '@slipway/contract/service/service.ts';
import { testApp, type Request, type TestApp } from '#testing/app.ts';
import { good } from '#testing/programs.ts';
import { berthOf, done, makeBerth, type Change } from './settings/settings.fixture.ts';

let app: TestApp;
const { call, run, changed, push, revisions } = berthOf(() => app);
const seen = new Set<string>();

beforeAll(async () => {
  app = await testApp({ templates: async () => good('one') });
  await makeBerth(app);
  await push('two', good('two'));
  await app.adapters.source.createRepository({ owner: 'berth', name: 'empty' }, [], { message: 'Start', author: 'O', email: 'o@x' });
});
afterAll(() => app?.close());

/** Returns the steps. */
const planAndRun = async (route: RouteShape, request: Request): Promise<string[]> => {
  const { status, body } = await call(route, { ...request, query: { dryRun: true } });
  expect(status, JSON.stringify(body)).toBe(200);
  const { pipelineType, steps } = body as Plan;
  const ran = await run(route, request);
  expect([ran.status.state, ran.pipelineType], ran.statusMessage ?? '').toEqual(['COMPLETED', pipelineType]);
  expect(steps.map(({ code }) => code)).toEqual(done(ran));
  seen.add(pipelineType);
  return done(ran);
};
const saved = ['ValidateService', 'UpdateService'];
const rolled = ['ValidateService', 'ValidateContainerImage', 'UpdateService', 'CreateRevision', 'StartInstances', 'ShiftTraffic'];
const memory =
  (megabytes: number): Change =>
  ({ spec }) =>
    (spec.resources.memoryMegabytes = megabytes);
const active =
  (isActive: boolean): Change =>
  (settings) =>
    (settings.active = isActive);

test.each<[name: string, change: Change, steps: string[]]>([
  ['only saved', ({ spec }) => (spec.scaleDownAfterDays = 9), saved],
  ['with a new revision', memory(300), [...rolled, 'RetireOldRevisions']],
  ['that scale', ({ spec }) => (spec.template.replicaScaling.count = 2), [...saved, 'ScaleInstances']],
  ['of the edge', ({ spec }) => (spec.externalTraffic.config.readTimeoutMs += 1), [...saved, 'ConfigureExternalTraffic']],
  [
    'with a password',
    ({ spec }) => (spec.externalTrafficAuthentication = 'BASIC_AUTH'),
    ['ValidateService', 'ConfigureCredentials', 'UpdateService', 'ConfigureExternalTraffic'],
  ],
  ['that stop it', active(false), [...saved, 'StopInstances']],
  ['while it is stopped', memory(301), saved],
  ['that start it with them', active(true), [...rolled, 'RetireOldRevisions']],
  ['that stop it again', active(false), [...saved, 'StopInstances']],
  ['that start it as it was', active(true), [...saved, 'StartInstances', 'ShiftTraffic']],
  [
    'that stop the old revision first',
    (settings) => {
      memory(302)(settings);
      settings.spec.rollout.strategy = 'RECREATE';
    },
    [...rolled.slice(0, 4), 'StopOldRevisions', ...rolled.slice(4), 'RetireOldRevisions'],
  ],
])('settings %s', async (_name, change, steps) => {
  expect(await planAndRun(serviceUpdate, { body: await changed(change) })).toEqual(steps);
});

const copy = { environment: 'production', name: 'berth', carry: 'all', overwrite: false };
const blank = { service: 'berth-blank' };
test.each<[name: string, route: RouteShape, request: Request]>([
  ['a deploy, which stops the old revision first', serviceDeploy, { body: { imageTag: 'two' } }],
  ['a deactivation', serviceActivation, { body: { active: false } }],
  ['an activation', serviceActivation, { body: { active: true } }],
  ['a rollback', serviceRollback, { body: { revision: 'berth-1', reason: 'It was better' } }],
  ['a copy of the settings alone', serviceCopy, { body: { ...copy, name: 'berth-copy', imageTag: null } }],
  ['a copy that is deployed', serviceCopy, { body: { ...copy, imageTag: 'two' } }],
  ['a copy onto what runs', serviceCopy, { body: { ...copy, carry: [], overwrite: true, imageTag: 'two' } }],
  ['a blank service', serviceCreate, { body: { name: 'berth-blank' } }],
  ['an activation of nothing', serviceActivation, { params: { service: 'berth-copy', env: 'production' }, body: { active: false } }],
  ['connecting alone', serviceRepositorySet, { params: blank, body: { githubRepositoryName: 'berth', buildNow: false } }],
  ['connecting and building', serviceRepositorySet, { params: blank, body: { githubRepositoryName: 'berth', buildNow: true } }],
  ['building again, which replaces', serviceRepositorySet, { params: blank, body: { githubRepositoryName: 'berth', buildNow: true } }],
  ['disconnecting', serviceRepositorySet, { params: blank, body: { githubRepositoryName: null, buildNow: false } }],
  ['deleting a service', serviceDelete, { params: { service: 'berth-copy', env: 'production' } }],
])('%s', async (_name, route, request) => {
  await planAndRun(route, request);
});

test('a service with a password and a repository', async () => {
  const spec = newServiceSpec(`${app.adapters.registry.host}/berth/berth-guarded`);
  spec.externalTrafficAuthentication = 'BASIC_AUTH';
  const steps = await planAndRun(serviceCreate, { body: { name: 'berth-guarded', githubRepositoryName: 'berth', spec } });
  expect(steps).toEqual(['ValidateService', 'CreateRegistryProject', 'CreateService', 'ConfigureCredentials', 'ConnectRepository']);
});

test('a revision that is kept: disabled, enabled again, deleted', async () => {
  await planAndRun(serviceUpdate, { body: await changed(({ spec }) => (spec.rollout.strategy = 'RED_BLACK')) });
  await planAndRun(serviceDeploy, { body: { imageTag: 'two' } });
  const [serving, kept] = (await revisions()).filter(({ status }) => status !== 'DELETED').map(({ name }) => name);
  const at = (revision = '') => ({ params: { revision } });
  expect(await planAndRun(revisionActivation, { ...at(kept), body: { enabled: true } })).toContain('RetireOldRevisions');
  expect(await planAndRun(revisionActivation, { ...at(kept), body: { enabled: false } })).toEqual(['ValidateService', 'StopInstances']);
  expect(await planAndRun(revisionActivation, { ...at(kept), body: { enabled: true } })).not.toContain('RetireOldRevisions');
  expect(await planAndRun(revisionDelete, at(serving))).toEqual(['DeleteRevision']);
});

test('that were all that have a plan', () => {
  expect([...seen].toSorted()).toEqual([
    'ConnectRepository',
    'CopyService',
    'CreateService',
    'DeleteRevision',
    'DeleteService',
    'Deploy',
    'RevisionActivation',
    'Rollback',
    'ServiceActivation',
    'UpdateService',
  ]);
});
