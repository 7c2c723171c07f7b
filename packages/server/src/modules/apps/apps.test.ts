/** Apps over HTTP: creation and deletion on the engines, team and macId, and the catalogue. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appActivityList, type Activity } from '@slipway/contract/activity.ts';
import {
  applicationCreate,
  applicationCreateV1,
  applicationDelete,
  applicationList,
  applicationMacIdSet,
  applicationDeleteV1,
  applicationUpdate,
  applicationUpdateV1,
  applicationView,
  productView,
  type Application,
} from '@slipway/contract/application.ts';
import { catalogFuzzySearch, type CatalogMatch } from '@slipway/contract/catalog/fuzzy-search.ts';
import { containerRegistryView } from '@slipway/contract/registry/project.ts';
import { robotAccountCreate, robotPresets } from '@slipway/contract/registry/robot-account.ts';
import type { ErrorObject } from '@slipway/contract/kernel/errors.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import { pipelineRerun, pipelineView, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { PortFailure } from '#ports/failure.ts';
import type { SourceHost } from '#ports/source.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import { faultyPort, type FaultyPort } from '#testing/faults/faulty-port.ts';
import { seedCatalogApplication, seedApp, seedPipeline, seedService } from '#testing/fixtures.ts';

let app: TestApp;
let source: FaultyPort<SourceHost>;
beforeAll(async () => {
  app = await testApp({
    adapt: (adapters) => {
      source = faultyPort(adapters.source);
      return { ...adapters, source: source.port };
    },
  });
  for (const id of ['MAC-1', 'MAC-2', 'MAC-3']) await seedCatalogApplication(app.database.db, { id, name: `Product ${id}` });
});
afterAll(() => app?.close());

const wanted = (id: string, more: object = {}) => ({ id, displayName: `App ${id}`, teamId: 'cranes', ...more });
const create = (id: string, more: object = {}) => app.run('member', applicationCreate, { body: wanted(id, more) });
const view = async (id: string) => (await app.call('owner', applicationView, { params: { app: id } })).body as Application;
const projectsOf = (id: string) => app.adapters.registry.projectExists(id);

describe('applicationCreate', () => {
  test('makes an app with its registry project', async () => {
    const run = await create('berths');
    expect(run).toMatchObject({
      pipelineType: 'CreateApplication',
      subject: { app: 'berths', team: 'cranes' },
      status: { state: 'COMPLETED' },
    });
    expect(await view('berths')).toMatchObject({ state: 'ACTIVE', teamName: 'Team cranes', macId: null, pipelineId: run.pipelineId });
    const registry = await app.call('member', containerRegistryView, { params: { app: 'berths', env: 'production' } });
    expect(registry.body).toMatchObject({ project: 'berths', exists: true, repositories: [] });
  });

  test('takes the macId from the body or the query, and checks its platform', async () => {
    await create('mac-one', { macId: 'MAC-1' });
    const onPlatform = (macPlatformId: string) => ({ body: wanted('mac-two'), query: { macAppId: 'MAC-2', macPlatformId } });
    const refused = await app.call('member', applicationCreate, onPlatform('PLT-0902'));
    expect(errorsOf(refused)).toEqual([400, 'macPlatformId: MacIdOnOtherPlatform']);
    await app.run('member', applicationCreate, onPlatform('PLT-0901'));
    expect([(await view('mac-one')).macId, (await view('mac-two')).macId]).toEqual(['MAC-1', 'MAC-2']);
  });

  test.each([
    ['a taken name', wanted('taken'), [409, 'id: ApplicationAlreadyExists']],
    ['a name with capitals', wanted('Berth'), [400, 'id: KebabCase']],
    ['a name that begins with a number', wanted('4berths'), [400, 'id: KebabCase']],
    ['a short name', wanted('ab'), [400, 'id: MinimumLength']],
    ['a long name', wanted('a'.repeat(41)), [400, 'id: ExceedsMaximumLength']],
    ['a reserved name', wanted('production'), [400, 'id: InvalidName']],
    ['no name', { displayName: 'X', teamId: 'cranes' }, [400, 'id: Required']],
    ['no team', wanted('teamless', { teamId: undefined }), [400, 'teamId: Required']],
    ['a team that is not there', wanted('teamless', { teamId: 'nowhere' }), [404, 'teamId: TeamDoesNotExist']],
    ["another's team", wanted('of-customs', { teamId: 'customs' }), [403, 'teamId: NotAMember']],
    ['a macId that is not in the catalogue', wanted('unknown-mac', { macId: 'MAC-9' }), [400, 'macId: MacIdDoesNotExist']],
    ["another's macId", wanted('used-mac', { macId: 'MAC-3' }), [409, 'macId: MacIdInUse']],
  ])('with %s is refused', async (_name, body, errors) => {
    const { db } = app.database;
    if (!(await db.selectFrom('app').select('id').where('id', '=', 'taken').executeTakeFirst()))
      await seedApp(db, { id: 'taken', macId: 'MAC-3' });
    expect(errorsOf(await app.call('member', applicationCreateV1, { body }))).toEqual(errors);
  });

  test('lets one of many at the same time have the name and the macId', async () => {
    await seedCatalogApplication(app.database.db, { id: 'MAC-R', name: 'Raced' });
    const body = (index: number) => wanted(`raced-${index}`, { macId: 'MAC-R' });
    const answers = await Promise.all([1, 2, 3].map((index) => app.call('member', applicationCreate, { body: body(index) })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 409, 409]);
    const same = await Promise.all([1, 2, 3].map(() => app.call('member', applicationCreate, { body: wanted('contested') })));
    expect(same.map(({ status }) => status).toSorted()).toEqual([202, 409, 409]);
  });

  test("fails on somebody else's registry project, and leaves that alone; a re-run works when it is gone", async () => {
    await app.adapters.registry.projectEnsure('foreign', 'somebody');
    const run = await create('foreign');
    expect(run).toMatchObject({
      status: { state: 'FAILED', steps: [{ code: 'CreateRegistryProject', state: 'FAILED' }, { state: 'SKIPPED' }] },
      statusMessage: 'The registry project foreign belongs to somebody else. Choose a different application name.',
    });
    expect(await view('foreign')).toMatchObject({ state: 'NOT_CREATED', can: { delete: true, createService: 'ApplicationNotCreated' } });
    expect(await projectsOf('foreign')).toBe(true);
    await app.adapters.registry.projectDelete('foreign');
    const again = await app.run('member', pipelineRerun, { params: { pipelineId: run.pipelineId } });
    expect(again).toMatchObject({ pipelineId: run.pipelineId, status: { state: 'COMPLETED' } });
    expect(again.runId).not.toBe(run.runId);
    expect((await view('foreign')).state).toBe('ACTIVE');
  });
});

describe('an app that was not created', () => {
  test("is discarded without touching what is somebody else's", async () => {
    await app.adapters.registry.projectEnsure('not-ours', 'somebody');
    const source = { path: 'README.md', content: Buffer.from('Mine'), isExecutable: false };
    await app.adapters.source.createRepository({ owner: 'not-ours', name: 'theirs' }, [source], {
      message: 'Start',
      author: 'S',
      email: 's@x',
    });
    const failed = await create('not-ours');
    const run = await app.run('owner', applicationDelete, { params: { app: 'not-ours' } });
    expect(run.status.state).toBe('COMPLETED');
    expect((await app.call('owner', applicationView, { params: { app: 'not-ours' } })).status).toBe(404);
    expect(await projectsOf('not-ours')).toBe(true);
    expect(await app.adapters.source.repositories('not-ours')).toHaveLength(1);
    const again = await app.run('member', pipelineRerun, { params: { pipelineId: failed.pipelineId } });
    expect(again).toMatchObject({ status: { state: 'FAILED' }, statusMessage: 'It was discarded meanwhile.' });
  });

  test('and whose name another team has now is out of reach of the old pipeline', async () => {
    await app.adapters.registry.projectEnsure('handed-on', 'somebody');
    const failed = await create('handed-on');
    await app.run('owner', applicationDelete, { params: { app: 'handed-on' } });
    await app.adapters.registry.projectDelete('handed-on');
    await app.run('stranger', applicationCreate, { body: wanted('handed-on', { teamId: 'customs' }) });
    expect((await app.call('owner', pipelineRerun, { params: { pipelineId: failed.pipelineId } })).status).toBe(403);
    await app.run('administrator', pipelineRerun, { params: { pipelineId: failed.pipelineId } });
    expect(await view('handed-on')).toMatchObject({ state: 'ACTIVE', teamId: 'customs' });
    expect(await projectsOf('handed-on')).toBe(true);
  });
});

describe('an app whose deletion failed half-way', () => {
  const failing = async (id: string) => {
    await create(id);
    source.next('repositories', () => Promise.reject(new PortFailure('rejected', 'not today')));
    return app.run('owner', applicationDelete, { params: { app: id } });
  };

  test('stays as one that is being deleted, and a re-run deletes it', async () => {
    const failed = await failing('half-gone');
    expect(failed.status.state).toBe('FAILED');
    // A change makes it neither whole, nor takes the deletion's re-run away.
    await app.run('owner', applicationUpdate, { params: { app: 'half-gone' }, body: { displayName: 'Half gone', teamId: 'cranes' } });
    expect((await view('half-gone')).state).toBe('DELETING');
    expect((await app.run('owner', pipelineRerun, { params: { pipelineId: failed.pipelineId } })).status.state).toBe('COMPLETED');
    expect((await app.call('owner', applicationView, { params: { app: 'half-gone' } })).status).toBe(404);
  });

  test('and whose name was given again is out of reach of the old deletion', async () => {
    const failed = await failing('given-again');
    await app.run('owner', applicationDelete, { params: { app: 'given-again' } });
    await app.run('stranger', applicationCreate, { body: wanted('given-again', { teamId: 'customs' }) });
    const again = await app.run('administrator', pipelineRerun, { params: { pipelineId: failed.pipelineId } });
    expect(again).toMatchObject({ status: { state: 'FAILED' }, statusMessage: 'It was discarded meanwhile.' });
    expect(await view('given-again')).toMatchObject({ state: 'ACTIVE', teamId: 'customs' });
    expect(await projectsOf('given-again')).toBe(true);
  });
});

describe('applicationUpdate', () => {
  test('moves an app to another team of the owner, with the say over its pipelines', async () => {
    const { pipelineId } = await create('moving');
    await app.database.db.insertInto('team_member').values({ team_id: 'customs', identity_id: 'olga', role: 'MEMBER' }).execute();
    const body = { displayName: 'Moved', teamId: 'customs' };
    const answer = await app.call('owner', applicationUpdateV1, { params: { app: 'moving' }, body });
    expect(answer.body).toMatchObject({ displayName: 'Moved', teamId: 'customs', teamName: 'Team customs' });
    const canOf = async (actor: 'member' | 'stranger') =>
      ((await app.call(actor, pipelineView, { params: { pipelineId } })).body as PipelineRun).can;
    expect(await canOf('member')).toMatchObject({ rerun: 'NotAMember' });
    expect(await canOf('stranger')).toMatchObject({ rerun: 'PipelineNotFailed' });
    const log = await app.call('stranger', appActivityList, { params: { app: 'moving', env: 'development' } });
    expect((log.body as Page<Activity>).content.find(({ reason }) => reason === 'TeamChanged')).toMatchObject({
      before: { displayName: 'App moving', teamId: 'cranes' },
      after: body,
    });
    await app.database.db.deleteFrom('team_member').where('identity_id', '=', 'olga').where('team_id', '=', 'customs').execute();
  });

  test('is refused for teams that the owner is not in', async () => {
    await create('staying');
    const to = (teamId: string) =>
      app.call('owner', applicationUpdateV1, { params: { app: 'staying' }, body: { displayName: 'S', teamId } });
    expect(errorsOf(await to('customs'))).toEqual([403, 'teamId: NotAMember']);
    expect(errorsOf(await to('nowhere'))).toEqual([404, 'teamId: TeamDoesNotExist']);
    expect((await to('cranes')).status).toBe(200);
  });
});

test("the fields have the names of the specification's second part, too", async () => {
  const spec = { displayName: 'Second', teamRef: { name: 'cranes' } };
  await app.call('member', applicationCreateV1, { body: { metadata: { name: 'second' }, spec } as never });
  expect(await view('second')).toMatchObject({ id: 'second', displayName: 'Second', teamId: 'cranes', metadata: { name: 'second' }, spec });
  const put = (body: object) => app.call('owner', applicationUpdateV1, { params: { app: 'second' }, body: body as never });
  expect((await put({ spec: { ...spec, displayName: 'Third' } })).body).toMatchObject({ displayName: 'Third' });
  // An answer that is sent back with one of the two names changed would lose the change.
  const both = { displayName: 'Third', teamId: 'cranes', spec: { displayName: 'Fourth' } };
  expect(errorsOf(await put(both))).toEqual([400, 'spec.displayName: InvalidValue']);
});

test('applicationUpdate answers its pipeline, and one that was not created can still be created after it', async () => {
  await app.adapters.registry.projectEnsure('renamed', 'somebody');
  const failed = await create('renamed');
  const body = { displayName: 'Renamed', teamId: 'cranes' };
  const run = await app.run('owner', applicationUpdate, { params: { app: 'renamed' }, body });
  expect(run).toMatchObject({ pipelineType: 'UpdateApplication', status: { state: 'COMPLETED' } });
  expect(await view('renamed')).toMatchObject({ displayName: 'Renamed', state: 'NOT_CREATED', pipelineId: failed.pipelineId });
  await app.adapters.registry.projectDelete('renamed');
  await app.run('member', pipelineRerun, { params: { pipelineId: failed.pipelineId } });
  expect(await view('renamed')).toMatchObject({ displayName: 'Renamed', state: 'ACTIVE' });
});

test('version 1 waits for the pipeline, and answers its run, the changed app, or nothing after a deletion', async () => {
  const made = await app.call('member', applicationCreateV1, { body: wanted('waited') });
  expect([made.status, made.body]).toMatchObject([202, { pipelineType: 'CreateApplication', status: { state: 'COMPLETED' } }]);
  expect((await view('waited')).state).toBe('ACTIVE');
  expect((await app.call('owner', applicationDeleteV1, { params: { app: 'waited' } })).status).toBe(204);
  expect((await app.call('owner', applicationView, { params: { app: 'waited' } })).status).toBe(404);
  await app.adapters.registry.projectEnsure('waited-wrong', 'somebody');
  const failed = await app.call('member', applicationCreateV1, { body: wanted('waited-wrong') });
  expect([failed.status, failed.body]).toMatchObject([202, { pipelineType: 'CreateApplication', status: { state: 'FAILED' } }]);
});

describe('a macId in the body of applicationUpdate', () => {
  test('is set once, and refused when it is another one', async () => {
    await seedCatalogApplication(app.database.db, { id: 'MAC-PUT', name: 'Put' });
    await seedApp(app.database.db, { id: 'put-mac' });
    const put = (macId: string | null) =>
      app.call('owner', applicationUpdateV1, { params: { app: 'put-mac' }, body: { displayName: 'Put', teamId: 'cranes', macId } });
    expect((await put(null)).body).toMatchObject({ macId: null });
    expect((await put('MAC-PUT')).body).toMatchObject({ macId: 'MAC-PUT' });
    expect((await put('MAC-PUT')).status).toBe(200);
    expect(errorsOf(await put('MAC-OTHER'))).toEqual([409, 'macId: MacIdAlreadySet']);
    expect(errorsOf(await put(null))).toEqual([409, 'macId: MacIdAlreadySet']);
  });

  test('an error names the field as people do', async () => {
    const body = { displayName: 'Put', teamId: '' };
    const answer = await app.call('owner', applicationUpdateV1, { params: { app: 'put-mac' }, body });
    expect((answer.body as ErrorObject).errors).toMatchObject([{ code: 'Required', context: { label: 'Team' } }]);
  });
});

describe('applicationMacIdSet', () => {
  test('is possible once', async () => {
    await create('one-mac');
    await app.database.db.deleteFrom('app').where('id', '=', 'mac-two').execute();
    const set = (macId: string) => app.call('owner', applicationMacIdSet, { params: { app: 'one-mac' }, body: { macId } });
    expect(errorsOf(await set('MAC-9'))).toEqual([400, 'macId: MacIdDoesNotExist']);
    expect(errorsOf(await set('MAC-1'))).toEqual([409, 'macId: MacIdInUse']);
    expect((await set('MAC-2')).body).toMatchObject({ macId: 'MAC-2', can: { setMacId: 'MacIdAlreadySet' } });
    expect(errorsOf(await set('MAC-2'))).toEqual([409, 'macId: MacIdAlreadySet']);
  });

  test("takes the specification's own patch type", async () => {
    const headers = { 'content-type': 'application/merge-patch+json' };
    const answer = await app.call('owner', applicationMacIdSet, { params: { app: 'berths' }, body: { macId: 'MAC-9' }, headers });
    expect(errorsOf(answer)).toEqual([400, 'macId: MacIdDoesNotExist']);
  });
});

describe('applicationDelete', () => {
  test('removes the app with its project and repositories', async () => {
    await create('doomed');
    const file = { path: 'README.md', content: Buffer.from('Hi'), isExecutable: false };
    await app.adapters.source.createRepository({ owner: 'doomed', name: 'doomed' }, [file], {
      message: 'Start',
      author: 'S',
      email: 's@x',
    });
    expect((await app.run('owner', applicationDelete, { params: { app: 'doomed' } })).status.state).toBe('COMPLETED');
    expect((await app.call('owner', applicationView, { params: { app: 'doomed' } })).status).toBe(404);
    expect([await projectsOf('doomed'), await app.adapters.source.repositories('doomed')]).toEqual([false, []]);
  });

  test('is refused while there are services, or a pipeline is at work', async () => {
    await create('in-use');
    await seedService(app.database.db, { app: 'in-use' });
    const remove = (id: string) => app.call('owner', applicationDelete, { params: { app: id } });
    expect((await view('in-use')).can['delete']).toBe('ExistingServices');
    expect(errorsOf(await remove('in-use'))).toEqual([409, 'undefined: ExistingServices']);
    await create('at-work');
    await seedPipeline(app.database.db, {
      id: 'pl-at-work',
      type: 'DeleteApplication',
      subject: 'app:at-work',
      app: 'at-work',
      state: 'RUNNING',
      runType: 'Still',
    });
    expect(errorsOf(await remove('at-work'))).toEqual([409, 'undefined: WorkflowExecutionAlreadyStarted']);
    expect((await view('at-work')).state).toBe('ACTIVE');
  });
});

test('applicationList finds by team, identity, macId and text', async () => {
  const ids = async (query: object) =>
    ((await app.call('stranger', applicationList, { query: { ...query } })).body as Page<Application>).content.map(({ id }) => id);
  expect(await ids({ macAppId: 'MAC-1' })).toEqual(['mac-one']);
  expect(await ids({ application: 'berths' })).toEqual(['berths']);
  expect(await ids({ query: 'BERTH' })).toEqual(['berths']);
  expect(await ids({ identityId: 'stig' })).toEqual(await ids({ teamId: 'customs' }));
  expect(await ids({ size: 1, sort: '-name' })).toEqual([(await ids({ size: 100 })).at(-1)]);
});

test('the catalog is searched by name and macId, the best first', async () => {
  const search = async (searchTerm: string) =>
    (await app.call('stranger', catalogFuzzySearch, { query: { searchTerm } })).body as { fullMatched: boolean; contents: CatalogMatch[] };
  expect(await search('mac-1')).toMatchObject({ fullMatched: true, contents: [{ id: 'MAC-1', score: 1, app: 'mac-one' }] });
  expect((await search('product')).contents.map(({ id, score }) => [id, score.toFixed(1)])).toEqual([
    ['MAC-1', '0.8'],
    ['MAC-2', '0.8'],
    ['MAC-3', '0.8'],
  ]);
  expect((await search('_AC')).contents).toEqual([]);
  expect((await app.call('stranger', productView, { params: { productCode: 'MAC-1' } })).body).toEqual({ id: 'MAC-1' });
});

test('a robot account needs the project', async () => {
  await seedApp(app.database.db, { id: 'projectless' });
  const request = (id: string) => ({ params: { app: id, env: 'development' }, body: { name: 'ci', permissions: ['pull'] } });
  expect((await app.call('member', robotAccountCreate, request('projectless'))).status).toBe(404);
  const made = await app.call('member', robotAccountCreate, request('berths'));
  expect([made.status, made.body]).toMatchObject([201, { username: 'robot$berths+ci' }]);
  const log = (await app.call('member', appActivityList, { params: { app: 'berths', env: 'development' } })).body as Page<Activity>;
  expect(log.content[0]).toMatchObject({
    type: 'robotAccountCreate',
    after: { username: 'robot$berths+ci', permissions: robotPresets.pull },
  });
  expect(JSON.stringify(log)).not.toContain((made.body as { secret: string }).secret);
});
