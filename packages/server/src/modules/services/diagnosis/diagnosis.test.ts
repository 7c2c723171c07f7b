// @long: tries rare cases that take long
/** Every way for a program to fail, on the real runtime: each gets a diagnosis with evidence and a next step. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import {
  pipelineStepLogs,
  pipelineStopWaiting,
  pipelineView,
  type LogEntry,
  type PipelineRun,
} from '@slipway/contract/pipeline/pipeline.ts';
import { revisionInstances, type InstanceEvent } from '@slipway/contract/service/revision.ts';
import { serviceDeploy } from '@slipway/contract/service/service.ts';
import { revisionDiagnosis, diagnosisSentence, type Diagnosis } from '@slipway/contract/service/diagnosis.ts';
import type { SourceFile } from '#ports/builder.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import type { Actor } from '#testing/actors.ts';
import { crashing, diskFull, fading, good, greedy, lateAndUnhealthy, program, wrongPort } from '#testing/programs.ts';

let app: TestApp;
const path = { app: 'berth', env: 'development', service: 'berth' };
const push = (tag: string, files: readonly SourceFile[]) =>
  app.adapters.builder.build({ buildId: `build-${tag}`, files, repository: 'berth/berth', tag, labels: {}, onLog: () => {} });

beforeAll(async () => {
  app = await testApp({ templates: async () => good('one'), patienceSeconds: 20 });
  const body = { id: 'berth', teamId: 'cranes', template: 'node-http-api' };
  expect(await app.run('member', quickstartApplicationCreate, { body })).toMatchObject({ status: { state: 'COMPLETED' } });
});
afterAll(() => app?.close());

const diagnosisWith = async (revision: string, actor: Actor = 'member') =>
  ((await app.call(actor, revisionDiagnosis, { params: { ...path, revision } })).body as { diagnosis: Diagnosis | null }).diagnosis;
/** Deploys a failing program and returns its diagnosis after the pipeline has failed. */
const failing = async (tag: string, files: readonly SourceFile[]) => {
  await push(tag, files);
  const run = await app.run('member', serviceDeploy, { params: path, body: { imageTag: tag } });
  expect(run).toMatchObject({ status: { state: 'FAILED' } });
  const revision = run.facts['revision'] ?? '';
  // The last report of the runtime may arrive after the end of the run.
  await expect.poll(() => diagnosisWith(revision)).not.toBeNull();
  return { run, revision, diagnosis: await diagnosisWith(revision) };
};

test('what is well has no diagnosis', async () => {
  expect(await diagnosisWith('berth-1')).toBeNull();
});

test('a crash loop: the exit code and the last words, for members', async () => {
  const { diagnosis, revision } = await failing('crash', crashing());
  expect(diagnosis).toMatchObject({
    code: 'CrashLoop',
    context: { exit: 'exit code 3' },
    next: { place: 'logs' },
    stillServing: 'berth-1',
  });
  expect(diagnosis?.evidence.lastLines.map(({ line }) => line)).toContain('Error: no berth is free');
  expect(diagnosis?.evidence.restarts).toBeGreaterThan(0);
  const reported = await diagnosisWith(revision, 'stranger');
  expect([reported?.code, reported?.evidence.lastLines, reported?.next.place]).toEqual(['CrashLoop', [], 'none']);
});

test('a wrong port: which it is, and where it is set', async () => {
  const { diagnosis } = await failing('port', wrongPort());
  expect(diagnosis).toMatchObject({ code: 'WrongPort', context: { port: '8080' }, next: { place: 'settings', target: 'network' } });
  expect(diagnosis && diagnosisSentence(diagnosis)).toMatch(/^The container listens on port \d+, but the service is set to port 8080\.$/);
});

const often = String.raw`, \d+ times in \d+ s`;
test.each([
  ['lost', 'response.statusCode = 404; response.end();', 'GET /healthz returned 404'],
  ['broken', 'response.statusCode = 500; response.end();', 'GET /healthz returned 500'],
  ['silent', '', 'GET /healthz was not answered within 2 s'],
])('names the last answer of the health check, after connections were refused: %s', async (tag, answer, seen) => {
  const { diagnosis, run, revision } = await failing(tag, lateAndUnhealthy(answer));
  expect(run.statusMessage).toMatch(new RegExp(`^Health check failed: ${seen}${often}$`));
  expect(diagnosis).toMatchObject({
    code: 'NotHealthy',
    context: { reason: seen },
    evidence: { event: { instance: expect.any(String) as string } },
  });
  expect(diagnosis && diagnosisSentence(diagnosis)).toBe(`Running, but failing its health check: ${seen}`);
  const log = await app.call('member', pipelineStepLogs, { params: { pipelineId: run.pipelineId, step: 'StartInstances' } });
  const lines = (log.body as LogEntry[]).map(({ line }) => line);
  // Two attempts, the number of equal ones, and the last attempt.
  const attempt = expect.stringMatching(new RegExp(String.raw`^\w+  ${seen} \(attempt \d+\)$`)) as string;
  expect(lines.filter((line) => line.includes(`${seen} (attempt`))).toEqual([attempt, attempt, attempt]);
  expect(lines.filter((line) => line.endsWith(' more of the same'))).not.toEqual([]);
  expect(lines).toContain(`${revision} stopped`);
  const { message } = run.status.steps.find(({ code }) => code === 'StartInstances') ?? {};
  expect(message?.context).toMatchObject({ instances: '1', seconds: expect.stringMatching(/^\d+$/) as string });
  const { events } = (await app.call('member', revisionInstances, { params: { ...path, revision } })).body as { events: InstanceEvent[] };
  const counts = events.filter(({ reason }) => reason === 'NotHealthyYet').map(({ context, count }) => [context?.['probe'], count > 1]);
  expect(counts).toContainEqual(['NothingListens', true]);
});

