// @long: starts, ends and kills programs
import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Log } from '@slipway/foundation/ports/log.ts';
import { mayRunAs, nodeAs, type OtherUser } from './testing/other-user.ts';
import { PATIENCE_MS } from '@slipway/foundation/testing/patience.ts';
import { startEmbeddedPostgres, type EmbeddedPostgresOptions } from './embedded-postgres.ts';
import { nobody, OWN_USER } from './embedded-directory.ts';
import { isPostmaster, readPid } from './embedded-survivor.ts';

const log: Log = { debug() {}, info() {}, warn() {}, error() {} };
const isRoot = process.getuid?.() === 0;
/** The machines that run the tests have Linux 5.8 or newer, where `syncfs` reports write errors. */
const sync = process.platform === 'linux' ? 'syncfs' : 'fsync';

let base: string;
let data: string;
const cluster = () => path.join(fs.realpathSync(data), 'pg/cluster');
const postmaster = () => readPid(path.join(cluster(), 'postmaster.pid'));
/** Never returns 0, which `kill` takes for the whole process group. */
const postmasterPid = (): number => {
  const pid = postmaster();
  if (pid === undefined) throw new Error('PostgreSQL does not run');
  return pid;
};
const start = (more: Partial<EmbeddedPostgresOptions> = {}) => startEmbeddedPostgres({ dataDir: data, log, isDurable: false, ...more });

beforeAll(() => {
  base = fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-pg-test-'));
  fs.chmodSync(base, 0o755);
  data = path.join(base, 'data');
  fs.mkdirSync(data, { mode: 0o755 });
});
afterAll(() => fs.rmSync(base, { recursive: true, force: true }));

async function query(connection: pg.ClientConfig, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(connection);
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

const commandLine = (pid: string): string => {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
};
async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`Still waiting for ${condition.toString()}`);
    await delay(10);
  }
}

/** Starts another Node process that starts PostgreSQL and prints one line of JSON: `{ connection }` or `{ error }`. */
function spawnOwner(dataDir: string, other?: OtherUser): ChildProcessWithoutNullStreams {
  const module = fileURLToPath(new URL('embedded-postgres.ts', import.meta.url));
  const source = (file: string): string => `import { startEmbeddedPostgres } from ${JSON.stringify(file)};
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    startEmbeddedPostgres({ dataDir: process.argv[1], log, isDurable: false }).then(
      ({ connection, stop }) => { console.log(JSON.stringify({ connection })); process.stdin.once('data', () => stop().then(() => process.exit(0))); },
      (error) => { console.log(JSON.stringify({ error: error.message })); process.exit(1); },
    );`;
  const argsOf = (at: (file: string) => string): string[] => ['--input-type=module', '-e', source(at(module)), dataDir];
  if (!other) return spawn(process.execPath, argsOf(String), { cwd: base });
  const { command, args, user } = nodeAs(other, base, argsOf);
  return spawn(command, args, { ...user, cwd: base });
}

async function firstLine(owner: ChildProcessWithoutNullStreams): Promise<{ connection?: pg.ClientConfig; error?: string }> {
  const [line] = (await once(createInterface(owner.stdout), 'line')) as [string];
  return JSON.parse(line) as { connection?: pg.ClientConfig; error?: string };
}

async function killOwner(owner: ChildProcessWithoutNullStreams): Promise<void> {
  owner.kill('SIGKILL');
  await once(owner, 'exit');
}

test('starts without a port, durable, with the builtin locale, for its owner alone', async () => {
  const { connection, stop } = await startEmbeddedPostgres({ dataDir: data, log });
  const rows = await query(
    connection,
    `select current_setting('listen_addresses') as addresses, current_setting('fsync') as fsync, current_setting('max_connections') as max,
       current_setting('recovery_init_sync_method') as sync, datlocprovider as provider, datlocale as locale from pg_database where datname = current_database()`,
  );
  expect(rows).toEqual([{ addresses: '', fsync: 'on', max: '200', sync, provider: 'b', locale: 'C.UTF-8' }]);
  const home = fs.statSync(path.join(data, 'pg'));
  expect(home.mode & 0o777).toBe(0o700);
  expect(home.uid === 0).toBe(false);
  await query(connection, 'create table kept (id integer); insert into kept values (1)');
  const pid = postmaster();
  await stop();
  expect(pid !== undefined && isPostmaster(pid, cluster())).toBe(false);
});

