/** Starting, progress, and failures of every kind. */
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { transaction } from '#db/database.ts';
import { PortFailure } from '#ports/failure.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { subjectNamed } from '#testing/subject-named.ts';
import { awaitRun, PipelineActive, PipelineEngine, pipelineRun, StepFailure, stepLogs } from './index.ts';
import { ada, administrator, quick, runWhen, startToy, stepStates, Toybox } from './toy.fixture.ts';

const toys = new Toybox(['CheckNames', 'ReadSource', 'BuildImage', 'StartInstances']);
const errors: { traceId?: string }[] = [];
const log = { debug() {}, info() {}, warn() {}, error: (context: object) => void errors.push(context) };
let database: TestDatabase;
let engine: PipelineEngine;

beforeAll(async () => {
  database = await testDatabase();
  engine = new PipelineEngine({ connection: database.config, db: database.db, log, timing: quick });
  engine.register(toys.definition);
  await engine.launch();
});
let isClosed = false;
afterAll(async () => {
  if (!isClosed) await engine.close();
  await database.drop();
});
beforeEach(() => toys.reset());

const start = (about: Parameters<typeof startToy>[3] = {}) => startToy(database.db, engine, toys.definition, about);
const ended = (pipelineId: string) => awaitRun(database.db, pipelineId, administrator);

test('a run passes its state from step to step and ends with what the module writes about it', async () => {
  toys.run.ReadSource = async (c) => ({ state: { commit: `of ${c.input.name}` } });
  toys.run.BuildImage = async (c) => ({
    state: { image: `built ${c.state.commit}` },
    message: { code: 'ImageBuilt', context: { image: 'a', size: '1 MB' } },
  });
  toys.run.StartInstances = async () => ({ skipped: true });
  const { pipelineId, runId } = await start({ team: 'cranes', subject: 'service:berth/development/berth', facts: { tag: '1' } });
  const run = await ended(pipelineId);
  expect(run).toMatchObject({
    pipelineId,
    runId,
    pipelineType: 'Deploy',
    statusMessage: null,
    subject: { team: 'cranes', app: 'berth', env: 'development', service: 'berth', revision: null },
    facts: { tag: '1' },
    createdBy: ada,
    trigger: 'person',
  });
  expect(stepStates(run)).toEqual(['CheckNames COMPLETED', 'ReadSource COMPLETED', 'BuildImage COMPLETED', 'StartInstances SKIPPED']);
  expect(run.status.steps[2]?.message).toEqual({ code: 'ImageBuilt', context: { image: 'a', size: '1 MB' } });
  expect(toys.finished).toEqual([
    {
      pipelineId,
      runId,
      ids: {},
      input: { name: 'berth' },
      state: { commit: 'of berth', image: 'built of berth' },
      outcome: 'COMPLETED',
      failure: undefined,
      createdBy: ada,
    },
  ]);
});

test('the first step begins within a tenth of a second of the commit', async () => {
  const waits: number[] = [];
  for (let index = 0; index < 5; index++) {
    const began = Promise.withResolvers<number>();
    toys.run.CheckNames = async () => began.resolve(performance.now());
    const { pipelineId } = await start();
    const committedAt = performance.now();
    waits.push((await began.promise) - committedAt);
    await ended(pipelineId);
  }
  expect(Math.min(...waits)).toBeLessThan(100);
});

test('a step is shown as running while it runs, and every change is announced', async () => {
  const listener = new pg.Client(database.config);
  await listener.connect();
  await listener.query('listen slipway_change');
  const hints: unknown[] = [];
  listener.on('notification', ({ payload }) => hints.push(JSON.parse(payload ?? '')));
  const gate = Promise.withResolvers<void>();
  toys.run.ReadSource = () => gate.promise;
  const { pipelineId } = await start({ team: 'cranes', subject: 'app:berth' });
  const running = await runWhen(database.db, pipelineId, (run) => run.status.steps[1]?.state === 'RUNNING');
  expect(stepStates(running)).toEqual(['CheckNames COMPLETED', 'ReadSource RUNNING', 'BuildImage PENDING', 'StartInstances PENDING']);
  gate.resolve();
  await ended(pipelineId);
  await listener.query('select 1');
  await listener.end();
  // Start, claim, three steps that end, the run's end.
  expect(hints).toEqual(Array.from({ length: 6 }, () => ({ kind: 'pipeline', about: 'app', team: 'cranes', app: 'berth', pipelineId })));
});

test('a transaction that rolls back starts nothing', async () => {
  await expect(
    transaction(database.db, async (trx) => {
      await engine.start(trx, toys.definition, {
        input: { name: 'x' },
        subject: subjectNamed('app:rolled-back'),
        createdBy: ada,
        trigger: 'person',
      });
      throw new Error('changed my mind');
    }),
  ).rejects.toThrow('changed my mind');
  const { rows } = await database.pool.query(`select 1 from pipeline where subject = 'app:rolled-back'`);
  const { rows: queued } = await database.pool.query(`select 1 from pipeline_run where owner is null`);
  expect([rows, queued]).toEqual([[], []]);
});

