// @long: waits for limits, or starts programs
/** Tries the door of the embedded PostgreSQL: as other users of the machine, without the password, as the superuser, and from inside. */
import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { prepareBinaries } from '#db/embedded-binaries.ts';
import { nobody, OWN_USER } from '#db/embedded-directory.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '#db/embedded-postgres.ts';
import { launchPostgres } from '#db/embedded-process.ts';
import { readPid } from '#db/embedded-survivor.ts';
import { migrate } from '#db/migrator.ts';
import { openDatabase } from '#db/database.ts';
import { PipelineEngine } from '#modules/pipelines/index.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const isRoot = process.getuid?.() === 0;

let base: string;
let data: string;
let postgres: EmbeddedPostgres;

beforeAll(async () => {
  base = fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-door-'));
  fs.chmodSync(base, 0o755);
  data = path.join(base, 'data');
  fs.mkdirSync(data, { mode: 0o755 });
  postgres = await startEmbeddedPostgres({ dataDir: data, log: silent, isDurable: false });
});
afterAll(async () => {
  await postgres?.stop();
  fs.rmSync(base, { recursive: true, force: true });
});

const withoutPassword = (): pg.ClientConfig => ({
  host: postgres.connection.host,
  user: postgres.connection.user,
  database: postgres.connection.database,
});

/** The outcome: `entered`, or the error's code or text. */
async function enter(config: pg.ClientConfig): Promise<string> {
  const client = new pg.Client({ ...config, password: config.password ?? 'guess' });
  client.on('error', () => {});
  try {
    await client.connect();
    return 'entered';
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  } finally {
    await client.end().catch(() => {});
  }
}

/** The same from a process of another user. */
async function enterAs(uid: number, config: pg.ClientConfig): Promise<string> {
  const script = `process.setgroups([]); process.setgid(${uid}); process.setuid(${uid});
    const client = new pg.Client(${JSON.stringify({ password: 'guess', ...config })});
    client.on('error', () => {});
    client.connect().then(() => 'entered', (error) => error.code ?? String(error)).then((text) => { console.log(text); process.exit(); });`;
  // Loaded before the rights are given up: the other user may not be able to read the checkout.
  const args = ['--input-type=module', '-e', `import pg from ${JSON.stringify(import.meta.resolve?.('pg') ?? 'pg')};\n${script}`];
  return (await promisify(execFile)(process.execPath, args, { cwd: path.resolve(import.meta.dirname, '../../..') })).stdout.trim();
}

const ask = async (sql: string, connection: pg.ClientConfig = postgres.connection): Promise<unknown[]> => {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
};

describe('nobody enters', () => {
  test('without the password, whoever he is', async () => {
    for (const user of ['platform', 'slipway', 'postgres', 'root', 'nobody'])
      for (const database of ['slipway', 'postgres', 'template1'])
        expect([user, database, await enter({ ...withoutPassword(), user, database })]).not.toContain('entered');
  });

  test.runIf(isRoot)('as another user of the machine, with the right password neither', async () => {
    for (const uid of [nobody().uid, 1000, 200_001]) {
      expect(await enterAs(uid, withoutPassword())).toBe('EACCES');
      expect(await enterAs(uid, { ...postgres.connection })).toBe('EACCES');
    }
    expect(await enterAs(OWN_USER.uid, withoutPassword())).toBe('28P01');
  });

  test('as the superuser, with the right password of the platform neither', async () => {
    expect(await enter({ ...postgres.connection, user: 'slipway' })).toBe('28000');
    expect(await enter({ ...postgres.connection, database: 'postgres' })).toBe('28000');
    expect(await enter({ ...postgres.connection })).toBe('entered');
  });
});

test('the password is for the server alone, and nowhere else', () => {
  const file = path.join(data, 'pg.password');
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  expect(fs.statSync(file).uid).toBe(process.getuid?.());
  const { password } = postgres.connection;
  expect(fs.readFileSync(file, 'utf8').trim()).toBe(password);
  const home = fs.realpathSync(path.join(data, 'pg'));
  for (const name of ['postgres.log', 'cluster/pg_hba.conf'])
    expect(fs.readFileSync(path.join(home, name), 'utf8')).not.toContain(password);
  const commands = fs.readdirSync('/proc').map((pid) => readOrNothing(`/proc/${pid}/cmdline`) + readOrNothing(`/proc/${pid}/environ`));
  expect(commands.some((text) => text.includes(password))).toBe(false);
});

