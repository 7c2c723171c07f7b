/** Tests for every database adapter, on a real server. */
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from './databases.suite-client.ts';
import { errorCode } from '../caught.ts';
import { loginName, type DatabaseLimits, type DatabaseLogin, type Databases, type DatabaseTarget } from './databases.ts';
import { readersSuite } from './databases-readers.suite.ts';
import { isPortFailure } from './failure.ts';

export interface DatabasesSubject {
  readonly databases: Databases;
  readonly region: string;
  /** Databases and roles on the server as an administrator sees them, independent of the adapter. */
  inventory(): Promise<{ databases: readonly string[]; roles: readonly string[] }>;
  /** Runs SQL as the server's superuser, or the most privileged user. */
  asOther(sql: string): Promise<void>;
  /** Runs a query like `asOther` and returns the column `name`. */
  asked(sql: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

const limits: DatabaseLimits = {
  maxConnections: 10,
  statementTimeoutMs: 20_000,
  tempFileBytes: 1024 * 1024,
  workMemoryBytes: 4 * 1024 * 1024,
};
const [first, second] = ['first-password', 'second-password'];

export function databasesSuite(name: string, make: () => Promise<DatabasesSubject>): void {
  describe(name, () => {
    let subject: DatabasesSubject;
    let databases: Databases;
    let count = 0;
    beforeAll(async () => {
      subject = await make();
      databases = subject.databases;
    });
    afterAll(() => subject?.close());

    const newTarget = (): DatabaseTarget => ({ region: subject.region, database: `suite_${++count}` });
    const made = async (): Promise<DatabaseTarget> => {
      const target = newTarget();
      await databases.ensure(target, limits);
      await databases.openLogin(target, 'a', first);
      return target;
    };
    const connect = async (
      target: DatabaseTarget,
      login: DatabaseLogin = 'a',
      password = first,
      database = target.database,
    ): Promise<pg.Client> => {
      const { host, port } = await databases.endpoint(target.region);
      const client = createClient({ host, port, user: loginName(target, login), password, database, application_name: 'suite-service' });
      await client.connect();
      return client;
    };
    const refusal = (connecting: Promise<pg.Client>): Promise<string> =>
      connecting.then(
        async (client) => {
          await client.end();
          return 'let in';
        },
        (error: unknown) => errorCode(error) ?? String(error),
      );
    const using = async <T>(target: DatabaseTarget, work: (client: pg.Client) => Promise<T>): Promise<T> => {
      const client = await connect(target);
      try {
        return await work(client);
      } finally {
        await client.end();
      }
    };
    const ended = (client: pg.Client): Promise<void> => new Promise((resolve) => void client.once('end', () => resolve()));
    const kindOf = (call: () => Promise<unknown>): Promise<string> =>
      call().then(
        () => 'none',
        (error: unknown) => (isPortFailure(error) ? error.kind : String(error)),
      );

    readersSuite(() => subject);

    test('makes a database whose login may make and change everything in it, for the owner', async () => {
      const target = await made();
      await using(target, async (client) => {
        await client.query('create table berth (id int primary key); insert into berth values (1); create schema other');
        const { rows } = await client.query(`select tableowner, session_user::text as login from pg_tables where tablename = 'berth'`);
        expect(rows).toEqual([{ tableowner: `${target.database}_owner`, login: `${target.database}_a` }]);
      });
      expect(await databases.version(subject.region)).toMatch(/^\d+\.\d+/);
    });

    test('making it again changes nothing', async () => {
      const target = await made();
      await using(target, (client) => client.query('create table kept (id int)'));
      await databases.ensure(target, limits);
      expect(await using(target, async (client) => (await client.query('select from kept')).rowCount)).toBe(0);
    });

    test('what was made in part is made whole, and removed', async () => {
      const target = newTarget();
      await databases.ensure(target, limits);
      await subject.asOther(`drop database ${target.database}`);
      expect(await databases.observe(target)).toBeUndefined();
      expect(await databases.list(subject.region)).toContain(target.database);
      await databases.ensure(target, limits);
      expect(await databases.observe(target)).toMatchObject({ isAccepting: true, logins: [] });
      await subject.asOther(`drop database ${target.database}`);
      await databases.drop(target);
      expect(await databases.list(subject.region)).not.toContain(target.database);
    });

    test('a login has no right beyond its database', async () => {
      const [mine, others] = [await made(), await made()];
      // The password is correct, but the database belongs to somebody else.
      expect(await refusal(connect(mine, 'a', first, others.database))).toBe('42501');
      expect(await refusal(connect(mine, 'a', first, 'postgres'))).toBe('42501');
      expect(await refusal(connect(mine, 'a', first, 'template1'))).toBe('42501');
      await using(mine, async (client) => {
        const tried = [
          'create role intruder',
          'create database intruder',
          `set role ${others.database}_owner`,
          `grant ${others.database}_owner to ${mine.database}_a`,
          `alter role ${others.database}_a password 'x'`,
          `copy (select 1) to program 'true'`,
          `select pg_read_file('/etc/passwd')`,
          `set temp_file_limit = -1`,
          'select rolpassword from pg_authid',
        ];
        for (const sql of tried) {
          const code = await client.query(sql).then(
            () => 'done',
            (error: unknown) => errorCode(error) ?? String(error),
          );
          expect([sql, code]).toEqual([sql, '42501']);
        }
      });
    });

    test('a password lets in, a wrong one and none do not', async () => {
      const target = newTarget();
      await databases.ensure(target, limits);
      expect(await refusal(connect(target))).toBe('28P01');
      await databases.openLogin(target, 'a', first);
      expect(await refusal(connect(target, 'a', 'wrong'))).toBe('28P01');
      expect(await refusal(connect(target))).toBe('let in');
      await databases.openLogin(target, 'a', second);
      expect([await refusal(connect(target)), await refusal(connect(target, 'a', second))]).toEqual(['28P01', 'let in']);
    });

    test('two logins see the same, and the former ends when it is closed', async () => {
      const target = await made();
      const former = await connect(target);
      await former.query('create table berth (id int); insert into berth values (7)');
      await databases.openLogin(target, 'b', second);
      const next = await connect(target, 'b', second);
      expect((await next.query('update berth set id = 8 returning id')).rows).toEqual([{ id: 8 }]);
      expect((await former.query('select id from berth')).rows).toEqual([{ id: 8 }]);
      expect((await databases.observe(target))?.connections).toEqual([
        { login: 'a', application: 'suite-service', count: 1 },
        { login: 'b', application: 'suite-service', count: 1 },
      ]);
      const gone = ended(former);
      await databases.closeLogin(target, 'a');
      await databases.closeLogin(target, 'a');
      await gone;
      expect(await refusal(connect(target))).not.toBe('let in');
      expect((await next.query('select id from berth')).rows).toEqual([{ id: 8 }]);
      expect((await databases.observe(target))?.logins).toEqual(['b']);
      await next.end();
    });

    test('the limits hold: connections, time and files', async () => {
      const target = await made();
      await databases.limit(target, { ...limits, maxConnections: 2, statementTimeoutMs: 150 });
      const [one, two] = [await connect(target), await connect(target)];
      expect(await refusal(connect(target))).toBe('53300');
      await expect(one.query('select pg_sleep(20)')).rejects.toMatchObject({ code: '57014' });
      await expect(
        two.query(`set statement_timeout = 0; set work_mem = 64; select count(*) from
        (select repeat(md5(i::text), 20) from generate_series(1, 20000) i order by 1 offset 1) sorted`),
      ).rejects.toMatchObject({ code: '53400' });
      expect((await databases.observe(target))?.maxConnections).toBe(2);
      await Promise.all([one.end(), two.end()]);
    });

    test('the role of an app owns what is in its database, and not the database', async () => {
      const target = await made();
      const quoted = target.database;
      await using(target, async (client) => {
        for (const sql of [
          `alter database ${quoted} connection limit -1`,
          `alter database ${quoted} is_template true`,
          `alter database ${quoted} allow_connections false`,
          `alter database ${quoted} set work_mem = '200GB'`,
          `drop database ${quoted}`,
        ])
          expect([sql, await client.query(sql).catch(errorCode)]).toEqual([sql, '42501']);
        await client.query('grant connect on database ' + quoted + ' to public');
        await client.query('create table public.own (id int); create schema mine; drop schema public cascade; create schema public');
        await client.query('create extension pgcrypto; create temporary table brief (id int)');
      });
      await databases.ensure(target, limits);
      expect(
        (await subject.asked(`select array_to_string(datacl, ',') as name from pg_database where datname = '${quoted}'`))[0],
      ).not.toMatch(/(^|,)=/);
    });

    /** Makes a database as earlier versions did. */
    const madeEarlier = async (): Promise<DatabaseTarget> => {
      const target = await made();
      const { database } = target;
      await subject.asOther(`drop database ${database}`);
      await subject.asOther(`create database ${database} owner ${database}_owner template template0`);
      await subject.asOther(`revoke all on database ${database} from public`);
      const { user } = await databases.maintenance(target);
      await subject.asOther(`grant connect on database ${database} to ${user}, ${database}_owner`);
      return target;
    };

    test('a database of an earlier version is taken over, with the limit that its owner lifted', async () => {
      const target = await madeEarlier();
      const { database } = target;
      await using(target, async (client) => {
        await client.query(`alter database ${database} connection limit -1`);
        await client.query(`alter database ${database} is_template true`);
      });
      await databases.secure(target);
      await databases.secure(target);
      const facts = `select datconnlimit || ' ' || datistemplate as name from pg_database where datname = '${database}'`;
      expect(await subject.asked(facts)).toEqual([`${limits.maxConnections + 4} false`]);
      await using(target, async (client) => {
        await expect(client.query(`alter database ${database} connection limit -1`)).rejects.toMatchObject({ code: '42501' });
        await client.query('create table public.still (id int)');
      });
    });

    test('a deactivated database of an earlier version refuses connections after it is taken over, until it is active', async () => {
      const target = await madeEarlier();
      await databases.accept(target, false);
      await databases.secure(target);
      expect(await refusal(connect(target))).toBe('42501');
      await databases.accept(target, true);
      expect(await refusal(connect(target))).toBe('let in');
    });

    test('a deactivated database refuses connections and keeps its data', async () => {
      const target = await made();
      const open = await connect(target);
      await open.query('create table kept (id int); insert into kept values (3)');
      const gone = ended(open);
      await databases.accept(target, false);
      await databases.accept(target, false);
      await gone;
      expect(await refusal(connect(target))).toBe('42501');
      expect(await databases.observe(target)).toMatchObject({ isAccepting: false, connections: [] });
      await databases.accept(target, true);
      expect(await using(target, async (client) => (await client.query('select id from kept')).rows)).toEqual([{ id: 3 }]);
      expect(await databases.observe(target)).toMatchObject({ isAccepting: true });
    });

    test('over its storage it refuses writes, until it is under it again', async () => {
      const target = await made();
      const open = await connect(target);
      await open.query(`create table full_of (text text); insert into full_of select repeat('x', 1000) from generate_series(1, 5000)`);
      expect((await databases.observe(target))?.sizeBytes).toBeGreaterThan(5_000_000);
      const gone = ended(open);
      await databases.restrictWrites(target, 'readOnly');
      await gone;
      expect(await databases.observe(target)).toMatchObject({ writes: 'readOnly' });
      await using(target, async (client) => {
        await expect(client.query(`insert into full_of values ('y')`)).rejects.toMatchObject({ code: '25006' });
        expect((await client.query('select from full_of limit 1')).rowCount).toBe(1);
        await client.query('begin read write; truncate full_of; commit');
      });
      await databases.restrictWrites(target, 'writable');
      expect(await databases.observe(target)).toMatchObject({ writes: 'writable' });
      await using(target, (client) => client.query(`insert into full_of values ('y')`));
    });

    test('a closed database ends its sessions and lets nobody in, whatever its owner set before, until it is opened again', async () => {
      const target = await made();
      await databases.openLogin(target, 'b', second);
      const [idle, writing] = [await connect(target), await connect(target, 'b', second)];
      expect(await idle.query(`grant ${target.database}_owner to ${target.database}_a`).catch(errorCode)).toBe('42501');
      await idle.query(`grant connect on database ${target.database} to public, ${target.database}_a`);
      await writing.query('begin read write; create table more (id int)');
      const gone = Promise.all([ended(idle), ended(writing)]);
      await databases.restrictWrites(target, 'closed');
      await databases.restrictWrites(target, 'closed');
      await gone;
      expect(await databases.observe(target)).toMatchObject({ writes: 'closed', isAccepting: true, logins: ['a', 'b'], connections: [] });
      // Neither a new password, nor accepting connections, nor other limits open it.
      await databases.openLogin(target, 'a', first);
      await databases.accept(target, true);
      await databases.limit(target, limits);
      expect([await refusal(connect(target)), await refusal(connect(target, 'b', second))]).toEqual(['42501', '42501']);
      await databases.accept(target, false);
      await databases.restrictWrites(target, 'writable');
      expect(await refusal(connect(target))).toBe('42501');
      await databases.accept(target, true);
      expect(await databases.observe(target)).toMatchObject({ writes: 'writable' });
      await using(target, (client) => client.query('create table created (id int)'));
      expect(
        await subject.asked(`select string_agg(rolname, ',' order by rolname) as name from pg_auth_members join pg_roles on pg_roles.oid = member
        where roleid = '${target.database}_owner'::regrole and rolname like '${target.database}%'`),
      ).toEqual([`${target.database}_a,${target.database}_b`]);
    });

    test('a transaction that is too old ends with its session, whatever timeouts the session set; younger ones and idle sessions go on', async () => {
      const target = await made();
      const [idle, old] = [await connect(target), await connect(target)];
      await old.query('set idle_in_transaction_session_timeout = 0; set transaction_timeout = 0; begin; select 1');
      await databases.endTransactions(target, 3_600_000);
      expect((await old.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
      const gone = ended(old);
      await databases.endTransactions(target, 0);
      await gone;
      expect((await idle.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
      await idle.end();
    });

    test('dropping leaves neither database nor role, also while somebody is connected, and twice', async () => {
      const target = await made();
      await databases.openLogin(target, 'b', second);
      const open = await connect(target);
      const gone = ended(open);
      await databases.drop(target);
      await databases.drop(target);
      await gone;
      const { databases: left, roles } = await subject.inventory();
      expect([...left, ...roles].filter((found) => found.startsWith(target.database))).toEqual([]);
      expect(await databases.observe(target)).toBeUndefined();
    });

    test('what belongs to somebody else is not touched', async () => {
      const target = newTarget();
      await subject.asOther(`create role ${target.database}_owner`);
      expect(await kindOf(() => databases.ensure(target, limits))).toBe('conflict');
      expect(await kindOf(() => databases.drop(target))).toBe('conflict');
      expect((await subject.inventory()).roles).toContain(`${target.database}_owner`);
      expect(await databases.list(subject.region)).not.toContain(target.database);
    });

    test('verbs say what is not there', async () => {
      const target = newTarget();
      for (const verb of [
        () => databases.limit(target, limits),
        () => databases.openLogin(target, 'a', first),
        () => databases.admitReaders(target, limits),
        () => databases.clearReaders(target),
        () => databases.closeLogin(target, 'a'),
        () => databases.accept(target, false),
        () => databases.restrictWrites(target, 'closed'),
        () => databases.endTransactions(target, 0),
        () => databases.maintenance(target),
        () => databases.version('NOWHERE'),
      ])
        expect(await kindOf(verb)).toBe('notFound');
      expect(await kindOf(() => databases.ensure({ ...target, database: 'x"; drop role y' }, limits))).toBe('rejected');
    });

    test('the platform works in a database as its owner, also while it refuses services', async () => {
      const target = await made();
      await using(target, (client) => client.query('create table berth (id int); insert into berth values (1)'));
      await databases.accept(target, false);
      const { owner, sslMode: _, ...login } = await databases.maintenance(target);
      const client = createClient(login);
      await client.connect();
      expect((await client.query('select id from berth')).rows).toEqual([{ id: 1 }]);
      await client.query(`set role ${owner}; create table restored (id int)`);
      expect((await client.query(`select tableowner from pg_tables where tablename = 'restored'`)).rows).toEqual([{ tableowner: owner }]);
      await client.end();
      // Not counted as a connection of services.
      expect((await databases.observe(target))?.connections).toEqual([]);
    });
  });
}
