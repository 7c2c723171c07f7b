/** Housekeeping: runs that the queue lost, gave up or cannot place, and what is deleted when. */
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { subjectNamed } from '#testing/subject-named.ts';
import { awaitRun, PipelineEngine } from './index.ts';
import { deleteOldLogs, deleteOldRuns, endedInQueue } from './retention.sql.ts';
import { ada, administrator, eventually, quick, runWhen, silent, startToy, stepStates, Toybox } from './toy.fixture.ts';

const toys = new Toybox(['ReadSource', 'BuildImage']);
let database: TestDatabase;
let client: pg.Client;
let engine: PipelineEngine | undefined;

beforeAll(async () => {
  database = await testDatabase();
  client = new pg.Client(database.config);
  await client.connect();
});
afterEach(async () => {
  await engine?.close();
  toys.reset();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

async function launch(options: { register?: boolean; roles?: string[]; executorId?: string } = {}): Promise<PipelineEngine> {
  const { register = true, ...rest } = options;
  const launched = new PipelineEngine({ connection: database.config, db: database.db, log: silent, timing: quick, ...rest });
  if (register) launched.register(toys.definition);
  await launched.launch();
  engine = launched;
  return launched;
}
const statusInQueue = async (runId: string) =>
  (await client.query<{ status: string }>('select status from dbos.workflow_status where workflow_uuid = $1', [runId])).rows[0]?.status;

test('an engine that is no worker enqueues and works on nothing', async () => {
  const api = await launch({ roles: ['api'] });
  const { pipelineId, runId } = await startToy(database.db, api, toys.definition);
  expect(await statusInQueue(runId)).toBe('ENQUEUED');
  await api.close();
  await launch({ roles: ['worker'] });
  expect((await awaitRun(database.db, pipelineId, administrator)).status.state).toBe('COMPLETED');
});

test('a type that this version does not know is left to a replica that does', async () => {
  const older = await launch({ register: false });
  const { pipelineId, runId } = await startToy(database.db, older, toys.definition);
  await eventually('the older replica’s claim', async () => (await statusInQueue(runId)) === 'PENDING');
  expect((await runWhen(database.db, pipelineId, () => true)).status.state).toBe('QUEUED');
  await older.close();
  await launch();
  expect((await awaitRun(database.db, pipelineId, administrator)).status.state).toBe('COMPLETED');
});

test('a run that was claimed but not begun is put back', async () => {
  await launch({ executorId: 'forgetful' });
  const api = new PipelineEngine({ connection: database.config, db: database.db, log: silent, roles: ['api'] });
  // As the worker leaves it when the database goes away between its claim and the first step.
  const { pipelineId } = await database.db.transaction().execute(async (trx) => {
    const options = { input: { name: 'x' }, subject: subjectNamed('app:forgotten'), createdBy: ada, trigger: 'person' };
    const started = await api.start(trx, toys.definition, options);
    await sql`update dbos.workflow_status set status = 'PENDING', executor_id = 'forgetful', updated_at = 0
      where workflow_uuid = ${started.runId}`.execute(trx);
    return started;
  });
  expect((await awaitRun(database.db, pipelineId, administrator)).status.state).toBe('COMPLETED');
  await api.close();
});

test('a run that the queue has given up ends as failed, and can be run again', async () => {
  const api = await launch({ roles: ['api'] });
  const { pipelineId, runId } = await startToy(database.db, api, toys.definition);
  await api.close();
  await client.query(`update dbos.workflow_status set status = 'MAX_RECOVERY_ATTEMPTS_EXCEEDED' where workflow_uuid = $1`, [runId]);
  await client.query(`update pipeline_run set created_at = created_at - interval '1 minute' where run_id = $1`, [runId]);
  const worker = await launch();
  const run = await awaitRun(database.db, pipelineId, administrator);
  expect(stepStates(run)).toEqual(['ReadSource FAILED', 'BuildImage SKIPPED']);
  expect(run.status.steps[0]?.message?.code).toBe('INTERNAL_APPLICATION_ERROR');
  expect(toys.trace).toEqual([]);
  expect(toys.finished).toMatchObject([{ outcome: 'FAILED' }]);
  await database.db.transaction().execute((trx) => worker.rerun(trx, pipelineId, 'failedStep', { id: 'ada', displayName: 'Ada' }));
  expect((await awaitRun(database.db, pipelineId, administrator)).status.state).toBe('COMPLETED');
});

test('only what is old and outnumbered is deleted; logs go by age, the queue forgets after an hour', async () => {
  const worker = await launch();
  const { pipelineId, runId } = await startToy(database.db, worker, toys.definition, { subject: 'app:old' });
  await awaitRun(database.db, pipelineId, administrator);
  await client.query(
    `insert into pipeline (id, type, subject, trigger, created_by, created_by_name)
       select 'old-' || n, 'Deploy', 'app:old', 'person', 'ada', 'Ada' from generate_series(1, 210) as n`,
  );
  await client.query(
    `insert into pipeline_run (run_id, pipeline_id, number, type, subject, state, input, created_by, created_by_name, created_at, ended_at)
       select 'old-run-' || n, 'old-' || n, 1, 'Deploy', 'app:old', 'COMPLETED', '{}', 'ada', 'Ada', at, at
       from generate_series(1, 210) as n, lateral (select now() - interval '80 days' - n * interval '1 day' as at) as day`,
  );
  await client.query(
    `insert into pipeline_step (run_id, index, code, state) values ('old-run-100', 0, 'ReadSource', 'COMPLETED'), ('old-run-1', 0, 'ReadSource', 'COMPLETED')`,
  );
  await client.query(
    `insert into pipeline_log (run_id, step_index, number, at, level, line)
       values ('old-run-100', 0, 1, now(), 'INFO', 'old'), ('old-run-1', 0, 1, now(), 'INFO', 'young')`,
  );
  await client.query(`update dbos.workflow_status set updated_at = 0 where workflow_uuid = $1`, [runId]);
  // The real run and 199 others are the latest two hundred.
  expect(await deleteOldRuns(client)).toEqual({ deleted: 11, isDone: true });
  await deleteOldLogs(client);
  const { rows } = await client.query<{ pipelines: number; runs: number }>(
    `select (select count(*)::int from pipeline where subject = 'app:old') as pipelines,
       (select count(*)::int from pipeline_run where subject = 'app:old') as runs`,
  );
  expect(rows).toEqual([{ pipelines: 200, runs: 200 }]);
  expect((await client.query('select line from pipeline_log where line in ($1, $2)', ['old', 'young'])).rows).toEqual([{ line: 'young' }]);
  expect(await endedInQueue(client)).toContain(runId);
});
