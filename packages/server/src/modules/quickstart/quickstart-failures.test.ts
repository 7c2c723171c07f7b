// @long (shared process): tries rare cases that take long
/** Quickstart failures: reported at the right place, nothing left on any engine, and Re-run and Discard work. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { applicationCreate, applicationDelete, applicationView, type Application } from '@slipway/contract/application.ts';
import { pipelineCancel, pipelineRerun, pipelineView, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import {
  quickstartApplicationCreate,
  quickstartPipelineView,
  quickstartServiceCreate,
  quickstartTemplateList,
} from '@slipway/contract/quickstart.ts';
import { serviceDelete, serviceView, type Service } from '@slipway/contract/service/service.ts';
import type { SourceFile } from '#ports/builder.ts';
import type { Registry } from '#ports/registry.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import { faultyPort, type FaultyPort } from '#testing/faults/faulty-port.ts';
import { seedApp } from '#testing/fixtures.ts';
import { crashing, good, unstartable, wrongPort } from '#testing/programs.ts';

let app: TestApp;
let registry: FaultyPort<Registry>;
let files: readonly SourceFile[] = good('one');

beforeAll(async () => {
  app = await testApp({
    templates: async () => files,
    adapt: (adapters) => {
      registry = faultyPort(adapters.registry);
      return { ...adapters, registry: registry.port };
    },
  });
  await seedApp(app.database.db, { id: 'taken' });
  await app.adapters.builder.warm();
});
afterAll(() => app?.close());
beforeEach(() => {
  files = good('one');
});

const wanted = (id: string, more: object = {}) => ({ id, displayName: 'A program', teamId: 'cranes', template: 'node-http-api', ...more });
const quickstart = (id: string): Promise<PipelineRun> => app.run('member', quickstartApplicationCreate, { body: wanted(id) });
const rerun = ({ pipelineId }: PipelineRun, body?: object) =>
  app.run('member', pipelineRerun, { params: { pipelineId }, ...(body ? { body } : {}) });
const discard = (id: string) => app.run('owner', applicationDelete, { params: { app: id } });
const appOf = async (id: string) => (await app.call('owner', applicationView, { params: { app: id } })).body as Application;
const serviceOf = async (id: string) =>
  (await app.call('member', serviceView, { params: { app: id, env: 'development', service: id } })).body as Service;
const failedStep = ({ status }: PipelineRun) => status.steps.find(({ state }) => state === 'FAILED')?.code;
const partOf = (text: string): unknown => expect.stringContaining(text);

const onEngines = async (id: string) => ({
  repositories: (await app.adapters.source.repositories(id)).length,
  projects: Number(await app.adapters.registry.projectExists(id)),
  images: (await app.adapters.registry.tags(`${id}/${id}`)).length,
  instances: (await app.adapters.runtime.list()).filter((view) => view.app === id).length,
});
const nothing = { repositories: 0, projects: 0, images: 0, instances: 0 };
/** The rows remain in state NOT_CREATED, so that the page can offer Re-run and Discard (decisions §11). */
const expectCleanSlate = async (id: string, left: object = nothing) => {
  expect(await onEngines(id)).toEqual(left);
  expect(await appOf(id)).toMatchObject({ state: 'NOT_CREATED', can: { delete: true } });
  expect(await serviceOf(id)).toMatchObject({
    state: 'NOT_CREATED',
    repositoryUrl: null,
    status: { url: null },
    can: { deploy: 'ServiceNotCreated', delete: true },
  });
};
const expectRunning = async (id: string) => {
  expect(await onEngines(id)).toEqual({ repositories: 1, projects: 1, images: 1, instances: 1 });
  expect([(await appOf(id)).state, (await serviceOf(id)).state]).toEqual(['ACTIVE', 'ACTIVE']);
  expect(await app.get((await serviceOf(id)).status.url ?? '')).toEqual({ status: 200, text: 'one' });
};

