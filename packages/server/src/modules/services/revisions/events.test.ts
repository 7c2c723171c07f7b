/** Events as clients read them: text from a code and its context, and from rows of an earlier version. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seedPeople } from '#testing/actors.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { seedApp, seedRevision, seedService } from '#testing/fixtures.ts';
import { eventsOf } from './revisions.sql.ts';

let database: TestDatabase;
let revisionId: string;
beforeAll(async () => {
  database = await testDatabase();
  await seedPeople(database.db);
  await seedApp(database.db, { id: 'sample' });
  const serviceId = await seedService(database.db, { app: 'sample' });
  revisionId = await seedRevision(database.db, { serviceId, service: 'sample', number: 1 });
}, 60_000);
afterAll(() => database.drop());

test('a row without a context shows the sentence that it was written with', async () => {
  await database.pool.query(
    `insert into instance_event (revision_id, instance, type, reason, context, message, at, last_at) values
      ($1, 'sample-1-a', 'error', 'Exited', '{"exitCode": 3, "ranMs": 120, "restart": 2, "waitMs": 1000}', default, now(), now()),
      ($1, 'sample-1-a', 'error', 'Exited', null, 'It ended with exit code 1; restart 1 in 1 s.', now(), now() - interval '1 hour')`,
    [revisionId],
  );
  expect(await eventsOf(database.db, revisionId)).toMatchObject([
    { reason: 'Exited', context: { exitCode: 3, restart: 2 }, message: 'It ended with exit code 3 after 0.1 s; restart 2 in 1 s.' },
    { reason: 'Exited', context: null, message: 'It ended with exit code 1; restart 1 in 1 s.' },
  ]);
});
