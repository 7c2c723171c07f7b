/** A service's life cycle over HTTP, on the real registry and runtime: deploys, strategies, activation, revisions, deletion. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appActivityList, type Activity } from '@slipway/contract/activity.ts';
import type { ErrorObject } from '@slipway/contract/kernel/errors.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { pipelineStepLogs, type LogEntry, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import {
  revisionActivation,
  revisionDelete,
  revisionInstances,
  revisionList,
  revisionLogs,
  revisionView,
  type Revision,
} from '@slipway/contract/service/revision.ts';
import type { ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import {
  serviceActivation,
  serviceDelete,
  serviceDeploy,
  serviceList,
  servicePipelineList,
  serviceTagList,
  serviceView,
  type Service,
} from '@slipway/contract/service/service.ts';
import type { SourceFile } from '#ports/builder.ts';
import { errorsOf, testApp, type Request, type TestApp } from '#testing/app.ts';
import type { Actor } from '#testing/actors.ts';
import { crashing, good } from '#testing/programs.ts';
import { steadyLoad } from '#testing/load/steady-load.ts';

let app: TestApp;
const path = { app: 'berth', env: 'development', service: 'berth' };

const push = (tag: string, files: readonly SourceFile[]) =>
  app.adapters.builder.build({ buildId: `build-${tag}`, files, repository: 'berth/berth', tag, labels: {}, onLog: () => {} });

beforeAll(async () => {
  app = await testApp({ templates: async () => good('one') });
  const body = { id: 'berth', teamId: 'cranes', template: 'node-http-api' };
  expect(await app.run('member', quickstartApplicationCreate, { body })).toMatchObject({ status: { state: 'COMPLETED' } });
  await push('two', good('two'));
  await push('crash', crashing());
});
afterAll(() => app?.close());

const call = (route: RouteShape, request: Request = {}, actor: Actor = 'member') =>
  app.call(actor, route, { ...request, params: { ...path, ...request.params } });
const run = (route: RouteShape, request: Request = {}) => app.run('member', route, { ...request, params: { ...path, ...request.params } });
const service = async (actor: Actor = 'member') => (await call(serviceView, {}, actor)).body as Service;
const revisions = async () => ((await call(revisionList)).body as Page<Revision>).content;
const revision = async (name: string, actor: Actor = 'member') =>
  (await call(revisionView, { params: { revision: name } }, actor)).body as Revision;
const deploy = (imageTag: string): Promise<PipelineRun> => run(serviceDeploy, { body: { imageTag } });
const url = async () => (await service()).status.url ?? '';
const answer = async () => (await app.get(await url())).text;
const serving = async () => (await service()).status.serving ?? '';

/** Changes the spec directly in the row. */
const changeSpec = async (change: (spec: ServiceSpec) => ServiceSpec) => {
  const row = await app.database.db.selectFrom('service').select(['id', 'spec']).where('name', '=', 'berth').executeTakeFirstOrThrow();
  await app.database.db
    .updateTable('service')
    .set({ spec: JSON.stringify(change(row.spec as ServiceSpec)) })
    .where('id', '=', row.id)
    .execute();
};
const useStrategy = (strategy: ServiceSpec['rollout']['strategy']) => changeSpec((spec) => ({ ...spec, rollout: { strategy } }));