test('people end the waiting with its verdict as soon as the answers are plain', async () => {
  await push('stopped', lateAndUnhealthy('response.statusCode = 404; response.end();', 0));
  const { pipelineId } = (await app.call('member', serviceDeploy, { params: path, body: { imageTag: 'stopped' } })).body as PipelineRun;
  const running = async () => (await app.call('member', pipelineView, { params: { pipelineId } })).body as PipelineRun;
  const answers = async () => {
    const { revision } = (await running()).facts;
    if (revision === undefined) return 0;
    const { events } = (await app.call('member', revisionInstances, { params: { ...path, revision } })).body as { events: InstanceEvent[] };
    return events.find(({ context }) => context?.['status'] === 404)?.count ?? 0;
  };
  await expect.poll(answers).toBeGreaterThanOrEqual(5);
  expect((await running()).can.stopWaiting).toBe(true);
  expect((await app.call('stranger', pipelineStopWaiting, { params: { pipelineId } })).status).toBe(403);
  expect((await app.call('member', pipelineStopWaiting, { params: { pipelineId } })).status).toBe(202);
  const ended = await app.ended(pipelineId);
  expect(ended).toMatchObject({ status: { state: 'FAILED' }, can: { stopWaiting: 'PipelineStepNotWaiting' } });
  expect(ended.statusMessage).toMatch(new RegExp(`^Health check failed: GET /healthz returned 404${often}$`));
  expect(Date.parse(ended.endedAt ?? '') - Date.parse(ended.startedAt ?? '')).toBeLessThan(20_000);
  const late = await app.call('member', pipelineStopWaiting, { params: { pipelineId } });
  expect([late.status, (late.body as { errors: { code: string }[] }).errors[0]?.code]).toEqual([409, 'PipelineStepNotWaiting']);
});

test('a port that opens late is judged by what answers there', async () => {
  const main = `import http from 'node:http';
http.createServer((_, response) => response.end()).listen(0, '127.0.0.1');
setTimeout(() => http.createServer((_, response) => { response.statusCode = 404; response.end(); }).listen(Number(process.env.PORT)), 4500);
`;
  const { diagnosis } = await failing('two-ports', program(main));
  expect(diagnosis).toMatchObject({ code: 'NotHealthy', context: { reason: 'GET /healthz returned 404' } });
});

test('memory that is not enough', async () => {
  const { diagnosis } = await failing('greedy', greedy());
  expect(diagnosis).toMatchObject({ code: 'OutOfMemory', context: { limit: '256' }, next: { place: 'settings', target: 'resources' } });
});

test('a full disk', async () => {
  const { diagnosis } = await failing('disk', diskFull());
  expect(diagnosis).toMatchObject({ code: 'DiskFull', next: { place: 'logs' } });
});

test('a health check that fails once it serves', async () => {
  await push('fading', fading(1500));
  expect(await app.run('member', serviceDeploy, { params: path, body: { imageTag: 'fading' } })).toMatchObject({
    status: { state: 'COMPLETED' },
  });
  const { serving } = await app.database.db.selectFrom('service').select('serving').where('name', '=', 'berth').executeTakeFirstOrThrow();
  await expect
    .poll(() => diagnosisWith(serving[0] ?? ''))
    .toMatchObject({ code: 'ProbeFailed', context: { reason: expect.stringContaining('500') as string }, stillServing: null });
});

test('an image that is gone when its instances are to start again', async () => {
  await push('good', good('two'));
  const run = await app.run('member', serviceDeploy, { params: path, body: { imageTag: 'good' } });
  expect(run).toMatchObject({ status: { state: 'COMPLETED' } });
  const revision = run.facts['revision'] ?? '';
  await app.restart(async () => {
    await app.database.db.deleteFrom('registry_repository').where('name', '=', 'berth/berth').execute();
    await rm(join(app.dataDir, 'images'), { recursive: true, force: true });
  });
  await expect.poll(() => diagnosisWith(revision)).toMatchObject({ code: 'ImageMissing', next: { place: 'deploy' } });
});
