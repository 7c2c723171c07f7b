// @long: starts, ends and kills programs
/** A database that goes away in the middle of a run: restarted in an orderly way, and crashed with the last steps forgotten. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase, type Database } from '#db/database.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '#db/embedded-postgres.ts';
import { migrate } from '#db/migrator.ts';
import { PipelineEngine } from './engine.ts';
import { eventually, quick, runWhen, silent, startToy, stepStates, Toybox } from './toy.fixture.ts';

const toys = new Toybox(['ReadSource', 'BuildImage', 'CreateRevision', 'StartInstances']);
let directory: string;
let postgres: EmbeddedPostgres;
let database: Database;
let engine: PipelineEngine;

const launch = async () => {
  postgres = await startEmbeddedPostgres({ dataDir: directory, log: silent, isDurable: false });
};

beforeEach(async () => {
  toys.reset();
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-restart-'));
  fs.chmodSync(directory, 0o711);
  await launch();
  await migrate(postgres.connection, { log: silent });
  database = openDatabase(postgres.connection);
  engine = new PipelineEngine({ connection: postgres.connection, db: database.db, log: silent, timing: quick });
  engine.register(toys.definition);
  await engine.launch();
});
afterEach(async () => {
  await engine.close();
  await database.close();
  await postgres.stop();
  fs.rmSync(directory, { recursive: true, force: true });
});

const completed = (pipelineId: string) => runWhen(database.db, pipelineId, (run) => run.status.state === 'COMPLETED', 20_000);

test('a run survives a restart of the database, and runs start afterwards', async () => {
  const began = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  toys.run.BuildImage = async () => {
    began.resolve();
    await gate.promise;
  };
  const { pipelineId } = await startToy(database.db, engine, toys.definition);
  await began.promise;
  await postgres.stop();
  // The step ends while there is no database to note it in.
  gate.resolve();
  await launch();
  const run = await completed(pipelineId);
  expect(stepStates(run)).toEqual(['ReadSource COMPLETED', 'BuildImage COMPLETED', 'CreateRevision COMPLETED', 'StartInstances COMPLETED']);
  const next = await eventually('a start on the new database', () => startToy(database.db, engine, toys.definition).catch(() => undefined));
  await completed(next.pipelineId);
});

test('steps that the database forgot in a crash run again', async () => {
  const gate = Promise.withResolvers<void>();
  toys.run.StartInstances = () => gate.promise;
  const { pipelineId, runId } = await startToy(database.db, engine, toys.definition);
  await runWhen(database.db, pipelineId, (run) => run.status.steps[3]?.state === 'RUNNING');
  // As after a crash: unflushed commits are gone, from the newest backwards.
  await database.pool.query(
    `update pipeline_step set state = case index when 1 then 'RUNNING' else 'PENDING' end, ended_at = null where run_id = $1 and index >= 1`,
    [runId],
  );
  gate.resolve();
  await completed(pipelineId);
  expect(toys.trace).toEqual([
    'ReadSource',
    'BuildImage',
    'CreateRevision',
    'StartInstances',
    'BuildImage',
    'CreateRevision',
    'StartInstances',
  ]);
  expect(toys.finished).toHaveLength(1);
});