describe('a deploy', () => {
  test('of a tag that does not exist is refused at its field', async () => {
    const refused = await call(serviceDeploy, { body: { imageTag: 'three' } });
    expect(errorsOf(refused)).toEqual([400, 'imageTag: ImageTagDoesNotExist']);
    expect((refused.body as ErrorObject).errors[0]?.context).toMatchObject({ tag: 'three' });
    expect(errorsOf(await call(serviceDeploy, { body: { imageTag: '../x' } }))).toEqual([400, 'imageTag: DoesNotMatchPattern']);
  });

  test('replaces the old revision without a failed request', async () => {
    const before = await serving();
    const load = steadyLoad(app, await url());
    const done = await deploy('two');
    const { count, answers, failures } = await load.stop();
    expect(done).toMatchObject({ pipelineType: 'Deploy', status: { state: 'COMPLETED' }, facts: { imageTag: 'two', revision: 'berth-2' } });
    expect(failures).toEqual([]);
    expect([count > 10, answers.at(-1)]).toEqual([true, 'two']);
    expect((await service()).status).toMatchObject({
      serving: 'berth-2',
      imageTag: 'two',
      health: 'HEALTHY',
      replicasReady: 1,
      pipelineId: null,
    });
    expect(await revision(before)).toMatchObject({
      status: 'DELETED',
      isServing: false,
      replicasReady: 0,
      can: { enable: 'RevisionBeingDeleted' },
    });
  });

  test('is refused while another is at work', async () => {
    const [first, second] = [
      await call(serviceDeploy, { body: { imageTag: 'two' } }),
      await call(serviceDeploy, { body: { imageTag: 'two' } }),
    ];
    expect([first.status, ...errorsOf(second)]).toEqual([202, 409, 'undefined: DeployPipelineAlreadyRunning']);
    expect(await service()).toMatchObject({ can: { deploy: 'DeployPipelineAlreadyRunning' } });
    await app.ended((first.body as PipelineRun).pipelineId);
    expect((await service()).can).toMatchObject({ deploy: true });
  });

  test('of a program that crashes fails soon, says why, and leaves the old revision serving', async () => {
    const before = await serving();
    const startedAt = Date.now();
    const failed = await deploy('crash');
    expect(Date.now() - startedAt).toBeLessThan(15_000);
    expect(failed).toMatchObject({
      status: { state: 'FAILED' },
      statusMessage: 'The instances exit right after the start: exit code 3. It said: Error: no berth is free',
    });
    expect([await serving(), await answer()]).toEqual([before, 'two']);
    const given = failed.facts['revision'] ?? '';
    expect(await revision(given)).toMatchObject({
      status: 'FAILING',
      enabled: false,
      replicasWanted: 0,
      replicasReady: 0,
      isServing: false,
    });
    const { instances, events } = (await call(revisionInstances, { params: { revision: given } })).body as {
      instances: [];
      events: { reason: string; count: number }[];
    };
    expect(instances).toEqual([]);
    expect(events.find(({ reason }) => reason === 'Error')?.count ?? events.find(({ count }) => count >= 2)?.count).toBeGreaterThanOrEqual(
      2,
    );
    const logs = await call(revisionLogs, { params: { revision: given } });
    expect(logs.body).toContain('Error: no berth is free');
  });

  test('needs a health check', async () => {
    const enable = (enabled: boolean) =>
      changeSpec((spec) => ({ ...spec, template: { ...spec.template, healthCheck: { ...spec.template.healthCheck, enabled } } }));
    await enable(false);
    const failed = await deploy('two');
    await enable(true);
    expect(failed.statusMessage).toBe('Health check is required to run new pipeline');
  });
});

describe('a strategy', () => {
  test('RED_BLACK keeps the old revision, disabled, and goes back by enabling it', async () => {
    await useStrategy('RED_BLACK');
    const old = await serving();
    await deploy('two');
    const fresh = await serving();
    expect(fresh).not.toBe(old);
    expect(await revision(old)).toMatchObject({ status: 'NO_INSTANCES', enabled: false, isServing: false });
    const load = steadyLoad(app, await url());
    const back = await run(revisionActivation, { params: { revision: old }, body: { enabled: true } });
    expect([back.status.state, (await load.stop()).failures]).toEqual(['COMPLETED', []]);
    expect([await serving(), (await revision(old)).status, (await revision(fresh)).enabled]).toEqual([old, 'HEALTHY', false]);
  });

  test('RECREATE stops the old revision first, and brings it back when the new one fails', async () => {
    await useStrategy('RECREATE');
    const old = await serving();
    const failed = await deploy('crash');
    expect(failed.status.state).toBe('FAILED');
    const stop = failed.status.steps.find(({ code }) => code === 'StopOldRevisions');
    expect(stop?.message).toEqual({ code: 'Undone', context: {} });
    await expect.poll(answer).toBe('two');
    expect([await serving(), (await revision(old)).replicasWanted]).toEqual([old, 1]);
    const done = await deploy('two');
    const log = (await call(pipelineStepLogs, { params: { pipelineId: done.pipelineId, step: 'StopOldRevisions' } })).body as LogEntry[];
    expect([done.status.state, log.map(({ line }) => line)]).toEqual(['COMPLETED', [`${old} stopped`]]);
    expect((await revision(old)).status).toBe('DELETED');
  });
});

describe('activation', () => {
  test('stops all instances, refuses deploys meanwhile, and starts what served before', async () => {
    const before = await serving();
    const address = await url();
    const stopped = await run(serviceActivation, { body: { active: false } });
    expect([stopped.status.state, (await app.get(address)).status]).toEqual(['COMPLETED', 404]);
    expect(await service()).toMatchObject({ active: false, status: { health: 'NO_INSTANCES', serving: null, replicasReady: 0 } });
    expect(errorsOf(await call(serviceDeploy, { body: { imageTag: 'two' } }))).toEqual([409, 'undefined: ServiceInactive']);
    const enable = await call(revisionActivation, { params: { revision: before }, body: { enabled: true } });
    expect(errorsOf(enable)).toEqual([409, 'undefined: ServiceInactive']);
    await run(serviceActivation, { body: { active: true } });
    expect([await serving(), await answer(), (await service()).active]).toEqual([before, 'two', true]);
  });

  test('that fails leaves the service inactive', async () => {
    await run(serviceActivation, { body: { active: false } });
    const { pool } = app.database;
    await pool.query(`update revision set enabled = image_tag = 'crash', failed_at = null where status <> 'DELETED'`);
    const failed = await run(serviceActivation, { body: { active: true } });
    expect(failed).toMatchObject({ status: { state: 'FAILED' }, statusMessage: expect.stringContaining('exit code 3') as unknown });
    expect(await service()).toMatchObject({ active: false, status: { serving: null, replicasReady: 0 }, can: { activate: true } });
    expect(await app.adapters.runtime.list()).toEqual([]);
    await pool.query(`update revision set enabled = image_tag = 'two' where status <> 'DELETED'`);
    expect((await run(serviceActivation, { body: { active: true } })).status.state).toBe('COMPLETED');
  });
});

