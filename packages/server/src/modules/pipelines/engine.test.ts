import { afterAll, beforeAll, expect, test } from 'vitest';
import { transaction } from '#db/database.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { definePipeline, PipelineEngine, awaitRun } from './index.ts';

let database: TestDatabase;
let engine: PipelineEngine;
const person = { id: 'ada', displayName: 'Ada' };
const admin = { id: 'ada', isAdministrator: true, memberOf: new Set<string>(), ownerOf: new Set<string>() };
const log = { debug() {}, info: console.log, warn: console.log, error: console.log };

const toy = definePipeline<{ a: string }, { b: string }>({
  type: 'Deploy',
  steps: ['CheckNames', 'CheckTeam', 'CreateTeam', 'UpdateTeam', 'DeleteTeam', 'CreateApplication'].map((code) => ({
    code,
    async run() {
      at.push(performance.now());
      return { state: { b: code } };
    },
  })),
});
const at: number[] = [];

beforeAll(async () => {
  database = await testDatabase();
  engine = new PipelineEngine({ connection: database.config, db: database.db, log });
  engine.register(toy);
  await engine.launch();
});
afterAll(async () => {
  await engine.close();
  await database.drop();
});

test('runs', async () => {
  for (let i = 0; i < 5; i++) {
    at.length = 0;
    const t0 = performance.now();
    const { pipelineId } = await transaction(database.db, (trx) =>
      engine.start(trx, toy, { input: { a: 'x' }, subject: 'app:x', createdBy: person, trigger: 'person' }),
    );
    const t1 = performance.now();
    const run = await awaitRun(database.db, pipelineId, admin);
    console.log('commit', t1 - t0, 'first step', at[0]! - t1, 'last', at.at(-1)! - t1);
    if (i === 0) console.log(JSON.stringify(run, null, 1));
    expect(run.status.state).toBe('COMPLETED');
  }
});
