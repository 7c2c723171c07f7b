/** The queue: whose turn it is, runs that were lost, given up or cannot be placed, and what is deleted when. */
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { awaitRun, PipelineEngine, type PipelineEngineOptions } from './index.ts';
import { deleteOldLogs, deleteOldRuns } from './retention.sql.ts';
import { administrator, eventually, quick, silent, startToy, stepStates, Toybox } from './toy.fixture.ts';

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
  engine = undefined;
  toys.reset();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

async function launch(options: Partial<PipelineEngineOptions> & { register?: boolean } = {}): Promise<PipelineEngine> {
  const { register = true, ...rest } = options;
  const launched = new PipelineEngine({ connection: database.config, db: database.db, log: silent, timing: quick, ...rest });
  if (register) launched.register(toys.definition);
  await launched.launch();
  engine = launched;
  return launched;
}
const runRow = async (runId: string) => {
  const { rows } = await client.query<{ state: string; owner: string | null; crashes: number }>(
    'select state, owner, crashes from pipeline_run where run_id = $1',
    [runId],
  );
  return rows[0];
};
const ended = (pipelineId: string) => awaitRun(database.db, pipelineId, administrator);

test('an engine that is no worker starts pipelines and works on none', async () => {
  const api = await launch({ roles: ['api'] });
  const { pipelineId, runId } = await startToy(database.db, api, toys.definition);
  expect(await runRow(runId)).toEqual({ state: 'QUEUED', owner: null, crashes: 0 });
  await api.close();
  await launch({ roles: ['worker'] });
  expect((await ended(pipelineId)).status.state).toBe('COMPLETED');
});

test('a type that this version does not know is left to a replica that does, and keeps nobody waiting', async () => {
  const older = await launch({ register: false });
  older.register({ ...toys.definition, type: 'CreateTeam' });
  const { pipelineId, runId } = await startToy(database.db, older, toys.definition);
  const known = await startToy(database.db, older, { ...toys.definition, type: 'CreateTeam' });
  expect((await ended(known.pipelineId)).status.state).toBe('COMPLETED');
  expect(await runRow(runId)).toMatchObject({ state: 'QUEUED', owner: null });
  await older.close();
  await launch();
  expect((await ended(pipelineId)).status.state).toBe('COMPLETED');
});

test('a replica works on `concurrency` runs at once, and takes those that waited longest first', async () => {
  const worker = await launch({ concurrency: 2 });
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const begun: number[] = [];
  toys.run.ReadSource = async ({ input }) => {
    begun.push(Number(input.name));
    await gates[Number(input.name)]?.promise;
  };
  const started: string[] = [];
  for (const index of gates.keys()) {
    const { pipelineId } = await startToy(database.db, worker, toys.definition, { input: { name: String(index) } });
    started.push(pipelineId);
  }
  const until = (count: number) => eventually(`${count} runs begun`, async () => begun.length === count);
  await until(2);
  // Two claims of one sweep begin side by side; each one after them waits for a place.
  begun.sort((a, b) => a - b);
  for (const [count, index] of [
    [3, 1],
    [4, 0],
    [5, 3],
  ] as const) {
    expect(begun).toHaveLength(count - 1);
    gates[index]?.resolve();
    await until(count);
  }
  expect(begun).toEqual([0, 1, 2, 3, 4]);
  for (const gate of gates) gate.resolve();
  for (const pipelineId of started) expect((await ended(pipelineId)).status.state).toBe('COMPLETED');
});

test('a run is taken although its announcement was of no use', async () => {
  const worker = await launch();
  const { pipelineId } = await startToy(database.db, worker, { ...toys.definition, type: 'UpdateTeam' });
  // Of a type that nobody here knew when it was announced.
  await client.query(`update pipeline_run set type = 'Deploy' where pipeline_id = $1`, [pipelineId]);
  expect((await ended(pipelineId)).status.state).toBe('COMPLETED');
});

test('a run that was claimed but is not driven is given back', async () => {
  const api = await launch({ roles: ['api'] });
  const { pipelineId, runId } = await startToy(database.db, api, toys.definition);
  await api.close();
  // As the worker leaves it when the database goes away between its claim and the answer.
  await client.query(`update pipeline_run set owner = 'forgetful:000000000000', state = 'RUNNING' where run_id = $1`, [runId]);
  await launch({ executorId: 'forgetful' });
  expect((await ended(pipelineId)).status.state).toBe('COMPLETED');
});

