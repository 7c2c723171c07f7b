import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Log } from '#ports/log.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { openDatabase, transaction } from './database.ts';
import { isDatabaseOutage } from '#db/outage.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase({ isEmpty: true });
  await database.pool.query('create table counter (id text primary key, value integer not null)');
  await database.pool.query(`insert into counter values ('a', 0), ('b', 0)`);
});
afterAll(() => database.drop());

const value = async (expression: string) => (await database.pool.query<{ value: unknown }>(`select ${expression} as value`)).rows[0]?.value;

test.each([
  ['count(*)', 1],
  ['9007199254740991::bigint', Number.MAX_SAFE_INTEGER],
  [`'{1,null,3}'::bigint[]`, [1, null, 3]],
  [`'2026-11-20T10:00:00+02'::timestamptz`, new Date('2026-11-20T08:00:00Z')],
  [`'2026-11-20'::date`, '2026-11-20'],
  [`'{2026-11-20}'::date[]`, ['2026-11-20']],
  [`'{"a": [1]}'::jsonb`, { a: [1] }],
  [`'{a,b}'::text[]`, ['a', 'b']],
  [`12.50::numeric`, '12.50'],
])('%s is read as %j', async (expression, expected) => {
  expect(await value(expression)).toEqual(expected);
});

test('an integer too large for a number fails instead of losing digits', async () => {
  await expect(value('9007199254740993::bigint')).rejects.toThrow('9007199254740993 is too large');
  expect(await value('1')).toBe(1);
});

test('statements have a time limit', async () => {
  const { db, close } = openDatabase({ ...database.config, statement_timeout: 50 });
  await expect(sql`select pg_sleep(10)`.execute(db)).rejects.toMatchObject({ code: '57014' });
  await close();
});

test('an idle connection that breaks is logged, and the next statement gets a new one', async () => {
  const warned: string[] = [];
  const log: Log = { debug() {}, info() {}, warn: (_, message) => warned.push(message), error() {} };
  const { pool, close } = openDatabase(database.config, { log });
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  await database.pool.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
  await expect.poll(() => warned).toEqual(['Lost an idle database connection']);
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await close();
});

test('a connection lost between two queries of whoever holds it fails the next query, and nothing else', async () => {
  const { pool, close } = openDatabase(database.config);
  const client = await pool.connect();
  await client.query('begin');
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const ended = new Promise((resolve) => client.once('end', resolve));
  // Without a listener the client's `error` event would end the process here.
  await database.pool.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
  await ended;
  const failure: unknown = await client.query('select 1').catch((error: unknown) => error);
  expect(isDatabaseOutage(failure)).toBe(true);
  client.release();
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await close();
});

describe('a transaction', () => {
  const bump = (id: string) => sql`update counter set value = value + 1 where id = ${id}`;
  const counted = async () =>
    (await database.pool.query('select value from counter order by id')).rows.map((row: { value: number }) => row.value);

  test('that deadlocks with another runs again, and both count once', async () => {
    let attempts = 0;
    const bothHoldOne = Promise.withResolvers<void>();
    const move = (first: string, second: string) =>
      transaction(database.db, async (trx) => {
        attempts++;
        await bump(first).execute(trx);
        if (attempts >= 2) bothHoldOne.resolve();
        await bothHoldOne.promise;
        await bump(second).execute(trx);
      });
    const before = await counted();
    await Promise.all([move('a', 'b'), move('b', 'a')]);
    // On a busy machine the loser may conflict once more.
    expect(attempts).toBeGreaterThanOrEqual(3);
    expect(await counted()).toEqual(before.map((count) => count + 2));
  });

  test('gives up after the given attempts', async () => {
    let attempts = 0;
    const losing = transaction(
      database.db,
      async (trx) => {
        attempts++;
        await sql`do $$ begin raise exception 'lost' using errcode = '40001'; end $$`.execute(trx);
      },
      3,
    );
    await expect(losing).rejects.toMatchObject({ code: '40001' });
    expect(attempts).toBe(3);
  });

  test('that fails otherwise rolls back and is not repeated', async () => {
    let attempts = 0;
    const before = await counted();
    const failing = transaction(database.db, async (trx) => {
      attempts++;
      await bump('a').execute(trx);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(attempts).toBe(1);
    expect(await counted()).toEqual(before);
  });
});
