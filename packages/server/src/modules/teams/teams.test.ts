/** Teams over HTTP: members, validation errors with their fields, and the results of their pipelines. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { teamActivityList, type Activity } from '@slipway/contract/activity.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import { pipelineCancel, pipelineRerun, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import {
  teamCreate,
  teamCreateV1,
  teamDelete,
  teamDeleteV1,
  teamList,
  teamUpdate,
  teamUpdateV1,
  teamView,
  type Team,
} from '@slipway/contract/team.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import { seedApp, seedPipeline } from '#testing/fixtures.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app?.close());

const wanted = (id: string, more: object = {}) => ({ id, displayName: `Team ${id}`, ownerIds: ['olga'], memberIds: ['mats'], ...more });
const view = async (team: string) => (await app.call('stranger', teamView, { params: { team } })).body as Team;

describe('teamCreate', () => {
  test('makes a team of owners and members', async () => {
    const run = await app.run('owner', teamCreate, { body: wanted('tugboats') });
    expect(run).toMatchObject({ pipelineType: 'CreateTeam', subject: { team: 'tugboats' }, status: { state: 'COMPLETED' } });
    expect(await view('tugboats')).toMatchObject({ state: 'ACTIVE', ownerIds: ['olga'], memberIds: ['mats'], applicationCount: 0 });
  });

  test('as version 1 waits and answers the team', async () => {
    const answer = await app.call('owner', teamCreateV1, { body: wanted('pilots') });
    expect([answer.status, (answer.body as Team).state]).toEqual([200, 'ACTIVE']);
  });

  test('of a discarded team, a re-run says that the id was taken meanwhile', async () => {
    await app.run('owner', teamCreate, { body: wanted('moored') });
    await seedPipeline(app.database.db, { id: 'pl-former', type: 'CreateTeam', subject: 'team:moored', team: 'moored', state: 'FAILED' });
    const input = JSON.stringify({ team: 'moored', stateBefore: 'NOT_CREATED' });
    await app.database.db.updateTable('pipeline_run').set({ input }).where('pipeline_id', '=', 'pl-former').execute();
    const run = await app.run('administrator', pipelineRerun, { params: { pipelineId: 'pl-former' } });
    expect(run).toMatchObject({
      status: { state: 'FAILED', steps: [{ code: 'CreateTeam', message: { code: 'TeamAlreadyExists', context: { team: 'moored' } } }] },
      statusMessage: 'Team with id moored already exists. Choose a different team id.',
    });
    expect((await view('moored')).state).toBe('ACTIVE');
  });

  test('keeps who is listed twice an owner', async () => {
    await app.run('owner', teamCreate, { body: wanted('divers', { ownerIds: ['olga', 'olga'], memberIds: ['olga', 'mats', 'mats'] }) });
    expect(await view('divers')).toMatchObject({ ownerIds: ['olga'], memberIds: ['mats'] });
  });

  test.each([
    ['a taken code', wanted('customs'), [409, 'id: TeamAlreadyExists']],
    ['a code with capitals', wanted('Cranes'), [400, 'id: KebabCase']],
    ['a short code', wanted('x'), [400, 'id: MinimumLength']],
    ['a long code', wanted('x'.repeat(26)), [400, 'id: ExceedsMaximumLength']],
    ['a reserved code', wanted('settings'), [400, 'id: InvalidName']],
    ['no name', wanted('nameless', { displayName: ' ' }), [400, 'displayName: Required']],
    ['no owner', wanted('ownerless', { ownerIds: [] }), [400, 'ownerIds: TeamNeedsOwner']],
    ['nobody of that id', wanted('strangers', { memberIds: ['nobody'] }), [400, 'memberIds: TeamMustIncludeValidUsers']],
    [
      'a service account that is not there',
      wanted('robotic', { memberIds: ['sa_none'] }),
      [400, 'memberIds: TeamServicePrincipalsMustBeValid'],
    ],
    ['others only', wanted('others', { ownerIds: ['mats'], memberIds: [] }), [400, 'ownerIds: TeamMustContainCurrentUser']],
  ])('with %s is refused', async (_name, body, errors) => {
    expect(errorsOf(await app.call('owner', teamCreate, { body }))).toEqual(errors);
  });

  test('tells a service account that it is missing', async () => {
    const answer = await app.call('serviceAccount', teamCreate, { body: wanted('robots') });
    expect(errorsOf(answer)).toEqual([400, 'ownerIds: TeamMustContainCurrentServicePrincipal']);
  });

  test('lets one of two at the same time have the code', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => app.call('owner', teamCreate, { body: wanted('contested') })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 409, 409]);
  });

  test('leaves nothing of a refused team', async () => {
    await app.call('owner', teamCreate, { body: wanted('half-made', { memberIds: ['nobody'] }) });
    expect((await app.call('owner', teamView, { params: { team: 'half-made' } })).status).toBe(404);
  });
});

describe('teamUpdate', () => {
  test('replaces the members; who is left out is a stranger from then on', async () => {
    await app.run('owner', teamCreate, { body: wanted('lashers') });
    await app.run('owner', teamUpdate, {
      params: { team: 'lashers' },
      body: { displayName: 'Lashing', ownerIds: ['olga', 'stig'], memberIds: [] },
    });
    expect(await view('lashers')).toMatchObject({ displayName: 'Lashing', ownerIds: ['olga', 'stig'], memberIds: [] });
    expect((await app.call('member', teamActivityList, { params: { team: 'lashers' } })).status).toBe(403);
    expect((await app.call('stranger', teamActivityList, { params: { team: 'lashers' } })).status).toBe(200);
  });

  test('is for owners, and keeps the one who asks', async () => {
    const request = { params: { team: 'tugboats' }, body: { displayName: 'T', ownerIds: ['mats'] } };
    expect((await app.call('member', teamUpdate, request)).status).toBe(403);
    expect(errorsOf(await app.call('owner', teamUpdate, request))).toEqual([400, 'ownerIds: TeamMustContainCurrentUser']);
    expect((await app.call('administrator', teamUpdateV1, request)).body).toMatchObject({ ownerIds: ['mats'] });
  });

  test('links groups of other systems, keeps them when they are omitted, and removes them', async () => {
    const links = { azureGroupId: 'g-1', azureGroupName: 'Crane operators', githubTeamId: null, githubTeamName: 'harbor/cranes' };
    const change = (more: object) =>
      app.run('owner', teamUpdate, { params: { team: 'linked' }, body: { displayName: 'Linked', ownerIds: ['olga'], ...more } });
    await app.run('owner', teamCreate, { body: wanted('linked', links) });
    expect(await view('linked')).toMatchObject(links);
    await change({});
    expect(await view('linked')).toMatchObject({ displayName: 'Linked', memberIds: ['mats'], ...links });
    await change({ azureGroupId: null, azureGroupName: null });
    expect(await view('linked')).toMatchObject({ azureGroupId: null, azureGroupName: null, githubTeamName: 'harbor/cranes' });
    const empty = { params: { team: 'linked' }, body: { displayName: 'Linked', ownerIds: ['olga'], githubTeamName: ' ' } };
    expect(errorsOf(await app.call('owner', teamUpdate, empty))).toEqual([400, 'githubTeamName: Required']);
  });

  test('waits for its turn', async () => {
    await app.run('owner', teamCreate, { body: wanted('busy') });
    await seedPipeline(app.database.db, {
      id: 'pl-busy',
      type: 'UpdateTeam',
      subject: 'team:busy',
      team: 'busy',
      state: 'RUNNING',
      runType: 'Still',
    });
    const answer = await app.call('owner', teamUpdate, { params: { team: 'busy' }, body: { displayName: 'B', ownerIds: ['olga'] } });
    expect(errorsOf(answer)).toEqual([409, 'undefined: WorkflowExecutionAlreadyStarted']);
    expect((await view('busy')).displayName).toBe('Team busy');
  });
});

describe('teamDelete', () => {
  test('removes a team without apps', async () => {
    await app.run('owner', teamCreate, { body: wanted('gone') });
    const run = await app.run('owner', teamDelete, { params: { team: 'gone' } });
    expect(run.status.state).toBe('COMPLETED');
    expect((await app.call('owner', teamView, { params: { team: 'gone' } })).status).toBe(404);
  });

  test('as version 1 answers nothing when it is gone', async () => {
    await app.run('owner', teamCreate, { body: wanted('gone-too') });
    expect((await app.call('owner', teamDeleteV1, { params: { team: 'gone-too' } })).status).toBe(204);
  });

  test('is refused while there are apps, and says so beforehand', async () => {
    await app.run('owner', teamCreate, { body: wanted('with-app') });
    await seedApp(app.database.db, { id: 'kept', team: 'with-app' });
    const team = (await app.call('owner', teamView, { params: { team: 'with-app' } })).body as Team;
    expect(team.can['delete']).toBe('TeamExistingApplications');
    const answer = await app.call('owner', teamDelete, { params: { team: 'with-app' } });
    expect(errorsOf(answer)).toEqual([409, 'undefined: TeamExistingApplications']);
    expect((await view('with-app')).state).toBe('ACTIVE');
  });

  test('that finds an app after all leaves the team as it was', async () => {
    await app.run('owner', teamCreate, { body: wanted('raced') });
    await app.database.pool.query(`create function late() returns trigger language plpgsql as $$ begin
      insert into app (id, display_name, team_id, created_by) values ('late', 'Late', 'raced', 'olga') on conflict do nothing; return new; end $$`);
    await app.database.pool.query(
      `create trigger late after update on team for each row when (new.id = 'raced' and new.state = 'DELETING') execute function late()`,
    );
    const run = await app.run('owner', teamDelete, { params: { team: 'raced' } });
    expect(run).toMatchObject({ status: { state: 'FAILED' }, statusMessage: 'Team raced has applications and can not be deleted' });
    expect((await view('raced')).state).toBe('ACTIVE');
  });
});

describe('teamList', () => {
  const list = async (query: object) => (await app.call('stranger', teamList, { query: { ...query } })).body as Page<Team>;

  test('finds by part of the code or name, and takes signs literally', async () => {
    expect((await list({ query: 'USTOM' })).content.map(({ id }) => id)).toEqual(['customs']);
    expect((await list({ query: '%' })).totalElements).toBe(0);
  });

  test('filters by identity, app and code', async () => {
    await seedApp(app.database.db, { id: 'of-customs', team: 'customs' });
    expect((await list({ identityId: 'ada' })).totalElements).toBe(0);
    expect((await list({ applicationId: 'of-customs' })).content.map(({ id }) => id)).toEqual(['customs']);
    expect((await list({ team: 'cranes' })).content.map(({ id }) => id)).toEqual(['cranes']);
  });

  test('pages and sorts', async () => {
    const all = await list({ size: 100, sort: 'id' });
    const second = await list({ size: 2, page: 1, sort: 'id' });
    expect(second).toMatchObject({ number: 1, size: 2, totalElements: all.totalElements, first: false });
    expect(second.content.map(({ id }) => id)).toEqual(all.content.slice(2, 4).map(({ id }) => id));
    const reversed = await list({ size: 100, sort: '-id' });
    expect(reversed.content.map(({ id }) => id)).toEqual(all.content.map(({ id }) => id).toReversed());
  });
});

test('what was done is in the log, with who, what, before and after, and how it ended', async () => {
  await app.run('owner', teamCreate, { body: wanted('logged') });
  await app.run('owner', teamUpdate, { params: { team: 'logged' }, body: { displayName: 'New', ownerIds: ['olga'] } });
  const { content } = (await app.call('owner', teamActivityList, { params: { team: 'logged' } })).body as Page<Activity>;
  expect(content.map(({ type, outcome, origin }) => `${type} ${outcome} ${origin}`)).toEqual([
    'UpdateTeam DONE pipeline',
    'teamUpdate STARTED console',
    'CreateTeam DONE pipeline',
    'teamCreate STARTED console',
  ]);
  expect(content[1]).toMatchObject({
    actor: { id: 'olga', displayName: 'Olga Owner' },
    before: { displayName: 'Team logged', ownerIds: ['olga'], memberIds: ['mats'] },
    after: { displayName: 'New', ownerIds: ['olga'] },
  });
});

test('a creation that is cancelled before it began leaves a team that can be discarded', async () => {
  const idle = await testApp({ isWorker: false });
  try {
    const started = (await idle.call('owner', teamCreate, { body: wanted('never') })).body as PipelineRun;
    await idle.call('owner', pipelineCancel, { params: { pipelineId: started.pipelineId } });
    const team = (await idle.call('owner', teamView, { params: { team: 'never' } })).body as Team;
    expect(team).toMatchObject({ state: 'NOT_CREATED', can: { delete: true } });
  } finally {
    await idle.close();
  }
});
