/** `git push` with a real git client: a new revision without a failed request, pushes during a deploy, and code that does not run. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appActivityList, type Activity } from '@slipway/contract/activity.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import { isActive, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import { revisionList, revisionView, type Revision } from '@slipway/contract/service/revision.ts';
import { revisionSourceChanges, type RevisionSourceChanges } from '@slipway/contract/service/diagnosis.ts';
import { servicePipelineList, serviceView, type Service } from '@slipway/contract/service/service.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { CRASH_MAIN, good, goodMain } from '#testing/programs.ts';
import { steadyLoad } from '#testing/load/steady-load.ts';
import { workingCopy, type WorkingCopy } from '#testing/working-copy.ts';

let app: TestApp;
let copy: WorkingCopy;
let url: string;
const params = { app: 'berth', env: 'development', service: 'berth' };

beforeAll(async () => {
  app = await testApp({ templates: async () => good('one') });
  await app.run('member', quickstartApplicationCreate, { body: { id: 'berth', teamId: 'cranes', template: 'node-web' } });
  copy = await workingCopy(app, 'berth/berth', await app.apiToken('member', ['git']));
  url = (await service()).status.url ?? '';
});
afterAll(async () => {
  await copy?.remove();
  await app?.close();
});

const service = async () => (await app.call('member', serviceView, { params })).body as Service;
const revision = async (name: string) =>
  (await app.call('member', revisionView, { params: { ...params, revision: name } })).body as Revision;
const pipelines = async () => ((await app.call('member', servicePipelineList, { params })).body as Page<PipelineRun>).content;
/** Returns the run that was started for a commit. */
const runOf = async (commit: string): Promise<PipelineRun> => {
  const find = async () => (await pipelines()).find(({ facts }) => facts['commit'] === commit.slice(0, 7));
  await expect.poll(find).toBeDefined();
  return app.ended((await find())?.pipelineId ?? '');
};

test('a push makes a new revision, and no request fails meanwhile', async () => {
  const before = (await service()).status.serving ?? '';
  const load = steadyLoad(app, url);
  const commit = await copy.commit({ 'main.js': goodMain('two') }, 'Say two\n\nBecause one is old');
  expect(await copy.push()).toMatchObject({ code: 0 });
  const run = await runOf(commit);
  const { count, answers, failures } = await load.stop();
  expect(run).toMatchObject({
    pipelineType: 'BuildAndDeploy',
    trigger: 'push',
    status: { state: 'COMPLETED' },
    facts: { commit: commit.slice(0, 7), commitMessage: 'Say two' },
    createdBy: { id: 'mats', displayName: 'Mats Member' },
  });
  expect(failures).toEqual([]);
  expect([count > 10, answers]).toEqual([true, ['one', 'two']]);
  const { serving, imageTag } = (await service()).status;
  const since = { params: { ...params, revision: serving ?? '' }, query: { since: before } };
  const { changes } = (await app.call('member', revisionSourceChanges, since)).body as { changes: RevisionSourceChanges };
  expect(changes).toMatchObject({
    commitCount: 1,
    commits: [{ sha: commit, message: 'Say two', author: expect.any(String) as string }],
    isCut: false,
  });
  expect([changes.files.map((file) => file.path), changes.patch]).toEqual([['main.js'], expect.stringContaining('"two"')]);
  expect((await app.call('stranger', revisionSourceChanges, since)).status).toBe(404);
  expect(imageTag).toMatch(new RegExp(`^\\d{4}\\.\\d\\d\\.\\d\\d-${commit.slice(0, 7)}$`));
  expect((await revision(before)).status).toBe('DELETED');
  expect(await revision(serving ?? '')).toMatchObject({
    reason: { type: 'PUSH', commit, commitMessage: 'Say two' },
    createdBy: { id: 'mats' },
  });
});

test('pushes during a deploy are caught up on: the last one wins', async () => {
  const first = await copy.commit({ 'main.js': goodMain('three') });
  await copy.push();
  await expect.poll(async () => (await service()).status.pipelineId).not.toBeNull();
  await copy.commit({ 'main.js': goodMain('four') });
  await copy.push();
  const last = await copy.commit({ 'main.js': goodMain('five') });
  await copy.push();
  expect((await runOf(first)).status.state).toBe('COMPLETED');
  expect((await runOf(last)).status.state).toBe('COMPLETED');
  expect((await app.get(url)).text).toBe('five');
  expect((await pipelines()).filter(({ status }) => isActive(status.state))).toEqual([]);
});

test('code that crashes keeps the old revision serving; the next good push replaces it', async () => {
  const before = (await service()).status.serving;
  const load = steadyLoad(app, url);
  const run = await runOf(await copy.commit({ 'main.js': CRASH_MAIN }).then(async (commit) => (await copy.push(), commit)));
  expect((await load.stop()).failures).toEqual([]);
  expect([run.status.state, run.statusMessage]).toEqual(['FAILED', expect.stringContaining('Error: no berth is free')]);
  expect(await service()).toMatchObject({ status: { serving: before, health: 'HEALTHY' } });
  const commit = await copy.commit({ 'main.js': goodMain('six') });
  await copy.push();
  expect((await runOf(commit)).status.state).toBe('COMPLETED');
  expect((await app.get(url)).text).toBe('six');
});

test('what was pushed while nobody listened is found again', async () => {
  const commit = await copy.commit({ 'main.js': goodMain('seven') });
  await app.database.pool.query(`update service set active = false where name = 'berth'`);
  await copy.push();
  await app.restart();
  expect((await pipelines()).some(({ facts }) => facts['commit'] === commit.slice(0, 7))).toBe(false);
  await app.database.pool.query(`update service set active = true where name = 'berth'`);
  expect((await runOf(commit)).status.state).toBe('COMPLETED');
});

test('another branch builds nothing', async () => {
  const known = (await pipelines()).length;
  const branch = await workingCopy(app, 'berth/berth', await app.apiToken('owner', ['git']));
  await branch.commit({ 'main.js': goodMain('branch') });
  expect(await branch.push('HEAD:refs/heads/elsewhere')).toMatchObject({ code: 0 });
  await branch.remove();
  expect((await pipelines()).length).toBe(known);
});

test.each([
  ['another team', 'stranger', ['git'], 'read'],
  ['a token without the scope', 'member', ['read', 'write'], 'nothing'],
] as const)('%s may not push', async (_name, actor, scopes, may) => {
  const token = await app.apiToken(actor, scopes);
  if (may === 'nothing') return expect(workingCopy(app, 'berth/berth', token)).rejects.toThrow('Authentication failed');
  const theirs = await workingCopy(app, 'berth/berth', token);
  await theirs.commit({ 'main.js': goodMain('theirs') });
  expect(await theirs.push()).toMatchObject({ code: 128, stderr: expect.stringContaining('403') as unknown });
  await theirs.remove();
  return undefined;
});

test('the log tells who pushed what', async () => {
  const answer = await app.call('member', appActivityList, { params, query: { query: 'pushed', size: 100 } });
  const { content } = answer.body as Page<Activity>;
  expect(content.at(-1)).toMatchObject({
    type: 'push',
    origin: 'platform',
    actor: { id: 'mats' },
    message: expect.stringMatching(/^Mats Member pushed [0-9a-f]{7} to berth\/berth$/) as unknown,
  });
  const revisions = (await app.call('member', revisionList, { params, query: { size: 100 } })).body as Page<Revision>;
  expect(revisions.content.filter(({ status }) => status === 'HEALTHY')).toHaveLength(1);
});