test('a subject has one active run, also when two ask at the same moment, and the loser’s transaction stays good', async () => {
  const gate = Promise.withResolvers<void>();
  toys.run.CheckNames = () => gate.promise;
  const ask = () =>
    transaction(database.db, async (trx) => {
      const options = { input: { name: 'x' }, subject: subjectNamed('app:busy'), createdBy: ada, trigger: 'person' };
      try {
        return (await engine.start(trx, toys.definition, options)).pipelineId;
      } catch (error) {
        expect(error).toBeInstanceOf(PipelineActive);
        await trx.selectFrom('pipeline').select('id').execute();
        return undefined;
      }
    });
  const answers = await Promise.all([ask(), ask(), ask()]);
  const started = answers.filter((id) => id !== undefined);
  expect(started).toHaveLength(1);
  const { rows } = await database.pool.query(`select id from pipeline where subject = 'app:busy'`);
  expect(rows).toHaveLength(1);
  gate.resolve();
  await ended(started[0] ?? '');
  const last = await ask();
  expect(last).toBeTypeOf('string');
  await ended(last ?? '');
});

test('a failed step undoes everything in reverse, itself included', async () => {
  toys.run.ReadSource = async () => ({ state: { repository: 'r' } });
  toys.run.BuildImage = async () => {
    throw new StepFailure('BuildPackageInvalid', { reason: 'no comma' });
  };
  let seen: unknown;
  toys.undo.ReadSource = async (c) => void (seen = c.state);
  const { pipelineId } = await start();
  const run = await ended(pipelineId);
  expect(toys.trace).toEqual(['CheckNames', 'ReadSource', 'BuildImage', 'undo BuildImage', 'undo ReadSource', 'undo CheckNames']);
  expect(stepStates(run)).toEqual(['CheckNames COMPLETED', 'ReadSource COMPLETED', 'BuildImage FAILED', 'StartInstances SKIPPED']);
  expect(run.status.steps.map(({ message }) => message?.code)).toEqual(['Undone', 'Undone', 'BuildPackageInvalid', undefined]);
  expect(run.statusMessage).toBe('package.json is not valid: no comma');
  expect(seen).toEqual({ repository: 'r' });
  expect(toys.finished).toMatchObject([{ outcome: 'FAILED', failure: { step: 'BuildImage', message: { code: 'BuildPackageInvalid' } } }]);
});

test('a failed run notifies the team that owns its subject, once, in the transaction that ends it', async () => {
  const about = { team: 'cranes', subject: 'service:berth/development/berth' };
  toys.run.BuildImage = async () => {
    throw new StepFailure('BuildPackageInvalid', { reason: 'no comma' });
  };
  const { pipelineId, runId } = await start(about);
  await ended(pipelineId);
  toys.run.BuildImage = async () => {};
  await ended((await start(about)).pipelineId);
  const { rows } = await database.pool.query(`select id, type, entity, team_id, actor_id, context, path from notification_event`);
  expect(rows).toEqual([
    {
      id: `pipeline.failed/${runId}`,
      type: 'pipeline.failed',
      entity: about.subject,
      team_id: 'cranes',
      actor_id: null,
      context: { pipeline: 'Deploy', name: 'berth', place: 'berth · development · ', step: 'Build image' },
      path: `/app/berth/development/service/berth/pipeline/${pipelineId}`,
    },
  ]);
});

test('an undo that fails is recorded and stops no other', async () => {
  toys.run.StartInstances = async () => {
    throw new PortFailure('rejected', 'crashed', { code: 'CrashLoop', context: { exit: 'code 1', lastLine: 'boom' } });
  };
  toys.undo.BuildImage = async () => {
    throw new PortFailure('rejected', 'no', { code: 'RegistryProjectAlreadyExists' });
  };
  toys.undo.ReadSource = async () => {
    throw new PortFailure('unavailable', 'down', { context: { engine: 'source host' } });
  };
  const { pipelineId } = await start();
  const run = await ended(pipelineId);
  expect(run.status.state).toBe('FAILED');
  expect(run.statusMessage).toBe('The instances exit right after the start: code 1. boom');
  expect(run.status.steps.map(({ message }) => message)).toEqual([
    { code: 'Undone', context: {} },
    { code: 'UndoFailed', context: { reason: 'the source host does not answer' } },
    { code: 'UndoFailed', context: { reason: 'RegistryProjectAlreadyExists' } },
    { code: 'CrashLoop', context: { exit: 'code 1', lastLine: 'boom' } },
  ]);
  // The engine that is away was asked as often as the timing says.
  expect(toys.trace.filter((item) => item === 'undo ReadSource')).toHaveLength(quick.undoAttempts);
});

