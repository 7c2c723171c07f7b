/** The read model stays correct for all writes in any order. The check finds differences and repairs them. */
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RevisionStatus } from '@slipway/contract/service/revision.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { transaction, type Db } from '#db/database.ts';
import { migrate, migrationsDirectory } from '#db/migrator.ts';
import { seedPeople } from '#testing/actors.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { seedApp, seedPipeline, seedRevision, seedService } from '#testing/fixtures.ts';
import { seedListLoad } from '#testing/load/list-load.ts';
import { overviewDifferences, repairOverview } from './overview-check.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };
let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await testDatabase();
  db = database.db;
  await seedPeople(db);
});
afterAll(() => database?.drop());

let count = 0;
let app = '';
/** Creates an app with a service that serves its second revision. */
beforeEach(async () => {
  app = `harbour-${(count += 1)}`;
  await seedApp(db, { id: app, createdAt: new Date(Date.now() - 86_400_000) });
  const serviceId = await seedService(db, { app, serving: [`${app}-2`] });
  await seedRevision(db, { serviceId, service: app, number: 1, status: 'DELETED' });
  await seedRevision(db, { serviceId, service: app, number: 2 });
  return async () => expect(await overviewDifferences(db)).toEqual([]);
});

const kept = async (id = app) => {
  const { rows } = await sql<{ development: number; production: number; worst: number; urgency: number; last_revision: string | null }>`
    select development, production, worst, urgency, last_revision from app_overview where app_id = ${id}`.execute(db);
  return rows[0];
};
const tally = async (scope = '*') => {
  const { rows } = await sql<{
    apps: number;
  }>`select coalesce(sum(apps), 0)::integer as apps from app_tally where scope = ${scope}`.execute(db);
  return rows[0]?.apps;
};
const setStatus = (on: Db, number: number, status: RevisionStatus) =>
  on.updateTable('revision').set({ status }).where('id', '=', `rev-svc-${app}-development-${app}-${number}`).execute();

test('follow what is observed, what serves, and what is deleted', async () => {
  expect(await kept()).toMatchObject({ development: 2, production: 5, worst: 2, urgency: 2, last_revision: `${app}-2` });
  await setStatus(db, 2, 'FAILING');
  expect(await kept()).toMatchObject({ development: 0, worst: 0, urgency: 0 });
  await db.updateTable('service').set({ active: false }).where('app_id', '=', app).execute();
  expect(await kept()).toMatchObject({ development: 4, urgency: 2 });
  await db.deleteFrom('service').where('app_id', '=', app).execute();
  expect(await kept()).toMatchObject({ development: 5, last_revision: null });
});

test('follow an app to another team, its names, and its end', async () => {
  const before = (await tally('cranes')) ?? 0;
  await db.updateTable('app').set({ team_id: 'customs', display_name: 'Another' }).where('id', '=', app).execute();
  expect([await tally('cranes'), await tally('customs')]).toEqual([before - 1, 1]);
  await db
    .updateTable('team')
    .set({ display_name: `Customs ${count}` })
    .where('id', '=', 'customs')
    .execute();
  const { rows } = await sql<{ search: string }>`select search from app_overview where app_id = ${app}`.execute(db);
  expect(rows[0]?.search).toBe(`${app}\nanother\ncustoms ${count}`);
  expect(await overviewDifferences(db)).toEqual([]);
  await db.deleteFrom('app').where('id', '=', app).execute();
  expect([await kept(), await tally('customs')]).toEqual([undefined, 0]);
});