describe('what is the members’ own', () => {
  beforeAll(() =>
    changeSpec((spec) => ({
      ...spec,
      template: { ...spec.template, envVars: [{ name: 'PLAIN', source: 'STATIC', value: 'for-members' }] },
    })),
  );

  test('is left out of services, revisions and lists for others', async () => {
    await app.database.pool.query(`update revision set spec = (select spec from service where name = 'berth')`);
    const name = (await revisions())[0]?.name ?? '';
    const read = async (actor: Actor) =>
      JSON.stringify([
        await service(actor),
        (await call(serviceList, {}, actor)).body,
        await revision(name, actor),
        (await call(revisionList, {}, actor)).body,
        (await call(servicePipelineList, {}, actor)).body,
      ]);
    expect((await read('member')).match(/for-members/g)?.length).toBeGreaterThanOrEqual(4);
    expect(await read('administrator')).toContain('for-members');
    expect(await read('stranger')).not.toContain('for-members');
  });
});

describe('revisions and the end', () => {
  test('a revision that serves is not deleted; one that does not is, once', async () => {
    await useStrategy('RED_BLACK');
    const old = await serving();
    await deploy('two');
    const fresh = await serving();
    expect(errorsOf(await call(revisionDelete, { params: { revision: fresh } }))).toEqual([409, 'undefined: RevisionIsServing']);
    expect((await run(revisionDelete, { params: { revision: old } })).status.state).toBe('COMPLETED');
    expect(await revision(old)).toMatchObject({
      status: 'DELETED',
      can: { delete: 'RevisionBeingDeleted', enable: 'RevisionBeingDeleted' },
    });
    expect(errorsOf(await call(revisionDelete, { params: { revision: old } }))).toEqual([409, 'undefined: RevisionBeingDeleted']);
    expect(errorsOf(await call(revisionDelete, { params: { revision: 'berth-99' } }))).toEqual([404, 'undefined: RevisionDoesNotExist']);
  });

  test('a revision runs with its own environment variables', async () => {
    expect(JSON.parse((await app.get(`${await url()}env`)).text)).toMatchObject({ PLAIN: 'for-members' });
  });

  test('disabling the one that serves takes the service off the edge', async () => {
    const address = await url();
    const name = await serving();
    await run(revisionActivation, { params: { revision: name }, body: { enabled: false } });
    expect([(await app.get(address)).status, (await service()).status.serving, (await revision(name)).enabled]).toEqual([404, null, false]);
  });

  test('tags are listed newest first, and tell which serves', async () => {
    const tags = (await call(serviceTagList)).body as { tag: string; isServing: boolean }[];
    expect(tags.map(({ tag }) => tag)).toEqual(['crash', 'two', expect.stringMatching(/^\d{4}\.\d\d\.\d\d-[0-9a-f]{7}$/)]);
  });

  test('a service with revisions is not deleted; without them it goes, with its images', async () => {
    expect(errorsOf(await call(serviceDelete))).toEqual([409, 'undefined: ExistingRevisions']);
    for (const { name, status } of await revisions()) if (status !== 'DELETED') await run(revisionDelete, { params: { revision: name } });
    expect((await service()).can['delete']).toBe(true);
    expect((await run(serviceDelete)).status.state).toBe('COMPLETED');
    expect((await call(serviceView)).status).toBe(404);
    expect(await app.adapters.registry.tags('berth/berth')).toEqual([]);
    expect(await app.adapters.source.repositories('berth')).toHaveLength(1);
    expect(await app.adapters.runtime.list()).toEqual([]);
  });

  test('the log tells it all', async () => {
    const log = (await app.call('member', appActivityList, { params: { app: 'berth', env: 'development' }, query: { size: 100 } }))
      .body as Page<Activity>;
    const kinds = new Set(log.content.map(({ type, outcome }) => `${type} ${outcome}`));
    for (const kind of [
      'serviceDeploy STARTED',
      'Deploy DONE',
      'Deploy FAILED',
      'ServiceActivation FAILED',
      'RevisionActivation DONE',
      'DeleteService DONE',
    ])
      expect(kinds).toContain(kind);
    expect(log.content.find(({ outcome }) => outcome === 'FAILED')).toMatchObject({ level: 'ERROR', team: 'cranes' });
  });
});
