/** Tests for the read-only logins of every database adapter, on a real server. */
import type pg from 'pg';
import { expect, test } from 'vitest';
import { createClient } from './databases.suite-client.ts';
import { errorCode } from '../caught.ts';
import { loginName, type DatabaseLimits, type DatabaseLogin, type Databases, type DatabaseTarget } from './databases.ts';

export interface ReadersSubject {
  readonly databases: Databases;
  readonly region: string;
  inventory(): Promise<{ databases: readonly string[]; roles: readonly string[] }>;
}

const limits: DatabaseLimits = {
  maxConnections: 10,
  readConnections: 2,
  statementTimeoutMs: 20_000,
  tempFileBytes: 1024 * 1024,
  workMemoryBytes: 4 * 1024 * 1024,
};
const password = 'a-password';

/** `subject` is called in the tests, once the server runs. */
export function readersSuite(subject: () => ReadersSubject): void {
  let count = 0;
  const made = async (): Promise<DatabaseTarget> => {
    const { databases, region } = subject();
    const target = { region, database: `readers_${++count}` };
    await databases.ensure(target, { ...limits, readConnections: 0 });
    await databases.openLogin(target, 'a', password);
    return target;
  };
  const admit = async (target: DatabaseTarget): Promise<void> => {
    await subject().databases.admitReaders(target, limits);
    await subject().databases.openLogin(target, 'reader_a', password);
  };
  const connect = async (target: DatabaseTarget, login: DatabaseLogin, database = target.database): Promise<pg.Client> => {
    const { host, port } = await subject().databases.endpoint(target.region);
    const client = createClient({ host, port, user: loginName(target, login), password, database, application_name: 'report' });
    await client.connect();
    return client;
  };
  const using = async <T>(target: DatabaseTarget, login: DatabaseLogin, work: (client: pg.Client) => Promise<T>): Promise<T> => {
    const client = await connect(target, login);
    return work(client).finally(() => client.end());
  };
  const refusal = (connecting: Promise<pg.Client>): Promise<unknown> => connecting.then((client) => client.end(), errorCode);
  /** SQL and error code of each statement. */
  const tried = async (client: pg.Client, statements: readonly string[]) => {
    const codes: [string, unknown][] = [];
    for (const sql of statements) {
      codes.push([sql, await client.query(sql).then(() => 'done', errorCode)]);
      await client.query('rollback');
    }
    return codes;
  };

  test('a read-only login reads what was created before and after it, in every schema', async () => {
    const target = await made();
    await using(target, 'a', (client) =>
      client.query(`create schema "Odd ""Name"; create table "Odd ""Name".before (id serial primary key); insert into "Odd ""Name".before default values;
        create view seen as select id from "Odd ""Name".before; reset role; create table "Odd ""Name".of_login as select 5 as id`),
    );
    await admit(target);
    await admit(target);
    await using(target, 'a', (client) =>
      client.query(`create schema later; create table later.berth as select 2 as id; create materialized view later.copy as select 3 as id;
        drop schema public cascade; create schema public; create table again as select 4 as id;
        reset role; create table later.of_login as select 6 as id`),
    );
    const read = await using(target, 'reader_a', async (client) => {
      const tables = ['"Odd ""Name".before', '"Odd ""Name".of_login', 'later.berth', 'later.copy', 'again', 'later.of_login'];
      const { rows } = await client.query<{ id: number }>(tables.map((table) => `select id from ${table}`).join(' union all '));
      await client.query('select last_value from "Odd ""Name".before_id_seq');
      return rows.map(({ id }) => id);
    });
    expect(read).toEqual([1, 5, 2, 3, 4, 6]);
  });

  test('a read-only login writes nothing, also in a transaction that it makes writable', async () => {
    const target = await made();
    await using(target, 'a', (client) => client.query('create table berth (id serial); insert into berth values (1)'));
    await admit(target);
    const { database } = target;
    const writes = [
      'insert into berth values (2)',
      'update berth set id = 3',
      'delete from berth',
      'truncate berth',
      'drop table berth',
      'select from berth for update',
      `select nextval('berth_id_seq')`,
      'create table own (id int)',
      'create schema own',
      'create temporary table own (id int)',
      'create function own() returns int language sql return 1',
      'create publication own',
    ];
    const refused = await using(target, 'reader_a', async (client) => [
      ...(await tried(client, writes)),
      ...(await tried(
        client,
        [...writes, 'lock table berth in exclusive mode'].map((sql) => `begin read write; ${sql}`),
      )),
      ...(await tried(client, [
        `set default_transaction_read_only = off; insert into berth values (2)`,
        `set role ${database}_owner`,
        `set role ${database}_reader`,
        `grant ${database}_owner to ${database}_reader_a`,
        `alter role ${database}_a password 'x'`,
        `alter role current_user connection limit 100`,
        `alter database ${database} set work_mem = '1GB'`,
        'select rolpassword from pg_authid',
        `select pg_read_file('/etc/passwd')`,
      ])),
    ]);
    for (const [sql, code] of refused) expect([sql, code]).toEqual([sql, expect.stringMatching(/^(42501|25006)$/)]);
    const writable = refused.filter(([sql]) => sql.startsWith('begin read write'));
    expect(new Set(writable.map(([, code]) => code))).toEqual(new Set(['42501']));
    expect(await using(target, 'a', async (client) => (await client.query('select id from berth')).rows)).toEqual([{ id: 1 }]);
  });

  test('a read-only login reaches its own database only', async () => {
    const [mine, others] = [await made(), await made()];
    await admit(mine);
    for (const database of [others.database, 'postgres', 'template1'])
      expect([database, await refusal(connect(mine, 'reader_a', database))]).toEqual([database, '42501']);
  });

  test('large objects of a read-only login are found and deleted, and it still reads', async () => {
    const { databases } = subject();
    const target = await made();
    await using(target, 'a', (client) => client.query(`create table berth as select 1 as id; select lo_create(7)`));
    await admit(target);
    expect(await databases.observe(target)).toMatchObject({ hasReaderObjects: false });
    await using(target, 'reader_a', (client) => client.query('begin read write; select lo_create(8); commit'));
    expect(await databases.observe(target)).toMatchObject({ hasReaderObjects: true });
    // Holds a lock on the object, for as long as the session lives.
    const holding = await connect(target, 'reader_a');
    const ended = new Promise((resolve) => holding.once('error', resolve));
    await holding.query('begin read write');
    await holding.query('select lo_unlink(8)');
    await databases.clearReaders(target);
    await ended;
    expect(await databases.observe(target)).toMatchObject({ hasReaderObjects: false });
    await using(target, 'reader_a', async (client) => {
      expect((await client.query('select id from berth')).rows).toEqual([{ id: 1 }]);
      expect((await client.query('select oid::integer from pg_largeobject_metadata')).rows).toEqual([{ oid: 7 }]);
    });
  });

  test('read-only logins have a limit of their own, beside that of the others', async () => {
    const { databases } = subject();
    const target = await made();
    await admit(target);
    const open = [await connect(target, 'reader_a'), await connect(target, 'reader_a')];
    expect(await refusal(connect(target, 'reader_a'))).toBe('53300');
    await using(target, 'a', (client) => client.query('select 1'));
    expect(await databases.observe(target)).toMatchObject({
      maxConnections: 10,
      logins: ['a', 'reader_a'],
      connections: [{ login: 'reader_a', application: 'report', count: 2 }],
    });
    await databases.limit(target, { ...limits, readConnections: 3 });
    open.push(await connect(target, 'reader_a'));
    for (const client of open) await client.end();
  });

  test('a closed database ends and refuses read-only logins until it opens, also those that are admitted meanwhile', async () => {
    const { databases } = subject();
    const target = await made();
    await admit(target);
    const reading = await connect(target, 'reader_a');
    const ended = new Promise((resolve) => reading.once('error', resolve));
    await databases.restrictWrites(target, 'closed');
    await ended;
    // The client hears of the end before the server has counted it.
    await expect.poll(() => databases.observe(target)).toMatchObject({ writes: 'closed', connections: [] });
    await admit(target);
    expect(await refusal(connect(target, 'reader_a'))).toBe('42501');
    await databases.restrictWrites(target, 'readOnly');
    await using(target, 'reader_a', (client) => client.query('select 1'));
  });

  test('a read-only login ends when it is closed, deactivated or dropped', async () => {
    const { databases, inventory } = subject();
    const target = await made();
    await admit(target);
    await databases.openLogin(target, 'reader_b', password);
    const ended = async (login: DatabaseLogin, end: () => Promise<void>): Promise<void> => {
      const client = await connect(target, login);
      const gone = new Promise((resolve) => void client.once('end', resolve));
      await end();
      await gone;
    };
    await ended('reader_a', () => databases.closeLogin(target, 'reader_a'));
    expect(await refusal(connect(target, 'reader_a'))).not.toBeUndefined();
    await ended('reader_b', () => databases.accept(target, false));
    expect(await refusal(connect(target, 'reader_b'))).toBe('42501');
    await databases.accept(target, true);
    await ended('reader_b', () => databases.drop(target));
    const { databases: left, roles } = await inventory();
    expect([...left, ...roles].filter((found) => found.startsWith(`${target.database}_`) || found === target.database)).toEqual([]);
  });
}