test('an engine that is away is waited for, visibly', async () => {
  let isAway = true;
  const attempts: number[] = [];
  toys.run.BuildImage = async (c) => {
    attempts.push(c.attempt);
    if (isAway) throw new PortFailure('unavailable', 'connection refused', { context: { engine: 'registry' } });
  };
  const { pipelineId, runId } = await start();
  const waiting = await runWhen(database.db, pipelineId, (run) => run.status.steps[2]?.message?.context.attempt === '3');
  expect(waiting.status.state).toBe('RUNNING');
  expect(waiting.status.steps[2]).toMatchObject({
    state: 'RUNNING',
    message: { code: 'EngineUnavailable', context: { engine: 'registry' } },
  });
  isAway = false;
  const run = await ended(pipelineId);
  expect(run.status.state).toBe('COMPLETED');
  expect(run.status.steps[2]?.message).toBeNull();
  expect(attempts).toEqual(attempts.map((_, index) => index + 1));
  const lines = await stepLogs(database.db, runId, 'BuildImage', 0);
  expect(lines[0]).toMatchObject({ number: 1, level: 'WARNING', line: 'The registry does not answer: connection refused' });
});

test('what nobody foresaw reaches users as a trace id, and the log with its cause', async () => {
  toys.run.BuildImage = async () => {
    throw new Error('password is hunter2');
  };
  const { pipelineId } = await start();
  const run = await ended(pipelineId);
  const traceId = run.status.steps[2]?.message?.context.traceId;
  expect(run.statusMessage).toBe(`Something went wrong on our side. Please try again later. Trace Id: ${traceId}`);
  expect(JSON.stringify(run)).not.toContain('hunter2');
  expect(errors.find((entry) => entry.traceId === traceId)).toMatchObject({ pipelineId, step: 'BuildImage' });
});

test('a result that cannot be stored fails the step', async () => {
  const loop: Record<string, unknown> = {};
  loop.self = loop;
  toys.run.ReadSource = async () => ({ state: loop as Record<string, string> });
  const { pipelineId } = await start();
  const run = await ended(pipelineId);
  expect(stepStates(run).slice(0, 3)).toEqual(['CheckNames COMPLETED', 'ReadSource FAILED', 'BuildImage SKIPPED']);
});

test('a module that cannot note a completion makes the run fail and undo; one that cannot note a failure is left out', async () => {
  toys.onFinished = async () => {
    throw new Error('constraint violated');
  };
  const { pipelineId } = await start();
  const run = await ended(pipelineId);
  expect(stepStates(run).at(-1)).toBe('StartInstances FAILED');
  expect(toys.trace.slice(4)).toEqual(['undo StartInstances', 'undo BuildImage', 'undo ReadSource', 'undo CheckNames']);
  expect(run.status.state).toBe('FAILED');
});

test('a log keeps its order and numbers, and facts are added', async () => {
  toys.run.BuildImage = async (c) => {
    for (let index = 1; index <= 300; index++) c.log(`line ${index}`);
    await c.setFacts({ image: 'berth:1' });
    c.log('two\nlines', 'ERROR');
  };
  const { pipelineId, runId } = await start({ facts: { commit: 'abc' } });
  const run = await ended(pipelineId);
  expect(run.facts).toEqual({ commit: 'abc', image: 'berth:1' });
  const lines = await stepLogs(database.db, runId, '2', 298);
  expect(lines.map(({ number, level, line }) => [number, level, line])).toEqual([
    [299, 'INFO', 'line 299'],
    [300, 'INFO', 'line 300'],
    [301, 'ERROR', 'two'],
    [302, 'ERROR', 'lines'],
  ]);
});

test('a running step’s log can be read meanwhile', async () => {
  const gate = Promise.withResolvers<void>();
  toys.run.BuildImage = async (c) => {
    c.log('compiling');
    await gate.promise;
  };
  const { pipelineId, runId } = await start();
  await runWhen(database.db, pipelineId, (run) => run.status.steps[2]?.state === 'RUNNING');
  await expect.poll(() => stepLogs(database.db, runId, 'BuildImage', 0)).toMatchObject([{ line: 'compiling' }]);
  gate.resolve();
  await ended(pipelineId);
});

test('completed runs tell how long a step usually takes', async () => {
  const { pipelineId } = await start();
  await ended(pipelineId);
  const run = await pipelineRun(database.db, pipelineId, administrator);
  expect(run?.status.steps[0]?.usualMs).toBeTypeOf('number');
});

test('an orderly end in the middle of a run is no error', async () => {
  const began = Promise.withResolvers<void>();
  toys.run.BuildImage = async (c) => {
    began.resolve();
    await new Promise((_, reject) => c.signal.addEventListener('abort', () => reject(new Error('stopped'))));
  };
  await start();
  await began.promise;
  errors.length = 0;
  await engine.close();
  isClosed = true;
  expect(errors).toEqual([]);
  // It waits for the next worker, and for none that is gone.
  const { rows } = await database.pool.query(`select state, owner, crashes from pipeline_run where ended_at is null`);
  expect(rows).toEqual([{ state: 'RUNNING', owner: null, crashes: 0 }]);
});