describe('a quickstart that is refused', () => {
  test.each([
    ['a taken name', wanted('taken'), [409, 'id: ApplicationAlreadyExists']],
    ['a reserved name', wanted('new'), [400, 'id: InvalidName']],
    ['a wrong name', wanted('My_App'), [400, 'id: KebabCase']],
    ['no name', wanted(''), [400, 'id: Required']],
    ['a template that is not there', wanted('fine', { template: 'cobol' }), [400, 'template: TemplateDoesNotExist']],
    ['a template of another kind of name', wanted('fine', { template: 'constructor' }), [400, 'template: TemplateDoesNotExist']],
    ['no team', wanted('fine', { teamId: '' }), [400, 'teamId: Required']],
    ["another's team", wanted('fine', { teamId: 'customs' }), [403, 'teamId: NotAMember']],
  ])('has %s, and leaves nothing', async (_name, body, errors) => {
    expect(errorsOf(await app.call('member', quickstartApplicationCreate, { body }))).toEqual(errors);
    expect((await app.call('owner', applicationView, { params: { app: 'fine' } })).status).toBe(404);
  });

  test('says which templates there are', async () => {
    const { body } = await app.call('stranger', quickstartTemplateList);
    expect((body as { id: string }[]).map(({ id }) => id)).toEqual(['node-http-api', 'node-web', 'node-worker']);
  });
});

describe("what is somebody else's", () => {
  test('a registry project stops it before anything is made', async () => {
    await app.adapters.registry.projectEnsure('other-project', 'somebody');
    const failed = await quickstart('other-project');
    expect(failed.statusMessage).toBe('The registry project other-project belongs to somebody else. Choose a different application name.');
    expect(failedStep(failed)).toBe('CheckNames');
    await expectCleanSlate('other-project', { ...nothing, projects: 1 });
    await app.adapters.registry.projectDelete('other-project');
    expect((await rerun(failed)).status.state).toBe('COMPLETED');
    await expectRunning('other-project');
  });

  test('a repository stops it, and survives failure, re-run and discard', async () => {
    const ref = { owner: 'other-source', name: 'other-source' };
    await app.adapters.source.createRepository(ref, good('theirs'), { message: 'Start', author: 'S', email: 's@x' });
    const failed = await quickstart('other-source');
    expect(failed.statusMessage).toBe('Github repository other-source/other-source already exists. Choose a different application name.');
    await expectCleanSlate('other-source', { ...nothing, repositories: 1 });
    expect((await rerun(failed, { from: 'start' })).status.state).toBe('FAILED');
    expect((await discard('other-source')).status.state).toBe('COMPLETED');
    expect(await onEngines('other-source')).toEqual({ ...nothing, repositories: 1 });
  });
});

describe('a program that does not run', () => {
  test('because it crashes, is reported with exit code and last words, soon, and everything is taken back', async () => {
    files = crashing();
    const startedAt = Date.now();
    const failed = await quickstart('crasher');
    expect(Date.now() - startedAt).toBeLessThan(15_000);
    expect([failed.status.state, failedStep(failed)]).toEqual(['FAILED', 'StartInstances']);
    expect(failed.statusMessage).toBe('The instances exit right after the start: exit code 3. It said: Error: no berth is free');
    const forOthers = await app.call('stranger', pipelineView, { params: { pipelineId: failed.pipelineId } });
    expect(forOthers.body).toMatchObject({ statusMessage: partOf('exit code 3') });
    expect(JSON.stringify(forOthers.body)).not.toContain('no berth is free');
    await expectCleanSlate('crasher');
    files = good('one');
    const again = await rerun(failed);
    expect(again).toMatchObject({ pipelineId: failed.pipelineId, status: { state: 'COMPLETED' }, statusMessage: null });
    await expectRunning('crasher');
  });

  test('because it listens on another port, is reported with that port', async () => {
    files = wrongPort();
    const failed = await quickstart('wrong-port');
    expect(failed.statusMessage).toMatch(/^The container listens on port \d+, .*environment variable PORT/);
    await expectCleanSlate('wrong-port');
  });

  test('because nothing says how to start it, is reported at the build', async () => {
    files = unstartable();
    const failed = await quickstart('no-start');
    expect([failedStep(failed), failed.statusMessage]).toEqual(['BuildImage', partOf('does not say how to start')]);
    await expectCleanSlate('no-start');
  });

  test('because its image is not there, is reported so', async () => {
    registry.next('image', async () => undefined);
    const failed = await quickstart('no-image');
    expect([failedStep(failed), failed.statusMessage]).toEqual(['ValidateContainerImage', partOf('There is no image')]);
    await expectCleanSlate('no-image');
  });

  test('because something nobody foresaw happens, is reported with a trace id and nothing else', async () => {
    registry.next('robotEnsure', () => Promise.reject(new Error('password=hunter2')));
    const failed = await quickstart('unforeseen');
    expect(failed.statusMessage).toMatch(/^Something went wrong on our side\. .* Trace Id: [0-9a-f]{32}$/);
    expect(JSON.stringify(failed)).not.toContain('hunter2');
    await expectCleanSlate('unforeseen');
  });
});

