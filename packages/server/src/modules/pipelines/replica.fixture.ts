/**
 * A replica as a process of its own, for tests that kill it: `node replica.fixture.ts {connection as JSON} {executor id}`. What its
 * steps do goes to the table replica_trace; BuildImage waits until replica_gate has a row. It prints `ready`, and ends on SIGTERM.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { openDatabase, type DatabaseConfig, type Db } from '#db/database.ts';
import { definePipeline, type StepContext } from './definition.ts';
import { PipelineEngine } from './engine.ts';
import { silent, type ToyInput, type ToyState } from './toy.fixture.ts';

export const replicaTables = `
  create table replica_trace (number bigint generated always as identity, run_id text, step text, executor text);
  create table replica_gate (opened_at timestamptz);`;

const GATE_POLL_MS = 10;

export const replicaPipeline = (db: Db, executor: string) => {
  const note = (c: StepContext<ToyInput, ToyState>, step: string) =>
    sql`insert into replica_trace (run_id, step, executor) values (${c.runId}, ${step}, ${executor})`.execute(db);
  const gate = sql`select 1 from replica_gate`;
  return definePipeline<ToyInput, ToyState>({
    type: 'Deploy',
    steps: [
      { code: 'ReadSource', run: async (c) => (await note(c, 'ReadSource'), { state: { readBy: executor } }) },
      {
        code: 'BuildImage',
        async run(c) {
          await note(c, 'BuildImage');
          while ((await gate.execute(db)).rows.length === 0) await delay(GATE_POLL_MS, undefined, { signal: c.signal });
          await note(c, 'BuildImage ended');
        },
      },
      { code: 'ShiftTraffic', run: async (c) => void (await note(c, 'ShiftTraffic')) },
    ],
  });
};

if (import.meta.main) {
  const connection = JSON.parse(process.argv[2] ?? '') as DatabaseConfig;
  const executorId = process.argv[3] ?? '';
  const { db, close } = openDatabase(connection);
  const engine = new PipelineEngine({ connection, db, log: silent, executorId });
  engine.register(replicaPipeline(db, executorId));
  await engine.launch();
  process.once('SIGTERM', () => void engine.close().then(close));
  process.stdout.write('ready\n');
}
