/**
 * Migrates a database of the previous version, whose queue had its own schema. Unfinished runs continue, and replicas of that version still
 * start runs.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate, readMigrations } from '#db/migrator.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { awaitRun, PipelineEngine } from './index.ts';
import { administrator, quick, silent, stepStates, Toybox } from './toy.fixture.ts';

const toys = new Toybox(['ReadSource', 'BuildImage']);
let database: TestDatabase;
let engine: PipelineEngine;

/** Queue of that version, limited to the parts that our code touches. */
const QUEUE_BEFORE = `
  create schema dbos;
  create table dbos.workflow_status (workflow_uuid text primary key, status text not null, queue_name text, executor_id text);
  create table dbos.operation_outputs (workflow_uuid text references dbos.workflow_status on delete cascade);
  create function dbos.enqueue_workflow(workflow_name text, queue_name text, positional_args json[] default array[]::json[],
    named_args json default '{}', class_name text default null, config_name text default null, workflow_id text default null,
    app_version text default null, timeout_ms bigint default null, deadline_epoch_ms bigint default null, deduplication_id text default null,
    priority int4 default null, queue_partition_key text default null, authenticated_user text default null,
    authenticated_roles text default null, delay_until_epoch_ms bigint default null, application_name text default null)
    returns text language sql as
    $$ insert into dbos.workflow_status values (workflow_id, 'ENQUEUED', queue_name) returning workflow_uuid $$`;
/** Statement with which that version starts a run, in the transaction of its rows. */
const START_BEFORE = `
  select dbos.enqueue_workflow(workflow_name => 'pipeline', queue_name => 'pipelines', workflow_id => run_id,
    positional_args => array[to_json(run_id), to_json(type)], app_version => 'slipway', application_name => 'slipway'),
    pg_notify('slipway_pipeline', 'start')
  from pipeline_run where run_id = $1`;

const insertBefore = async (id: string, run: { state: string; owner: string | null; steps: readonly string[] }): Promise<void> => {
  const { pool } = database;
  await pool.query(
    `insert into pipeline (id, type, subject, trigger, created_by, created_by_name) values ($1, 'Deploy', $1, 'person', 'ada', 'Ada')`,
    [id],
  );
  await pool.query(
    `insert into pipeline_run (run_id, pipeline_id, number, type, subject, state, owner, input, created_by, created_by_name)
     values ('run-' || $1, $1, 1, 'Deploy', $1, $2, $3, '{}', 'ada', 'Ada')`,
    [id, run.state, run.owner],
  );
  await pool.query(
    `insert into pipeline_step (run_id, index, code, state, attempt)
     select 'run-' || $1, place - 1, (array['ReadSource', 'BuildImage'])[place], state, case state when 'PENDING' then 0 else 1 end
     from unnest($2::text[]) with ordinality as step (state, place)`,
    [id, run.steps],
  );
};

beforeAll(async () => {
  database = await testDatabase({ isEmpty: true });
  const before = readMigrations().filter(({ name }) => name < '0018');
  await migrate(database.config, { log: silent, only: new Set(before.map(({ name }) => name)) });
  await database.pool.query(QUEUE_BEFORE);
  await insertBefore('waits', { state: 'QUEUED', owner: null, steps: ['PENDING', 'PENDING'] });
  await insertBefore('interrupted', { state: 'RUNNING', owner: 'host-1-abcd:0123456789ab', steps: ['COMPLETED', 'RUNNING'] });
  for (const id of ['waits', 'interrupted']) await database.pool.query(START_BEFORE, [`run-${id}`]);
  expect(await migrate(database.config, { log: silent })).toContain('0018_run_queue');
  engine = new PipelineEngine({ connection: database.config, db: database.db, log: silent, timing: quick });
  engine.register(toys.definition);
  await engine.launch();
}, 60_000);
afterAll(async () => {
  await engine?.close();
  await database?.drop();
});

test.each([
  ['waits', 1],
  ['interrupted', 2],
])('the run that %s goes on where it stood', async (id, attempt) => {
  const run = await awaitRun(database.db, id, administrator);
  expect(stepStates(run)).toEqual(['ReadSource COMPLETED', 'BuildImage COMPLETED']);
  const { rows } = await database.pool.query(`select attempt from pipeline_step where run_id = 'run-' || $1 and code = 'BuildImage'`, [id]);
  expect(rows).toEqual([{ attempt }]);
});

test('nothing of the queue before is left but what its replicas call to start a run, and that run is taken', async () => {
  const { rows } = await database.pool.query(
    `select relname as name from pg_class where relnamespace = 'dbos'::regnamespace
     union all select proname from pg_proc where pronamespace = 'dbos'::regnamespace`,
  );
  expect(rows).toEqual([{ name: 'enqueue_workflow' }]);
  await insertBefore('started', { state: 'QUEUED', owner: null, steps: ['PENDING', 'PENDING'] });
  await database.pool.query(START_BEFORE, ['run-started']);
  expect((await awaitRun(database.db, 'started', administrator)).status.state).toBe('COMPLETED');
});