test('follow a pipeline from its start to its end, and its re-run', async () => {
  const pipeline = { id: `pl-${app}`, type: 'Deploy', subject: `service:${app}/development/${app}`, app, service: app };
  await seedPipeline(db, { ...pipeline, state: 'RUNNING' });
  expect(await kept()).toMatchObject({ urgency: 1 });
  await sql`update pipeline_run set state = 'FAILED', ended_at = now() where pipeline_id = ${pipeline.id}`.execute(db);
  expect(await kept()).toMatchObject({ urgency: 2 });
  await sql`insert into pipeline_run (run_id, pipeline_id, number, type, subject, state, input, created_by, created_by_name)
    values (${`run-2-${app}`}, ${pipeline.id}, 2, 'Deploy', ${pipeline.subject}, 'QUEUED', '{}', 'olga', 'Olga')`.execute(db);
  expect(await kept()).toMatchObject({ urgency: 1 });
  await sql`update pipeline_run set state = 'COMPLETED', ended_at = now() where run_id = ${`run-2-${app}`}`.execute(db);
  const days = await sql`select completed, failed from app_deploy_day where app_id = ${app}`.execute(db);
  expect(days.rows).toEqual([{ completed: 1, failed: 1 }]);
  const { latest_run_id } = await db.selectFrom('pipeline').select('latest_run_id').where('id', '=', pipeline.id).executeTakeFirstOrThrow();
  expect(latest_run_id).toBe(`run-2-${app}`);
});

test('hold when two transactions change the same app at once, each without seeing the other', async () => {
  const serviceId = await seedService(db, { app, name: 'second', environment: 'production', serving: ['second-1'] });
  await seedRevision(db, { serviceId, service: 'second', number: 1 });
  const both = Promise.withResolvers<void>();
  let written = 0;
  const write = (run: (trx: Db) => Promise<unknown>) =>
    transaction(db, async (trx) => {
      await run(trx);
      if ((written += 1) === 2) both.resolve();
      await both.promise;
    });
  await Promise.all([
    write((trx) => setStatus(trx, 2, 'FAILING')),
    write((trx) => trx.updateTable('revision').set({ status: 'PENDING' }).where('service_id', '=', serviceId).execute()),
  ]);
  expect(await kept()).toMatchObject({ development: 0, production: 1, worst: 0 });
});

test('hold when many change many at once', async () => {
  const states = ['HEALTHY', 'FAILING', 'PENDING', 'NO_INSTANCES'];
  await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      sql`update revision set status = ${states[index % 4]} where name like ${`%-2`} and abs(hashtext(id)) % 3 = ${index % 3}`.execute(db),
    ).map((work) => work.catch((error: unknown) => expect((error as { code?: string }).code).toBe('40P01'))),
  );
  expect(await overviewDifferences(db)).toEqual([]);
  const { rows } = await sql<{ rows: number }>`select count(*)::integer as rows from app_tally where scope = '*'`.execute(db);
  expect(rows[0]?.rows).toBeLessThan(200);
});

test('what got past the triggers is found, and made anew', async () => {
  await sql`update app_overview set worst = 3, last_by = 'nobody' where app_id = ${app}`.execute(db);
  await sql`delete from app_tally where scope = 'customs'`.execute(db);
  expect((await overviewDifferences(db)).map(({ kind, id }) => `${kind} ${id}`)).toContain(`app ${app}`);
  expect((await repairOverview(db, log)).length).toBeGreaterThan(0);
  expect(await overviewDifferences(db)).toEqual([]);
  expect(await repairOverview(db, log)).toEqual([]);
});

test('an upgrade fills them from what is there', async () => {
  const old = await testDatabase({ isEmpty: true });
  const directory = mkdtempSync(join(tmpdir(), 'slipway-migrations-'));
  try {
    for (const file of readdirSync(migrationsDirectory)) if (file < '0017') cpSync(join(migrationsDirectory, file), join(directory, file));
    await migrate(old.config, { log, directory });
    await seedPeople(old.db);
    const client = await old.pool.connect();
    await seedListLoad(client, { apps: 100, member: 'olga' }).finally(() => client.release());
    expect(await migrate(old.config, { log })).toContain('0017_lists');
    expect(await overviewDifferences(old.db)).toEqual([]);
    const { rows } = await sql<{ apps: number; running: number }>`
      select count(*)::integer as apps, count(running_run_id)::integer as running from app_overview`.execute(old.db);
    expect(rows).toEqual([{ apps: 100, running: expect.any(Number) }]);
    expect(rows[0]?.running).toBeGreaterThan(0);
  } finally {
    await old.drop();
    rmSync(directory, { recursive: true });
  }
});