describe('an engine that is away', () => {
  test('is waited for, visibly, and the quickstart completes', async () => {
    registry.away('projectExists', 'registry');
    const started = (await app.call('member', quickstartApplicationCreate, { body: wanted('patient') })).body as PipelineRun;
    const params = { pipelineId: started.pipelineId };
    const messages = async () =>
      ((await app.call('stranger', quickstartPipelineView, { params })).body as PipelineRun).status.steps.map(({ message }) => message);
    await expect.poll(messages).toContainEqual({ code: 'EngineUnavailable', context: { engine: 'registry', attempt: '2' } });
    expect((await app.ended(started.pipelineId)).status.state).toBe('COMPLETED');
    await expectRunning('patient');
  });
});

describe('a database that crashes', () => {
  test('and forgets that the names were free, finds its own repository', async () => {
    // Simulates a crash: the newest commits are lost, and the step that created the repository ends on a replica that has lost the run.
    const forget = (pipelineId: string) =>
      app.database.pool.query(
        `update pipeline_step set state = case index when 0 then 'RUNNING' else 'PENDING' end, ended_at = null
         where run_id = (select run_id from pipeline_run where pipeline_id = $1)`,
        [pipelineId],
      );
    const reached = Promise.withResolvers<void>();
    const forgotten = Promise.withResolvers<void>();
    registry.next('projectEnsure', async (...input) => {
      reached.resolve();
      await forgotten.promise;
      return app.adapters.registry.projectEnsure(...(input as [string, string]));
    });
    const { pipelineId } = (await app.call('member', quickstartApplicationCreate, { body: wanted('forgotten') })).body as PipelineRun;
    await reached.promise;
    expect((await onEngines('forgotten')).repositories).toBe(1);
    await forget(pipelineId);
    forgotten.resolve();
    expect(await app.ended(pipelineId)).toMatchObject({ status: { state: 'COMPLETED' }, statusMessage: null });
    await expectRunning('forgotten');
  });
});

describe('a quickstart that is cancelled', () => {
  test('in the middle is taken back, and can be re-run', async () => {
    files = wrongPort();
    const started = (await app.call('member', quickstartApplicationCreate, { body: wanted('cancelled') })).body as PipelineRun;
    const params = { pipelineId: started.pipelineId };
    const instances = async () => (await onEngines('cancelled')).instances;
    await expect.poll(instances).toBe(1);
    expect((await app.call('stranger', pipelineCancel, { params })).status).toBe(403);
    expect((await app.call('member', pipelineCancel, { params })).status).toBe(202);
    const ended = await app.ended(started.pipelineId);
    expect([ended.status.state, ended.status.steps.find(({ state }) => state === 'CANCELED')?.code]).toEqual([
      'CANCELED',
      'StartInstances',
    ]);
    await expectCleanSlate('cancelled');
    files = good('one');
    expect((await rerun(ended)).status.state).toBe('COMPLETED');
    await expectRunning('cancelled');
    expect((await app.call('member', pipelineCancel, { params })).status).toBe(409);
  });
});

