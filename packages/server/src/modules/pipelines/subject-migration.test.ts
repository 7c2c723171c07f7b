// @long: fills tables with many rows
/** Rows of before there were subjects get theirs, and replicas of the version before and after read each other's while both run. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate, migrationsDirectory } from '#db/migrator.ts';
import { seedPeople } from '#testing/actors.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { seedApp, seedRevision, seedService } from '#testing/fixtures.ts';
import { silent } from './toy.fixture.ts';

let database: TestDatabase;
let directory: string;
const NEW = '0016_subject.sql';

const insert = (table: 'pipeline' | 'activity', row: Readonly<Record<string, unknown>>) => {
  const base =
    table === 'pipeline'
      ? { type: 'Deploy', subject: 'x', trigger: 'person', created_by: 'olga', created_by_name: 'Olga' }
      : { type: 't', reason: 'r', level: 'INFO', message: 'm', actor_id: 'a', actor_name: 'A', origin: 'console', outcome: 'DONE' };
  const columns = Object.entries({ ...base, ...row });
  const names = columns.map(([name]) => name).join(', ');
  const places = columns.map((_, index) => `$${index + 1}`).join(', ');
  return database.pool.query(
    `insert into ${table} (${names}) values (${places})`,
    columns.map(([, value]) => value),
  );
};
const subjectsOf = async (table: string) => {
  const { rows } = await database.pool.query<Record<string, unknown>>(
    `select id, subject_kind as kind, subject_names as names, subject_id as row, subject_keys as keys from ${table} order by id`,
  );
  return Object.fromEntries(rows.map(({ id, ...rest }) => [id, rest]));
};

const hour = (hours: number): Date => new Date(Date.now() + hours * 3_600_000);
const place = { team_id: 'cranes', app_id: 'berth', environment: 'development' };

beforeAll(async () => {
  database = await testDatabase({ isEmpty: true });
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-subject-'));
  for (const file of fs.readdirSync(migrationsDirectory))
    if (file < NEW) fs.copyFileSync(path.join(migrationsDirectory, file), path.join(directory, file));
  await migrate(database.config, { log: silent, directory });
  await seedPeople(database.db);
  await seedApp(database.db, { id: 'berth' });
  const serviceId = await seedService(database.db, { app: 'berth', name: 'berth-api' });
  await seedRevision(database.db, { serviceId, service: 'berth-api', number: 1 });
  await insert('pipeline', { id: '1 former', ...place, service: 'berth-api', created_at: hour(-1) });
  await insert('pipeline', { id: '2 service', ...place, service: 'berth-api', created_at: hour(1) });
  await insert('pipeline', { id: '3 revision', ...place, service: 'berth-api', revision: 'berth-api-1', created_at: hour(1) });
  await insert('pipeline', { id: '4 app', team_id: 'cranes', app_id: 'berth' });
  await insert('pipeline', { id: '5 team', team_id: 'cranes' });
  await insert('activity', { id: '1 service', ...place, service: 'berth-api', at: hour(1) });
  await insert('activity', { id: '2 app', ...place });
  await insert('activity', { id: '3 platform' });
  fs.copyFileSync(path.join(migrationsDirectory, NEW), path.join(directory, NEW));
  expect(await migrate(database.config, { log: silent, directory })).toEqual([NEW.replace('.sql', '')]);
});
afterAll(async () => {
  fs.rmSync(directory, { recursive: true, force: true });
  await database?.drop();
});

const names = { app: 'berth', env: 'development', service: 'berth-api' };
const service = 'service:berth/development/berth-api';
const svc = 'svc-berth-development-berth-api';
const rev = `rev-${svc}-1`;

test('pipelines: the row of a service that was made later is not theirs', async () => {
  expect(await subjectsOf('pipeline')).toEqual({
    '1 former': { kind: 'service', names, row: null, keys: [service, 'app:berth'] },
    '2 service': { kind: 'service', names, row: svc, keys: [service, `service#${svc}`, 'app:berth'] },
    '3 revision': {
      kind: 'revision',
      names: { ...names, revision: 'berth-api-1' },
      row: rev,
      keys: ['revision:berth/development/berth-api/berth-api-1', `revision#${rev}`, service, `service#${svc}`, 'app:berth'],
    },
    '4 app': { kind: 'app', names: { app: 'berth' }, row: null, keys: ['app:berth'] },
    '5 team': { kind: 'team', names: { team: 'cranes' }, row: null, keys: ['team:cranes'] },
  });
});

test('activity, and what was about the platform stays so', async () => {
  expect(await subjectsOf('activity')).toEqual({
    '1 service': { kind: 'service', names, row: svc, keys: [service, `service#${svc}`, 'app:berth'] },
    '2 app': { kind: 'app', names: { app: 'berth', env: 'development' }, row: null, keys: ['app:berth'] },
    '3 platform': { kind: null, names: {}, row: null, keys: [] },
  });
});

test('what a replica of the version before writes has a subject, and what this one writes has the old columns', async () => {
  const { pool } = database;
  await insert('pipeline', { id: '6 before', ...place, service: 'berth-api', created_at: hour(1) });
  await insert('activity', { id: '6 before', ...place, service: 'berth-api', at: hour(1) });
  expect((await subjectsOf('pipeline'))['6 before']).toMatchObject({ kind: 'service', row: svc });
  expect((await subjectsOf('activity'))['6 before']).toMatchObject({ kind: 'service', row: svc });
  const own = { ...place, subject_kind: 'revision', subject_names: { ...names, revision: 'berth-api-1' }, subject_keys: [service] };
  await insert('pipeline', { id: '7 now', ...own });
  await insert('activity', { id: '7 now', ...own });
  const { rows } = await pool.query(`select service, revision from pipeline where id = '7 now'`);
  const { rows: entries } = await pool.query(`select service from activity where id = '7 now'`);
  expect([rows, entries]).toEqual([[{ service: 'berth-api', revision: 'berth-api-1' }], [{ service: 'berth-api' }]]);
});

test('lists by any subject use their indexes', async () => {
  const { pool } = database;
  await pool.query(
    `insert into pipeline (id, type, subject, trigger, created_by, created_by_name, app_id, environment, team_id, service)
     select 'm' || n, 'Deploy', 'x', 'push', 'o', 'O', 'app-' || n, 'development', 'team-' || n % 50, 'service-' || n from generate_series(1, 5000) n`,
  );
  // What an index costs is known of one that was vacuumed.
  await pool.query('vacuum analyze pipeline');
  const planOf = async (where: string) => {
    const query = `explain select id from pipeline where ${where} order by created_at desc limit 20`;
    return (await pool.query<{ 'QUERY PLAN': string }>(query)).rows.map((row) => row['QUERY PLAN']).join('\n');
  };
  // PostgreSQL leaves an index aside that was made with its rows, as long as somebody's transaction is older.
  const uses = (where: string, index: string) => expect.poll(() => planOf(where)).toContain(index);
  await uses(`subject_keys @> array['service:app-7/development/service-7']`, 'pipeline_subject_keys');
  await uses(`subject_kind = 'service' and subject_id = 'svc'`, 'pipeline_subject_id');
  await uses(`app_id = 'app-7'`, 'pipeline_app');
});