function readOrNothing(file: string): string {
  try {
    return fs.readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

test('pg_hba.conf trusts nobody, and the socket lies in a directory for its user alone', () => {
  const home = fs.realpathSync(path.join(data, 'pg'));
  const lines = fs.readFileSync(path.join(home, 'cluster/pg_hba.conf'), 'utf8').split('\n');
  expect(lines.filter((line) => line !== '' && !line.startsWith('#'))).toEqual(['local slipway platform scram-sha-256']);
  expect(fs.readdirSync(home).filter((name) => name.endsWith('.hba'))).toEqual([]);
  expect(fs.statSync(postgres.connection.host).mode & 0o777).toBe(0o700);
});

test.runIf(isRoot && process.platform === 'linux')('it runs as a user that nothing else runs as, with no file of anybody else', () => {
  const home = fs.realpathSync(path.join(data, 'pg'));
  const pid = readPid(path.join(home, 'cluster/postmaster.pid'));
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
  expect(/^Uid:\s+(.*)$/m.exec(status)?.[1]?.split('\t')).toEqual(Array(4).fill(String(OWN_USER.uid)));
  expect(/^Groups:[ \t]*(.*)$/m.exec(status)?.[1]?.trim()).toBe('');
  expect(fs.readFileSync('/etc/passwd', 'utf8')).not.toMatch(new RegExp(`^[^:]*:[^:]*:${OWN_USER.uid}:`, 'm'));
  const owners = fs.readdirSync(home, { recursive: true, encoding: 'utf8' }).map((name) => fs.lstatSync(path.join(home, name)).uid);
  // The log is opened by the server.
  expect([...new Set(owners)].sort()).toEqual([0, OWN_USER.uid]);
});

describe('from inside', () => {
  test('the platform owns its database and nothing else', async () => {
    expect(
      await ask('select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls from pg_roles where rolname = current_user'),
    ).toEqual([{ rolsuper: false, rolcreaterole: false, rolcreatedb: false, rolreplication: false, rolbypassrls: false }]);
    expect(await ask('select datname from pg_database where datdba = current_user::regrole')).toEqual([{ datname: 'slipway' }]);
    expect(await ask('select 1 from pg_auth_members where member = current_user::regrole')).toEqual([]);
    expect(await ask("select rolpassword is null as open from pg_roles where rolname = 'slipway'")).toHaveLength(1);
  });

  test.each([
    ["select pg_read_file('/etc/passwd')"],
    ["copy (select 1) to program 'id'"],
    ["create table stolen (line text); copy stolen from '/etc/passwd'"],
    ["alter system set listen_addresses = '*'"],
    ['create role thief superuser'],
    ['create database loot'],
    ['set session authorization slipway'],
    ['select rolpassword from pg_authid'],
    ['create extension dblink'],
    ["select lo_import('/etc/passwd')"],
  ])('%s is refused', async (sql) => {
    await expect(ask(sql)).rejects.toMatchObject({ code: expect.stringMatching(/^(42501|0A000|58P01)$/) });
  });
});

test('what the platform needs works: migrations, the queue, LISTEN, and ending sessions of its own', async () => {
  await migrate(postgres.connection, { log: silent });
  await work(postgres.connection);
  const client = new pg.Client(postgres.connection);
  client.on('error', () => {});
  await client.connect();
  await client.query('listen anything');
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const ended = new Promise((resolve) => client.once('end', resolve));
  expect(await ask(`select pg_terminate_backend(${rows[0]?.pid}) as done`)).toEqual([{ done: true }]);
  await ended;
});

/** A worker takes locks and listens. */
async function work(connection: pg.PoolConfig): Promise<void> {
  const { db, close } = openDatabase(connection);
  const engine = new PipelineEngine({ connection, db, log: silent });
  await engine.launch();
  await engine.close();
  await close();
}

describe('data directories of earlier versions', () => {
  test.runIf(isRoot)('get the door, the role and the user at the next start, and keep every row', async () => {
    const old = path.join(base, 'old');
    const cluster = await makeOldCluster(old);
    const found = await startEmbeddedPostgres({ dataDir: old, log: silent });
    try {
      expect(fs.statSync(cluster).uid).toBe(OWN_USER.uid);
      expect(await ask('select id from kept', found.connection)).toEqual([{ id: 7 }]);
      const foreign = `select relname from pg_class join pg_namespace n on n.oid = relnamespace
        where nspname in ('public', 'dbos') and relowner <> 'platform'::regrole`;
      expect(await ask(foreign, found.connection)).toEqual([]);
      // As migrations to come will.
      await ask(
        'alter table kept add column more text; alter table team add column more text; drop view kept_view; drop type kept_kind',
        found.connection,
      );
      expect(await migrate(found.connection, { log: silent })).toEqual([]);
      await work(found.connection);
      expect(await enter({ ...found.connection, password: 'guess' })).toBe('28P01');
    } finally {
      await found.stop();
    }
  });

  test('a lost password is replaced by another, and a file that others could read, too', async () => {
    const lost = path.join(base, 'lost');
    fs.mkdirSync(lost, { mode: 0o755 });
    const passwords = new Set<string>();
    const once = async () => {
      const { connection, stop } = await startEmbeddedPostgres({ dataDir: lost, log: silent, isDurable: false });
      passwords.add(connection.password);
      expect(await ask('select 1 as one', connection)).toEqual([{ one: 1 }]);
      await stop();
    };
    await once();
    await once();
    expect(passwords.size).toBe(1);
    fs.rmSync(path.join(lost, 'pg.password'));
    await once();
    fs.chmodSync(path.join(lost, 'pg.password'), 0o644);
    await once();
    expect(passwords.size).toBe(3);
  });
});

/** As earlier versions made it: run by `nobody`, with `trust`, everything the superuser's. Answers the cluster. */
async function makeOldCluster(dataDir: string): Promise<string> {
  const home = path.join(dataDir, 'pg');
  fs.mkdirSync(home, { recursive: true });
  fs.chmodSync(dataDir, 0o755);
  const user = nobody();
  fs.chownSync(home, user.uid, user.gid);
  fs.chmodSync(home, 0o700);
  const programs = prepareBinaries({ home, user });
  const cluster = path.join(home, 'cluster');
  const initdb = [
    '-D',
    cluster,
    '-U',
    'slipway',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--no-sync',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ];
  execFileSync(path.join(programs, 'bin/initdb'), initdb, { ...user, cwd: '/', env: {} });
  const server = await launchPostgres({ directory: { home, user }, programs, cluster, socket: home, settings: { listen_addresses: '' } });
  const connection = { host: home, user: 'slipway', database: 'slipway' };
  await ask('create database slipway', { ...connection, database: 'postgres' });
  await migrate(connection, { log: silent });
  await ask(
    `create schema dbos; create table dbos.workflow_status (id text); create table kept (id serial primary key); insert into kept values (7); create view kept_view as select id from kept;
     create type kept_kind as enum ('a'); create function kept_function() returns int language sql as 'select 1'`,
    connection,
  );
  await server.stop();
  return cluster;
}
