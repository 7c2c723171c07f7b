/** Cancelling and re-running. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { transaction } from '#db/database.ts';
import { PortFailure } from '#ports/failure.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { awaitRun, PipelineActive, PipelineEngine, pipelineRun, StepFailure } from './index.ts';
import { ada, administrator, eventually, quick, runWhen, silent, startToy, stepStates, Toybox, type ToyContext } from './toy.fixture.ts';

const codes = ['CheckNames', 'ReadSource', 'BuildImage', 'ShiftTraffic', 'RetireOldRevisions'];
const toys = new Toybox(codes, { noReturn: 'ShiftTraffic' });
const bob = { id: 'bob', displayName: 'Bob' };
let database: TestDatabase;
let engine: PipelineEngine;

beforeAll(async () => {
  database = await testDatabase();
  // A deadlock is then too slow for the tests, whoever loses it.
  await database.pool.query(`alter database ${database.config.database} set deadlock_timeout = '10s'`);
  engine = new PipelineEngine({ connection: database.config, db: database.db, log: silent, timing: quick, concurrency: 2 });
  engine.register(toys.definition);
  await engine.launch();
});
afterAll(async () => {
  await engine.close();
  await database.drop();
});
beforeEach(() => toys.reset());

const start = (about: Parameters<typeof startToy>[3] = {}) => startToy(database.db, engine, toys.definition, about);
const ended = (pipelineId: string) => awaitRun(database.db, pipelineId, administrator);
const cancel = (pipelineId: string) => transaction(database.db, (trx) => engine.cancel(trx, pipelineId, bob));
const rerun = (pipelineId: string, from: 'failedStep' | 'start' = 'failedStep') =>
  transaction(database.db, (trx) => engine.rerun(trx, pipelineId, from, bob));
/** A step that reacts to its signal and to nothing else. */
const endless = (c: ToyContext) => delay(60_000, undefined, { signal: c.signal });
const fails = async () => {
  throw new StepFailure('BuildNoStartCommand');
};

describe('cancel', () => {
  test('stops the step at work and undoes what was made', async () => {
    toys.run.BuildImage = endless;
    const { pipelineId } = await start();
    await runWhen(database.db, pipelineId, (run) => run.status.steps[2]?.state === 'RUNNING');
    const askedAt = performance.now();
    await cancel(pipelineId);
    const run = await ended(pipelineId);
    expect(performance.now() - askedAt).toBeLessThan(1000);
    expect(run.status.state).toBe('CANCELED');
    expect(stepStates(run).slice(2)).toEqual(['BuildImage CANCELED', 'ShiftTraffic CANCELED', 'RetireOldRevisions CANCELED']);
    expect(run.status.steps[2]?.message).toEqual({ code: 'Canceled', context: { by: 'Bob' } });
    expect(toys.trace).toEqual(['CheckNames', 'ReadSource', 'BuildImage', 'undo BuildImage', 'undo ReadSource', 'undo CheckNames']);
    expect(toys.finished).toMatchObject([{ outcome: 'CANCELED', failure: undefined }]);
  });

  test('frees a run that waits for an engine', async () => {
    toys.run.ReadSource = async () => {
      throw new PortFailure('unavailable', 'down');
    };
    const { pipelineId } = await start();
    await runWhen(database.db, pipelineId, (run) => run.status.steps[1]?.message?.code === 'EngineUnavailable');
    await cancel(pipelineId);
    expect((await ended(pipelineId)).status.state).toBe('CANCELED');
  });

  test('lets a step that does not listen finish, and then begins no other', async () => {
    const gate = Promise.withResolvers<void>();
    toys.run.BuildImage = () => gate.promise;
    const { pipelineId } = await start();
    await runWhen(database.db, pipelineId, (run) => run.status.steps[2]?.state === 'RUNNING');
    await cancel(pipelineId);
    gate.resolve();
    const run = await ended(pipelineId);
    expect(stepStates(run).slice(2, 4)).toEqual(['BuildImage COMPLETED', 'ShiftTraffic CANCELED']);
    expect(toys.trace).not.toContain('ShiftTraffic');
  });

  test('is refused once a point of no return has begun, and after the end', async () => {
    const gate = Promise.withResolvers<void>();
    toys.run.ShiftTraffic = () => gate.promise;
    const { pipelineId } = await start();
    const running = await runWhen(database.db, pipelineId, (run) => run.status.steps[3]?.state === 'RUNNING');
    expect(running.can.cancel).toBe('PipelineUncancellableState');
    await expect(cancel(pipelineId)).rejects.toMatchObject({ code: 'PipelineUncancellableState' });
    gate.resolve();
    expect((await ended(pipelineId)).status.state).toBe('COMPLETED');
    await expect(cancel(pipelineId)).rejects.toMatchObject({ code: 'PipelineUncancellableState' });
    await expect(cancel('pl_none')).rejects.toMatchObject({ code: 'PipelineDoesNotExist' });
  });

  test('ends a run that nobody has begun at once, and frees its subject', async () => {
    toys.run.CheckNames = endless;
    const busy = await Promise.all([start(), start()]);
    // Begun here, not only said to be at work in the rows.
    await eventually('both steps to begin', async () => toys.trace.length === busy.length);
    const { pipelineId } = await start({ subject: 'app:waits' });
    await cancel(pipelineId);
    const run = await pipelineRun(database.db, pipelineId, administrator);
    expect(run?.status.state).toBe('CANCELED');
    expect(toys.finished).toMatchObject([{ pipelineId, outcome: 'CANCELED' }]);
    toys.run = {};
    const next = await start({ subject: 'app:waits' });
    await Promise.all(busy.map((item) => cancel(item.pipelineId)));
    expect((await ended(next.pipelineId)).status.state).toBe('COMPLETED');
  });

  test('never loses against the beginning of a point of no return', async () => {
    for (let round = 0; round < 30; round++) {
      toys.reset();
      const { pipelineId } = await start();
      await runWhen(database.db, pipelineId, (run) => run.status.state !== 'QUEUED');
      const askedAt = performance.now();
      const accepted = await cancel(pipelineId).then(
        () => true,
        () => false,
      );
      expect(performance.now() - askedAt).toBeLessThan(5000);
      const run = await ended(pipelineId);
      expect(run.status.state).toBe(accepted ? 'CANCELED' : 'COMPLETED');
      expect(toys.trace.includes('ShiftTraffic')).toBe(!accepted);
    }
  });
});

