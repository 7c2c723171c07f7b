// @long (shared process): waits for engines that are unavailable
/** An engine becomes unavailable during a rollout: the step reports it, waits, and continues when the engine is back. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { transaction } from '#db/database.ts';
import { createLog } from '#kernel/log.ts';
import { awaitRun, PipelineEngine } from '#modules/pipelines/index.ts';
import type { Registry } from '#ports/registry.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { faultyPort, type FaultyPort } from '#testing/faults/faulty-port.ts';
import { good } from '#testing/programs.ts';
import { servicePipelines, type ServicePipelines } from './services.pipeline.ts';
import { openTestService, testServiceKey, testServiceStart } from '../service.fixture.ts';

const anybody = { id: 'tester', isAdministrator: true, memberOf: new Set<string>(), ownerOf: new Set<string>() };
let database: TestDatabase;
let yard: Awaited<ReturnType<typeof openTestService>>;
let registry: FaultyPort<Registry>;
let engine: PipelineEngine;
let pipelines: ServicePipelines;

beforeAll(async () => {
  database = await testDatabase();
  yard = await openTestService(database, 'ROLLING_UPDATE');
  await yard.engines.push(testServiceKey.app, 'three', good('three'));
  registry = faultyPort<Registry>(yard.engines.registry);
  pipelines = servicePipelines({ ...yard.engines, registry: registry.port });
  const timing = { outage: { firstMs: 50, longestMs: 200 }, undoAttempts: 3 };
  engine = new PipelineEngine({ connection: database.config, db: database.db, log: createLog('silent'), timing });
  engine.register(pipelines.deploy);
  engine.register(pipelines.enableRevision);
  await engine.launch();
});

afterAll(async () => {
  await engine?.close();
  await yard?.engines.close();
  await database?.drop();
});

const deploy = async (imageTag: string): Promise<string> => {
  const reason = { type: 'DEPLOY', text: null, commit: null, commitMessage: null } as const;
  const input = { ...testServiceKey, imageTag, reason };
  return (await transaction(database.db, (trx) => engine.start(trx, pipelines.deploy, { ...testServiceStart, input }))).pipelineId;
};
const enable = async (revision: { id: string; name: string }): Promise<string> => {
  const input = { ...testServiceKey, revisionId: revision.id, revision: revision.name, enabled: true };
  return (await transaction(database.db, (trx) => engine.start(trx, pipelines.enableRevision, { ...testServiceStart, input }))).pipelineId;
};
const stepNow = async (pipelineId: string) => {
  const step = await database.db
    .selectFrom('pipeline_step')
    .innerJoin('pipeline_run', 'pipeline_run.run_id', 'pipeline_step.run_id')
    .select(['pipeline_step.code', 'pipeline_step.state', 'pipeline_step.message'])
    .where('pipeline_run.pipeline_id', '=', pipelineId)
    .where('pipeline_step.state', '=', 'RUNNING')
    .executeTakeFirst();
  return { step: step?.code, message: (step?.message as { code: string } | null)?.code };
};
const ended = (pipelineId: string): Promise<PipelineRun> => awaitRun(database.db, pipelineId, anybody, 30_000);
const untilWaiting = (pipelineId: string, step: string, message: string) =>
  expect.poll(() => stepNow(pipelineId)).toEqual({ step, message });

test('a deploy waits for the registry that does not tell of its image', async () => {
  registry.away('image', 'registry', 1000);
  const pipelineId = await deploy('two');
  await untilWaiting(pipelineId, 'ValidateContainerImage', 'EngineUnavailable');
  registry.away('image', 'registry', 0);
  expect((await ended(pipelineId)).status.state).toBe('COMPLETED');
  await yard.expectServing('two');
});

test('instances wait for the registry that does not send their image', async () => {
  let pipelineId = '';
  await yard.engines.unreachable(async () => {
    pipelineId = await deploy('three');
    await untilWaiting(pipelineId, 'StartInstances', 'EngineUnavailable');
    // The old revision keeps serving meanwhile.
    expect((await yard.state()).answer).toBe('two');
  });
  expect((await ended(pipelineId)).status.state).toBe('COMPLETED');
  await yard.expectServing('three');
});

test('a deploy waits for somebody to drive the runtime', async () => {
  await yard.engines.halt();
  const pipelineId = await deploy('one');
  await untilWaiting(pipelineId, 'StartInstances', 'RuntimeDown');
  await yard.engines.drive();
  expect((await ended(pipelineId)).status.state).toBe('COMPLETED');
  await yard.expectServing('one');
});

test('a revision that was healthy before nobody drove the runtime is not believed to be', async () => {
  const { db } = database;
  const live = await db.selectFrom('revision').select(['id', 'name']).where('replicas_wanted', '>', 0).executeTakeFirstOrThrow();
  await yard.engines.halt();
  // Simulates a killed runtime holder: the rows still show its last observation.
  await db.updateTable('revision').set({ enabled: false, status: 'HEALTHY' }).where('id', '=', live.id).execute();
  const pipelineId = await enable(live);
  await untilWaiting(pipelineId, 'StartInstances', 'RuntimeDown');
  await yard.engines.drive();
  expect((await ended(pipelineId)).status.state).toBe('COMPLETED');
  await yard.expectServing('one');
});

test('what is cancelled meanwhile starts nothing, and its re-run replaces what serves by then', async () => {
  const { db } = database;
  const resting = await db.selectFrom('revision').select(['id', 'name']).where('name', '=', 'yard-2').executeTakeFirstOrThrow();
  await yard.engines.halt();
  const pipelineId = await enable(resting);
  await untilWaiting(pipelineId, 'StartInstances', 'RuntimeDown');
  const by = { id: 'tester', displayName: 'Tester' };
  await transaction(db, (trx) => engine.cancel(trx, pipelineId, by));
  expect((await ended(pipelineId)).status.state).toBe('CANCELED');
  await yard.engines.drive();
  await yard.expectServing('one');
  // The revision is not marked as failed.
  const found = await db.selectFrom('revision').select('failed_at').where('id', '=', resting.id).executeTakeFirst();
  expect(found).toEqual({ failed_at: null });
  expect((await ended(await deploy('three'))).status.state).toBe('COMPLETED');
  const rerun = async () => {
    await transaction(db, (trx) => engine.rerun(trx, pipelineId, 'failedStep', by));
    return ended(pipelineId);
  };
  await db.updateTable('service').set({ active: false }).execute();
  expect((await rerun()).statusMessage).toBe('The service yard is inactive. Activate it first.');
  await db.updateTable('service').set({ active: true }).execute();
  expect((await rerun()).status.state).toBe('COMPLETED');
  await yard.expectServing('two');
});
