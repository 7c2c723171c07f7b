import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readMigrations } from '#db/migrator.ts';
import { testDatabase, type TestDatabase } from './database.ts';

let one: TestDatabase;
let two: TestDatabase;

beforeAll(async () => {
  [one, two] = await Promise.all([testDatabase(), testDatabase()]);
});
afterAll(() => Promise.all([one.drop(), two.drop()]));

test('a test database carries every migration', async () => {
  const { rows } = await one.pool.query<{ name: string }>('select name from schema_migration order by number');
  expect(rows.map(({ name }) => name)).toEqual(readMigrations().map(({ name }) => name));
});

test('two test databases share nothing', async () => {
  await one.pool.query('create table only_here (id text)');
  await expect(two.pool.query('select * from only_here')).rejects.toMatchObject({ code: '42P01' });
});

test('the url opens the same database', async () => {
  const client = new pg.Client({ connectionString: one.url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>('select current_database() as name');
  await client.end();
  expect(rows).toEqual([{ name: one.config.database }]);
});

test('an empty test database has no table', async () => {
  const empty = await testDatabase({ isEmpty: true });
  const { rowCount } = await empty.pool.query(`select 1 from pg_tables where schemaname = 'public'`);
  await empty.drop();
  expect(rowCount).toBe(0);
});