describe('re-run', () => {
  test('goes on at the earliest undone step with the same pipeline, a new run, and what was kept', async () => {
    const plain = new Toybox(['CheckTeam', 'ReadSource', 'ShiftTraffic']);
    const [check, read, shift] = plain.definition.steps;
    if (!check || !read || !shift) throw new Error('three steps');
    const { undo: _, ...checkOnly } = check;
    const definition = { ...plain.definition, type: 'BuildAndDeploy', steps: [checkOnly, read, shift] };
    engine.register(definition);
    plain.run.CheckTeam = async () => ({ state: { team: 'cranes' }, message: { code: 'ServiceHealthy', context: { duration: '1 s' } } });
    plain.run.ShiftTraffic = fails;
    const first = await startToy(database.db, engine, definition);
    const failed = await ended(first.pipelineId);
    plain.run.ShiftTraffic = async (c) => ({ state: { seen: c.state.team ?? 'nothing' } });
    plain.trace.length = 0;
    const second = await rerun(first.pipelineId);
    const run = await ended(first.pipelineId);
    expect(second.pipelineId).toBe(first.pipelineId);
    expect(run.runId).toBe(second.runId);
    expect(second.runId).not.toBe(first.runId);
    expect(plain.trace).toEqual(['ReadSource', 'ShiftTraffic']);
    expect(run.createdBy).toEqual(bob);
    expect(run.status.steps[0]).toMatchObject({
      state: 'COMPLETED',
      startedAt: failed.status.steps[0]?.startedAt,
      message: { code: 'ServiceHealthy' },
    });
    expect(plain.finished.at(-1)).toMatchObject({ outcome: 'COMPLETED', state: { team: 'cranes', seen: 'cranes' } });
    expect(await pipelineRun(database.db, first.pipelineId, administrator, first.runId)).toMatchObject({ status: { state: 'FAILED' } });
  });

  test('past a point of no return keeps what was done and goes on at the failed step', async () => {
    toys.run.RetireOldRevisions = fails;
    const { pipelineId } = await start();
    await ended(pipelineId);
    expect(toys.trace).toEqual([...codes, 'undo RetireOldRevisions']);
    toys.reset();
    const { runId } = await rerun(pipelineId);
    expect((await ended(pipelineId)).runId).toBe(runId);
    expect(toys.trace).toEqual(['RetireOldRevisions']);
  });

  test('of all steps begins with nothing', async () => {
    toys.run.ReadSource = async () => ({ state: { commit: 'a' } });
    toys.run.BuildImage = fails;
    const { pipelineId } = await start();
    await ended(pipelineId);
    toys.reset();
    let state: unknown;
    toys.run.CheckNames = async (c) => void (state = c.state);
    await rerun(pipelineId, 'start');
    expect((await ended(pipelineId)).status.state).toBe('COMPLETED');
    expect(state).toEqual({});
    expect(toys.trace).toEqual(codes);
  });

  test('is refused for what has not failed, does not exist, or while its subject is busy', async () => {
    const { pipelineId } = await start();
    await ended(pipelineId);
    await expect(rerun(pipelineId)).rejects.toMatchObject({ code: 'PipelineNotFailed' });
    await expect(rerun('pl_none')).rejects.toMatchObject({ code: 'PipelineDoesNotExist' });
    toys.run.ReadSource = fails;
    const failed = await start({ subject: 'app:contended' });
    await ended(failed.pipelineId);
    toys.run.ReadSource = endless;
    const other = await start({ subject: 'app:contended' });
    await expect(rerun(failed.pipelineId)).rejects.toBeInstanceOf(PipelineActive);
    await cancel(other.pipelineId);
    expect((await ended(other.pipelineId)).status.state).toBe('CANCELED');
  });

  test('asked for twice at once happens once', async () => {
    toys.run.ReadSource = fails;
    const { pipelineId } = await start();
    await ended(pipelineId);
    const gate = Promise.withResolvers<void>();
    toys.run.ReadSource = () => gate.promise;
    const answers = await Promise.allSettled([rerun(pipelineId), rerun(pipelineId), rerun(pipelineId)]);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    gate.resolve();
    expect((await ended(pipelineId)).status.state).toBe('COMPLETED');
  });

  test('of a run that was cancelled works as well', async () => {
    toys.run.BuildImage = endless;
    const { pipelineId } = await start({ createdBy: ada });
    await runWhen(database.db, pipelineId, (run) => run.status.steps[2]?.state === 'RUNNING');
    await cancel(pipelineId);
    await ended(pipelineId);
    toys.reset();
    await rerun(pipelineId);
    expect((await ended(pipelineId)).status.state).toBe('COMPLETED');
    expect(toys.trace).toEqual(codes);
  });
});