test('a later start finds the rows', async () => {
  const { connection, stop } = await start();
  expect(await query(connection, 'select id from kept')).toEqual([{ id: 1 }]);
  await stop();
});

test('a second process on the same directory is refused, and the first keeps serving', async () => {
  const { connection, stop } = await start();
  await expect(start()).rejects.toThrow('DATABASE_URL');
  const { error } = await firstLine(spawnOwner(data));
  expect(error).toContain(`${data} is in use by another Slipway process (process ${process.pid})`);
  expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  await stop();
});

describe('when the owner is killed with SIGKILL', () => {
  test('PostgreSQL stops by itself', async () => {
    const owner = spawnOwner(data);
    const { connection } = await firstLine(owner);
    await query(connection ?? {}, 'insert into kept values (2)');
    const pid = postmasterPid();
    expect(isPostmaster(pid, cluster())).toBe(true);
    await killOwner(owner);
    await until(() => !isPostmaster(pid, cluster()));
  });

  test('a start at once waits for it and finds what was committed', async () => {
    const owner = spawnOwner(data);
    const { connection } = await firstLine(owner);
    await query(connection ?? {}, 'insert into kept values (3)');
    await killOwner(owner);
    const next = await start();
    expect(await query(next.connection, 'select id from kept order by id')).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
    await next.stop();
  });

  test.runIf(process.platform === 'linux')('a server whose lifeline was killed too is ended by the next start', async () => {
    const owner = spawnOwner(data);
    await firstLine(owner);
    const orphan = postmasterPid();
    const shell = Number(/^PPid:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${orphan}/status`, 'utf8'))?.[1]);
    const children = fs.readFileSync(`/proc/${shell}/task/${shell}/children`, 'utf8').trim().split(' ').map(Number);
    for (const pid of [...children.filter((child) => child !== orphan), shell]) process.kill(pid, 'SIGKILL');
    await killOwner(owner);
    expect(isPostmaster(orphan, cluster())).toBe(true);
    const next = await start();
    expect(isPostmaster(orphan, cluster())).toBe(false);
    expect(await query(next.connection, 'select count(*)::int as rows from kept')).toEqual([{ rows: 3 }]);
    await next.stop();
  });

  test('an interrupted first start leaves nothing that disturbs the next', async () => {
    const fresh = path.join(base, 'fresh');
    fs.mkdirSync(fresh, { mode: 0o755 });
    const drafts = () =>
      (fs.existsSync(path.join(fresh, 'pg')) ? fs.readdirSync(path.join(fresh, 'pg')) : []).filter((name) => name.startsWith('cluster'));
    const owner = spawnOwner(fresh);
    await until(() => drafts().some((name) => fs.existsSync(path.join(fresh, 'pg', name, 'PG_VERSION'))));
    expect(drafts()).not.toContain('cluster');
    await killOwner(owner);
    const next = await start({ dataDir: fresh });
    expect(await query(next.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    await next.stop();
    expect(drafts()).toEqual(['cluster']);
  });
});

test('a PostgreSQL that is killed under its living owner comes back by itself, again and again', async () => {
  const { connection, stop } = await start();
  const lifelines = () => fs.readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isLifeline(commandLine(pid)));
  const isLifeline = (line: string) => line.startsWith('/bin/sh') && line.includes(`\0-D\0${cluster()}\0`);
  for (let round = 0; round < 2; round++) {
    const before = postmasterPid();
    process.kill(before, 'SIGKILL');
    await until(() => (postmaster() ?? before) !== before && isPostmaster(postmaster() ?? before, cluster()));
    await expect.poll(() => query(connection, 'select count(*)::int as rows from kept').catch(() => [])).toEqual([{ rows: 3 }]);
  }
  // The shell of the lifeline and its reader; none of the killed servers are left.
  if (process.platform === 'linux') await expect.poll(lifelines).toHaveLength(2);
  await stop();
  expect(postmaster()).toBeUndefined();
});

test('a stale process number that belongs to another program by now does not stop the start', async () => {
  const owner = spawnOwner(data);
  await firstLine(owner);
  const pid = postmasterPid();
  owner.kill('SIGSTOP');
  process.kill(pid, 'SIGKILL');
  await killOwner(owner);
  await until(() => !isPostmaster(pid, cluster()));
  const { uid, gid } = fs.statSync(cluster());
  // PostgreSQL itself refuses to start if the process with that id has the same user.
  const stranger = spawn('sleep', ['60'], { uid, gid });
  const pidFile = path.join(cluster(), 'postmaster.pid');
  fs.writeFileSync(pidFile, fs.readFileSync(pidFile, 'utf8').replace(/^\d+/, String(stranger.pid)));
  const next = await start();
  await next.stop();
  expect(stranger.exitCode).toBe(null);
  stranger.kill();
});

test('a refused setting fails with the words of PostgreSQL, and frees the directory', async () => {
  await expect(start({ settings: { shared_buffers: 'plenty' } })).rejects.toThrow('invalid value for parameter "shared_buffers"');
  await (await start()).stop();
});

test('a path too long for a socket gets a socket elsewhere, removed at the end', async () => {
  const long = path.join(base, 'long-'.repeat(20));
  fs.mkdirSync(long, { mode: 0o755 });
  const { connection, stop } = await start({ dataDir: long });
  expect(connection.host.startsWith(long)).toBe(false);
  expect(fs.statSync(connection.host).mode & 0o777).toBe(0o700);
  expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  await stop();
  expect(fs.existsSync(connection.host)).toBe(false);
});

test.runIf(isRoot && mayRunAs(nobody()))('another user than root runs it as itself', async () => {
  const own = path.join(base, 'own');
  // A user with a name, because initdb requires one.
  const { uid, gid } = nobody();
  fs.mkdirSync(own, { mode: 0o700 });
  fs.chownSync(own, uid, gid);
  const owner = spawnOwner(own, { uid, gid });
  const { connection, error } = await firstLine(owner);
  expect(error).toBeUndefined();
  expect(connection?.host).toBe(path.join(fs.realpathSync(own), 'pg'));
  owner.stdin.write('stop');
  expect(await once(owner, 'exit')).toEqual([0, null]);
});

/** Runs with only these of the machine's programs in the PATH. */
async function withPrograms(names: readonly string[], run: () => Promise<void>): Promise<void> {
  const programs = fs.mkdtempSync(path.join(base, 'programs-'));
  fs.chmodSync(programs, 0o755);
  for (const name of names)
    fs.symlinkSync(['/usr/bin', '/bin'].map((at) => path.join(at, name)).find(fs.existsSync) ?? name, path.join(programs, name));
  vi.stubEnv('PATH', programs);
  try {
    await run();
  } finally {
    vi.unstubAllEnvs();
  }
}
const ownersOf = (directory: string): Set<number> =>
  new Set(fs.readdirSync(directory, { recursive: true }).map((name) => fs.lstatSync(path.join(directory, String(name))).uid));
const renamed = 'unshare --user --map-user=65534 --map-group=65534 true';
const mayRename = isRoot && spawnSync('/bin/sh', ['-c', renamed], OWN_USER).status === 0;

test.runIf(mayRename)('its own user makes the cluster: nothing is copied from another', async () => {
  const own = path.join(base, 'made-by-itself');
  fs.mkdirSync(own, { mode: 0o755 });
  await withPrograms(['id', 'unshare', 'true'], async () => {
    const { connection, stop } = await start({ dataDir: own, isDurable: true });
    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    await stop();
  });
  expect(ownersOf(path.join(own, 'pg/cluster'))).toEqual(new Set([OWN_USER.uid]));
});

test.runIf(isRoot)('where it may have no namespace another makes the cluster, which is handed over', async () => {
  const own = path.join(base, 'made-by-nobody');
  fs.mkdirSync(own, { mode: 0o755 });
  await withPrograms(['id', 'cp'], async () => {
    const { connection, stop } = await start({ dataDir: own, isDurable: true });
    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    await stop();
  });
  expect(ownersOf(path.join(own, 'pg/cluster'))).toEqual(new Set([OWN_USER.uid]));
  expect(fs.statSync(path.join(own, 'pg')).mode & 0o777).toBe(0o700);
});
