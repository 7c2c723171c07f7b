/** Tests the rows of the runtime's reports: statuses, and grouped events. */
import { instanceEvent } from '@slipway/contract/service/instance-event.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { InstanceEvent, InstanceView } from '#ports/runtime.ts';
import { seedPeople } from '#testing/actors.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { seedApp, seedRevision, seedService } from '#testing/fixtures.ts';
import { statusOf, writeBookmarks, writeEvent } from './observed.sql.ts';

let database: TestDatabase;
let revisionId: string;
beforeAll(async () => {
  database = await testDatabase();
  await seedPeople(database.db);
  await seedApp(database.db, { id: 'yard' });
  const serviceId = await seedService(database.db, { app: 'yard' });
  revisionId = await seedRevision(database.db, { serviceId, service: 'yard', number: 1 });
  await seedRevision(database.db, { serviceId, service: 'yard', number: 2 });
});
afterAll(() => database.drop());
beforeEach(async () => {
  await rows('delete from instance_event');
});

const rows = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
  (await database.pool.query<Row>(text, values)).rows;
const start = Date.UTC(2026, 10, 20, 12);
const tell = (minutes: number, event: Partial<InstanceEvent> = {}) =>
  writeEvent(database.db, revisionId, {
    instance: 'yard-1-a',
    at: new Date(start + minutes * 60_000),
    type: 'error',
    ...instanceEvent('Exited', { exitCode: 1, restart: minutes }),
    ...event,
  });
const events = () => rows('select instance, type, reason, count, context, message, at, last_at from instance_event order by id');

test('a crash loop is one row that counts, with its first and last time and what was said last', async () => {
  for (let minutes = 0; minutes < 14; minutes++) await tell(minutes * 5);
  expect(await events()).toEqual([
    {
      instance: 'yard-1-a',
      type: 'error',
      reason: 'Exited',
      count: 14,
      context: { exitCode: 1, restart: 65 },
      message: '',
      at: new Date(start),
      last_at: new Date(start + 65 * 60_000),
    },
  ]);
});

test('another instance, reason or kind is another row, and so is the same after an hour of quiet', async () => {
  await tell(0);
  await tell(1, { instance: 'yard-1-b' });
  await tell(1, { code: 'DiskFull' });
  await tell(1, { code: 'DiskFull', type: 'warning' });
  await tell(2);
  await tell(63);
  expect((await events()).map((event) => (event as { count: number }).count)).toEqual([2, 1, 1, 1, 1]);
});

test('a holder that begins marks the revisions that ran', async () => {
  await rows(`insert into instance (id, revision_id, state, since, node) values ('yard-1-a', $1, 'READY', now(), 'here')`, [revisionId]);
  await writeBookmarks(database.db, 'here:4000', false);
  expect(await events()).toMatchObject([{ instance: 'yard-1', type: 'bookmarked', reason: 'Resynced', context: { instances: 'started' } }]);
});

const view = (state: InstanceView['state'], restarts = 0): InstanceView => ({
  app: 'yard',
  environment: 'development',
  service: 'yard',
  revision: 'yard-1',
  id: 'yard-1-a',
  revisionId: 'of its row',
  state,
  restarts,
  since: new Date(),
  node: 'here',
  port: 1,
  lastExit: undefined,
});
test.each<[string, number, InstanceView[], string]>([
  ['nothing wanted, nothing there', 0, [], 'NO_INSTANCES'],
  ['nothing wanted, one stopping', 0, [view('STOPPING')], 'PENDING'],
  ['as many ready as wanted', 2, [view('READY'), view('READY'), view('STARTING')], 'HEALTHY'],
  ['one missing', 2, [view('READY')], 'PENDING'],
  ['one crashed for the first time', 1, [view('CRASHED', 1)], 'PENDING'],
  ['one crashed again', 1, [view('CRASHED', 2)], 'FAILING'],
  ['one unhealthy', 2, [view('READY'), view('UNHEALTHY')], 'FAILING'],
])('%s: the status', (_name, wanted, instances, status) => {
  expect(statusOf(wanted, instances)).toBe(status);
});