test('the runs of a dead replica are taken over, those of a living one stay with it', async () => {
  const gate = Promise.withResolvers<void>();
  toys.run.ReadSource = ({ input }) => (input.name === 'long' ? gate.promise : Promise.resolve());
  const full = await launch({ executorId: 'one', concurrency: 1 });
  const long = await startToy(database.db, full, toys.definition, { input: { name: 'long' } });
  const owned = await eventually('its claim', async () => {
    const row = await runRow(long.runId);
    return row?.owner ? row : undefined;
  });
  const left = await startToy(database.db, full, toys.definition);
  await client.query(`update pipeline_run set owner = 'dead:000000000000', state = 'RUNNING' where run_id = $1`, [left.runId]);
  const other = new PipelineEngine({ connection: database.config, db: database.db, log: silent, timing: quick, executorId: 'two' });
  other.register(toys.definition);
  await other.launch();
  // Only the other one has a place for it, and it looks at all runs before it takes one.
  expect((await ended(left.pipelineId)).status.state).toBe('COMPLETED');
  expect(await runRow(left.runId)).toMatchObject({ owner: expect.stringMatching(/^two:/), crashes: 1 });
  expect(await runRow(long.runId)).toEqual(owned);
  gate.resolve();
  expect((await ended(long.pipelineId)).status.state).toBe('COMPLETED');
  await other.close();
});

test('a run that replicas die of ends as failed, without its undos, and can be run again', async () => {
  const api = await launch({ roles: ['api'] });
  const { pipelineId, runId } = await startToy(database.db, api, toys.definition);
  await api.close();
  await client.query(`update pipeline_run set owner = 'dead:000000000000', state = 'RUNNING', crashes = 19 where run_id = $1`, [runId]);
  const worker = await launch();
  const run = await ended(pipelineId);
  expect(stepStates(run)).toEqual(['ReadSource FAILED', 'BuildImage SKIPPED']);
  expect(run.status.steps[0]?.message?.code).toBe('INTERNAL_APPLICATION_ERROR');
  expect(toys.trace).toEqual([]);
  expect(toys.finished).toMatchObject([{ outcome: 'FAILED' }]);
  await database.db.transaction().execute((trx) => worker.rerun(trx, pipelineId, 'failedStep', { id: 'ada', displayName: 'Ada' }));
  expect((await ended(pipelineId)).status.state).toBe('COMPLETED');
});

test('runs that wait and runs that are owned are found by an index, however many there are', async () => {
  // Seen by nobody else, and gone afterwards.
  await client.query('begin; alter table pipeline_run disable trigger user');
  try {
    await client.query(
      `insert into pipeline (id, type, subject, trigger, created_by, created_by_name) values ('many', 'Deploy', 'm', 'push', 'a', 'A')`,
    );
    await client.query(
      `insert into pipeline_run (run_id, pipeline_id, number, type, subject, state, owner, input, created_by, created_by_name)
         select 'many-' || n, 'many', n, 'Deploy', 'm-' || n, 'QUEUED', case when n % 30 = 0 then 'x:' || n end, '{}', 'a', 'A'
         from generate_series(1, 3000) as n`,
    );
    await client.query('analyze pipeline_run');
    const active = `state in ('QUEUED', 'PENDING', 'RUNNING')`;
    for (const [index, query] of [
      [
        'waiting',
        `select run_id from pipeline_run where owner is null and ${active} and type = any ('{Deploy}') order by created_at limit 1`,
      ],
      ['owned', `select owner from pipeline_run where owner is not null and ${active}`],
      ['owned', `select owner from pipeline_run where owner = 'x:30' and ${active}`],
    ]) {
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${query}`);
      expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain(`pipeline_run_${index}`);
    }
  } finally {
    await client.query('rollback');
  }
});

test('only what is old and outnumbered is deleted; logs go by age', async () => {
  const worker = await launch();
  const { pipelineId } = await startToy(database.db, worker, toys.definition, { subject: 'app:old' });
  await ended(pipelineId);
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
  // The real run and 199 others are the latest two hundred.
  expect(await deleteOldRuns(client)).toEqual({ deleted: 11, isDone: true });
  await deleteOldLogs(client);
  const { rows } = await client.query<{ pipelines: number; runs: number }>(
    `select (select count(*)::int from pipeline where subject = 'app:old') as pipelines,
       (select count(*)::int from pipeline_run where subject = 'app:old') as runs`,
  );
  expect(rows).toEqual([{ pipelines: 200, runs: 200 }]);
  expect((await client.query('select line from pipeline_log where line in ($1, $2)', ['old', 'young'])).rows).toEqual([{ line: 'young' }]);
});