test('a discarded app is gone, its name is free, and its old pipeline is powerless', async () => {
  files = unstartable();
  const failed = await quickstart('discarded');
  expect(errorsOf(await app.call('member', quickstartApplicationCreate, { body: wanted('discarded') }))).toEqual([
    409,
    'id: ApplicationAlreadyExists',
  ]);
  await discard('discarded');
  expect(await onEngines('discarded')).toEqual(nothing);
  expect((await app.call('owner', applicationView, { params: { app: 'discarded' } })).status).toBe(404);
  files = good('one');
  expect((await quickstart('discarded')).status.state).toBe('COMPLETED');
  const again = await app.run('administrator', pipelineRerun, { params: { pipelineId: failed.pipelineId }, body: { from: 'start' } });
  expect([again.status.state, again.statusMessage]).toEqual(['FAILED', 'It was discarded meanwhile.']);
  await expectRunning('discarded');
});

describe('a quickstart of a service', () => {
  const body = (name: string, more: object = {}) => ({ app: 'harbour', environment: 'production', name, template: 'node-web', ...more });
  const create = (name: string) => app.run('member', quickstartServiceCreate, { body: body(name) });
  const params = { app: 'harbour', env: 'production', service: 'harbour-gate' };
  beforeAll(async () => {
    await app.run('member', applicationCreate, { body: { id: 'harbour', displayName: 'Harbour', teamId: 'cranes' } });
  });

  test.each([
    ['another beginning', body('gate'), [400, 'name: ServiceNameMustStartWithApplicationName']],
    ['a name that only looks like it', body('harbourgate'), [400, 'name: ServiceNameMustStartWithApplicationName']],
    ['a long name', body(`harbour-${'x'.repeat(45)}`), [400, 'name: ExceedsMaximumLength']],
    ['no app', body('nowhere-gate', { app: 'nowhere' }), [404, 'app: ApplicationDoesNotExists']],
    ['an app that was not created', body('no-start-gate', { app: 'no-start' }), [409, 'app: ApplicationNotCreated']],
    ['another environment', body('harbour-gate', { environment: 'staging' }), [400, 'environment: InvalidValue']],
  ])('with %s is refused', async (_name, wrong, errors) => {
    expect(errorsOf(await app.call('member', quickstartServiceCreate, { body: wrong }))).toEqual(errors);
  });

  test('that fails is discarded alone: the app and its project stay', async () => {
    files = crashing();
    const failed = await create('harbour-gate');
    expect(failed).toMatchObject({ pipelineType: 'QuickstartService', status: { state: 'FAILED' } });
    expect((await app.call('member', serviceView, { params })).body).toMatchObject({
      state: 'NOT_CREATED',
      creationPipelineId: failed.pipelineId,
    });
    expect(await app.adapters.source.repositories('harbour')).toEqual([]);
    expect(await app.adapters.registry.tags('harbour/harbour-gate')).toEqual([]);
    expect((await app.run('member', serviceDelete, { params })).status.state).toBe('COMPLETED');
    expect((await app.call('member', serviceView, { params })).status).toBe(404);
    expect([(await appOf('harbour')).state, await app.adapters.registry.projectExists('harbour')]).toEqual(['ACTIVE', true]);
  });

  test('works, and its name is taken from then on', async () => {
    expect((await create('harbour-gate')).status.state).toBe('COMPLETED');
    const { status } = (await app.call('member', serviceView, { params })).body as Service;
    expect(await app.get(status.url ?? '')).toEqual({ status: 200, text: 'one' });
    expect(errorsOf(await app.call('member', quickstartServiceCreate, { body: body('harbour-gate') }))).toEqual([
      409,
      'name: ServiceAlreadyExists',
    ]);
  });

  test('cannot be deleted while it is made', async () => {
    const started = (await app.call('member', quickstartServiceCreate, { body: body('harbour-tower') })).body as PipelineRun;
    const tower = { ...params, service: 'harbour-tower' };
    expect(errorsOf(await app.call('member', serviceDelete, { params: tower }))).toEqual([409, 'undefined: DeployPipelineAlreadyRunning']);
    expect((await app.call('member', serviceView, { params: tower })).body).toMatchObject({ status: { pipelineId: started.pipelineId } });
    expect((await app.ended(started.pipelineId)).status.state).toBe('COMPLETED');
    expect((await app.call('member', pipelineView, { params: { pipelineId: started.pipelineId } })).body).toMatchObject({
      can: { rerun: 'PipelineNotFailed' },
    });
  });
});
