/** How long steps usually take: a subject's own runs count once there are enough of them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seedPeople } from '#testing/actors.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { seedPipeline } from '#testing/fixtures.ts';
import { usualMsOf } from './usual-durations.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await seedPeople(database.db);
});
afterAll(() => database.drop());

const ran = async (id: string, subject: string, ms: number): Promise<void> => {
  await seedPipeline(database.db, { id, type: 'Deploy', subject, state: 'COMPLETED' });
  await database.db
    .updateTable('pipeline_step')
    .set({ started_at: new Date(1_000_000), ended_at: new Date(1_000_000 + ms) })
    .where('run_id', '=', `run-${id}`)
    .execute();
};

test('two runs of its own are not enough, three are', async () => {
  for (const [index, ms] of [100, 100, 100, 100].entries()) await ran(`quick-${index}`, 'service:quick', ms);
  for (const index of [0, 1]) await ran(`slow-${index}`, 'service:slow', 9000);
  expect((await usualMsOf(database.db, 'Deploy', 'service:slow')).get('CheckNames')).toBe(100);
  for (const index of [0, 1, 2]) await ran(`late-${index}`, 'service:late', 5000);
  expect((await usualMsOf(database.db, 'Deploy', 'service:late')).get('CheckNames')).toBe(5000);
  expect((await usualMsOf(database.db, 'Deploy')).get('CheckNames')).toBe(5000);
});
