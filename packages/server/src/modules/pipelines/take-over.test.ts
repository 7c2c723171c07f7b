// @long: starts, ends and kills programs
/** Replicas that die, freeze, leave and come back, as real processes. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { PipelineEngine } from './engine.ts';
import { replicaPipeline, replicaTables } from './replica.fixture.ts';
import { eventually, runWhen, silent, startToy } from './toy.fixture.ts';

const program = fileURLToPath(new URL('replica.fixture.ts', import.meta.url));
let database: TestDatabase;
let replicas: ChildProcess[] = [];
/** Only starts pipelines: the replicas work. */
let starter: PipelineEngine;

beforeAll(async () => {
  database = await testDatabase();
  await database.pool.query(replicaTables);
  starter = new PipelineEngine({ connection: database.config, db: database.db, log: silent, roles: ['api'] });
  await starter.launch();
});
afterAll(async () => {
  await starter.close();
  await database.drop();
});
afterEach(async () => {
  for (const replica of replicas) replica.kill('SIGKILL');
  const isGone = (replica: ChildProcess) => replica.exitCode !== null || replica.signalCode !== null;
  await Promise.all(replicas.filter((replica) => !isGone(replica)).map((replica) => once(replica, 'exit')));
  replicas = [];
  await database.pool.query('delete from replica_gate');
});

async function replica(executorId: string, connection: object = database.config): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program, JSON.stringify(connection), executorId], { stdio: ['ignore', 'pipe', 'inherit'] });
  replicas.push(child);
  const failed = once(child, 'exit').then(([code]) => Promise.reject(new Error(`The replica ended with ${code}`)));
  failed.catch(() => {});
  await Promise.race([once(child.stdout ?? child, 'data'), failed]);
  return child;
}

const start = () => startToy(database.db, starter, replicaPipeline(database.db, 'starter'));
const openGate = () => database.pool.query('insert into replica_gate values (now())');
const completed = (pipelineId: string) => runWhen(database.db, pipelineId, (run) => run.status.state === 'COMPLETED');
async function trace(runId: string): Promise<string[]> {
  const { rows } = await database.pool.query<{ entry: string }>(
    `select step || ' by ' || executor as entry from replica_trace where run_id = $1 order by number`,
    [runId],
  );
  return rows.map(({ entry }) => entry);
}
const traceHas = (runId: string, entry: string) => eventually(entry, async () => (await trace(runId)).includes(entry));
/** Which of the two is at work on the run. */
const workerOf = (runId: string) =>
  eventually('a replica that begins', async () => (await trace(runId)).find((entry) => entry.startsWith('BuildImage by '))?.slice(14));

test('the run of a replica that is killed is finished by another within two seconds', async () => {
  const processes = { one: await replica('one'), two: await replica('two') };
  const { pipelineId, runId } = await start();
  const victim = (await workerOf(runId)) as 'one' | 'two';
  const heir = victim === 'one' ? 'two' : 'one';
  const killedAt = performance.now();
  processes[victim].kill('SIGKILL');
  await openGate();
  await completed(pipelineId);
  expect(performance.now() - killedAt).toBeLessThan(2000);
  // What was completed is not repeated; the step in flight is.
  const entries = (await trace(runId)).filter((entry) => entry !== `BuildImage ended by ${victim}`);
  expect(entries).toEqual([
    `ReadSource by ${victim}`,
    `BuildImage by ${victim}`,
    `BuildImage by ${heir}`,
    `BuildImage ended by ${heir}`,
    `ShiftTraffic by ${heir}`,
  ]);
});

test('a single server that is killed goes on with its runs when it starts again', async () => {
  const first = await replica('first');
  const { pipelineId, runId } = await start();
  await traceHas(runId, 'BuildImage by first');
  first.kill('SIGKILL');
  await once(first, 'exit');
  await openGate();
  await replica('second');
  const startedAt = performance.now();
  await completed(pipelineId);
  expect(performance.now() - startedAt).toBeLessThan(2000);
  expect(await trace(runId)).toEqual([
    'ReadSource by first',
    'BuildImage by first',
    'BuildImage by second',
    'BuildImage ended by second',
    'ShiftTraffic by second',
  ]);
});

test('a replica that closes hands its runs over, without undoing anything', async () => {
  const processes = { one: await replica('one'), two: await replica('two') };
  const { pipelineId, runId } = await start();
  const leaver = (await workerOf(runId)) as 'one' | 'two';
  const heir = leaver === 'one' ? 'two' : 'one';
  processes[leaver].kill('SIGTERM');
  await traceHas(runId, `BuildImage by ${heir}`);
  await openGate();
  await completed(pipelineId);
  expect((await trace(runId)).filter((entry) => entry.endsWith(leaver))).toEqual([`ReadSource by ${leaver}`, `BuildImage by ${leaver}`]);
});

test('a replica that froze and thaws writes nothing into a run that was taken over', async () => {
  const processes = { one: await replica('one'), two: await replica('two') };
  const { pipelineId, runId } = await start();
  const frozen = (await workerOf(runId)) as 'one' | 'two';
  const heir = frozen === 'one' ? 'two' : 'one';
  processes[frozen].kill('SIGSTOP');
  // A frozen process keeps its session until the network or an operator cuts it.
  await database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity join pg_locks using (pid)
     where locktype = 'advisory' and application_name = 'slipway worker' and objid = (hashtextextended($1, 0) & 4294967295)::oid`,
    [`slipway:executor:${frozen}`],
  );
  await traceHas(runId, `BuildImage by ${heir}`);
  processes[frozen].kill('SIGCONT');
  await openGate();
  await completed(pipelineId);
  await traceHas(runId, `ShiftTraffic by ${heir}`);
  expect(await trace(runId)).not.toContain(`ShiftTraffic by ${frozen}`);
});

test('replicas that start on an empty database at the same moment all come up', async () => {
  const empty = await testDatabase();
  await Promise.all(['a', 'b', 'c', 'd'].map((id) => replica(id, empty.config)));
  const { rows } = await empty.pool.query<{ count: number }>(
    `select count(*) from pg_stat_activity where application_name = 'slipway worker' and datname = current_database()`,
  );
  expect(rows).toEqual([{ count: 4 }]);
  await empty.drop();
});

test('two engines with one id are refused', async () => {
  await replica('same');
  const second = new PipelineEngine({ connection: database.config, db: database.db, log: silent, executorId: 'same' });
  await expect(second.launch()).rejects.toThrow('running already');
  await second.close();
});
