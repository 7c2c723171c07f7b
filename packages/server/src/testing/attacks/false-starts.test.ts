// @long: waits for limits, or starts programs
/** Starts the program where it cannot work: it must end, name what is wrong in a sentence, and leave everything as it was. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '#testing/free-port.ts';
import { testDatabase, type TestDatabase } from '../database.ts';
import { Program, removeData } from '../program.ts';

let base: string;
beforeAll(() => {
  base = fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-starts-'));
  fs.chmodSync(base, 0o755);
});
afterAll(() => fs.rmSync(base, { recursive: true, force: true }));

const newDirectory = (): string => fs.mkdtempSync(path.join(base, 'data-'));

/** Returns what the program printed, without the stack trace of Program. Throws if the program starts. */
async function refused(env: Record<string, string>): Promise<string> {
  const port = await freePort();
  const started = Program.start(port, { SLIPWAY_INGRESS_PORT: String(await freePort()), SLIPWAY_DATA: newDirectory(), ...env });
  const outcome = await started.catch((error: unknown) => String(error));
  if (typeof outcome === 'string') return outcome;
  await outcome.end('SIGTERM');
  throw new Error(`It started: ${outcome.output}`);
}

const STACK = /^\s+at /m;

/** The node agent is started beside the checks: that it was there, and what it said, is no state. */
const ofAgent = ['agent.lock.pid', 'agent.log'];

/** Everything below a directory, with what is in it. */
const snapshot = (directory: string): Record<string, string> =>
  Object.fromEntries(
    fs
      .readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => (entry.isFile() || entry.isSymbolicLink()) && !ofAgent.includes(entry.name))
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((file) => [file, fs.lstatSync(file).isSymbolicLink() ? fs.readlinkSync(file) : fs.readFileSync(file, 'latin1')]),
  );

const write = (directory: string, file: string, text = 'x'): void => {
  fs.mkdirSync(path.dirname(path.join(directory, file)), { recursive: true });
  fs.writeFileSync(path.join(directory, file), text, { mode: 0o600 });
};
const writeKey = (directory: string): void => write(directory, 'keys/1.key', `${randomBytes(32).toString('base64')}\n`);

describe('a restore that forgot', () => {
  test.each([
    ['the database', (data: string) => writeKey(data), ['keys', 'Restore', 'pg', 'back-up-and-restore']],
    ['the database, and has repositories', (data: string) => write(data, 'git/berth/berth.git/HEAD'), ['git (repositories)']],
    [
      'nothing, but did not come to its end',
      (data: string) => write(data, 'restore-unfinished'),
      ['has not come to its end', 'slipway restore', 'back-up-and-restore'],
    ],
    ['the database, and has images', (data: string) => write(data, 'registry/blobs/sha256/aa/aa11'), ['registry (images)']],
  ])('%s', async (_name, prepare, texts) => {
    const data = newDirectory();
    prepare(data);
    const before = snapshot(data);
    const output = await refused({ SLIPWAY_DATA: data });
    for (const text of texts) expect(output).toContain(text);
    expect(output).not.toMatch(STACK);
    expect(snapshot(data)).toEqual(before);
  });

  test('the directory that `pg` links to', async () => {
    const data = newDirectory();
    const target = path.join(base, 'moved/away-3f2a');
    fs.symlinkSync(target, path.join(data, 'pg'));
    const before = snapshot(data);
    const output = await refused({ SLIPWAY_DATA: data });
    expect(output).toContain(target);
    expect(output).toContain('Restore that directory');
    expect(output).not.toMatch(STACK);
    expect(snapshot(data)).toEqual(before);
  });

  test('what an own PostgreSQL belongs to: it is empty', async () => {
    const data = newDirectory();
    writeKey(data);
    const database = await testDatabase({ isEmpty: true });
    const output = await refused({ SLIPWAY_DATA: data, DATABASE_URL: database.url });
    expect(output).toContain('The database is empty');
    expect(output).not.toMatch(STACK);
    expect((await database.pool.query("select 1 from pg_class where relnamespace = 'public'::regnamespace")).rows).toEqual([]);
    expect(fs.readdirSync(data)).toEqual(['keys']);
    await database.drop();
  });
});

test('a machine without git', async () => {
  const data = path.join(base, 'without-git');
  const output = await refused({ SLIPWAY_DATA: data, PATH: base });
  expect(output).toContain('there is none on the PATH. Install git 2.32 or newer');
  expect(output).not.toMatch(STACK);
  expect(fs.existsSync(data)).toBe(false);
});

describe('a platform of which a part is gone', () => {
  let data: string;
  let database: TestDatabase;
  beforeAll(async () => {
    data = newDirectory();
    database = await testDatabase();
    const program = await Program.start(await freePort(), {
      SLIPWAY_DATA: data,
      SLIPWAY_INGRESS_PORT: String(await freePort()),
      DATABASE_URL: database.url,
    });
    await program.makeTeam();
    expect((await program.ended(await program.quickstart('berth-one'))).status.state).toBe('COMPLETED');
    expect(await program.end('SIGTERM')).toBe(0);
    // An orderly end is no failure, whatever it breaks off.
    expect(program.output).not.toContain('"level":50');
  });
  afterAll(() => database.drop());

  test.each([['keys'], ['git'], ['registry']])('%s', async (name) => {
    const away = path.join(base, `away-${name}`);
    fs.renameSync(path.join(data, name), away);
    const before = snapshot(data);
    const output = await refused({ SLIPWAY_DATA: data, DATABASE_URL: database.url });
    expect(output).toContain(path.join(data, name));
    expect(output).toContain('Restore');
    expect(output).not.toMatch(STACK);
    expect(snapshot(data)).toEqual(before);
    fs.rmSync(path.join(data, name), { recursive: true, force: true });
    fs.renameSync(away, path.join(data, name));
  });

  test('a key that is another one', async () => {
    const kept = fs.readFileSync(path.join(data, 'keys/1.key'));
    writeKey(data);
    const output = await refused({ SLIPWAY_DATA: data, DATABASE_URL: database.url });
    expect(output).toContain('is not in the keys directory');
    expect(output).not.toMatch(STACK);
    fs.writeFileSync(path.join(data, 'keys/1.key'), kept);
  });

  test('whole again, it starts', async () => {
    const program = await Program.start(await freePort(), {
      SLIPWAY_DATA: data,
      SLIPWAY_INGRESS_PORT: String(await freePort()),
      DATABASE_URL: database.url,
    });
    expect(await program.end('SIGTERM')).toBe(0);
  });
});

describe('values that cannot be meant', () => {
  test.each([
    [{ PORT: '' }, 'PORT: must be a port'],
    [{ SLIPWAY_PUBLIC_URL: 'ftp://x/y' }, 'SLIPWAY_PUBLIC_URL: must be'],
    [{ DATABASE_URL: 'mysql://localhost/x' }, 'DATABASE_URL: must be'],
    [{ SLIPWAY_DATA: '/proc/nothing' }, 'SLIPWAY_DATA: /proc/nothing cannot be used'],
    [{ SLIPWAY_DATA: '/dev/null/data' }, 'SLIPWAY_DATA: /dev/null/data cannot be used: there is a file in the way'],
    [{ SLIPWAY_DATA: '/etc/hostname' }, 'SLIPWAY_DATA: /etc/hostname cannot be used: it is a file'],
    [{ HOST: '203.0.113.1', SLIPWAY_ALLOW_FILE_KEYS: 'yes', SLIPWAY_ALLOW_HOST_RUNTIME: 'yes' }, 'HOST must be an address of this machine'],
  ])('%j', async (env, text) => {
    const output = await refused(env as Record<string, string>);
    expect(output).toContain(text);
    expect(output).not.toMatch(STACK);
  });

  test.runIf(process.getuid?.() === 0 && process.platform === 'linux')('a data directory on a read-only file system', async () => {
    const place = newDirectory();
    try {
      execFileSync('/bin/mount', ['-t', 'tmpfs', '-o', 'ro', 'slipway-test', place], { stdio: 'ignore' });
    } catch {
      return; // No right to mount: nothing to try.
    }
    const output = await refused({ SLIPWAY_DATA: path.join(place, 'data') }).finally(() => execFileSync('/bin/umount', [place]));
    expect(output).toContain('SLIPWAY_DATA');
    expect(output).toContain('read-only');
    expect(output).not.toMatch(STACK);
  });

  test('a database that does not answer, and one that refuses', async () => {
    const closed = `postgres://slipway:geheim@localhost:${await freePort()}/slipway`;
    const database = await testDatabase({ isEmpty: true });
    const wrong = database.url.replace(/:[0-9a-f]{64}@/, ':geheim@');
    const [unreachable, refusal] = await Promise.all([refused({ DATABASE_URL: closed }), refused({ DATABASE_URL: wrong })]);
    expect(unreachable).toMatch(/DATABASE_URL: the database slipway at localhost:\d+ did not answer for 20 seconds: connect ECONNREFUSED/);
    expect(refusal).toMatch(/DATABASE_URL: the database test_\w+ at \S+ refuses the connection: password authentication failed/);
    for (const output of [unreachable, refusal]) {
      expect(output).not.toMatch(STACK);
      expect(output).not.toContain('geheim');
    }
    await database.drop();
  });
});

describe('an older version', () => {
  const newer = 'Slipway 9.1.0 (schema 9000_future)';

  test('on the data directory of a newer one says which is which, and changes nothing', async () => {
    const data = newDirectory();
    write(data, 'version.json', JSON.stringify({ version: '9.1.0', migration: '9000_future' }));
    const before = snapshot(data);
    const said = await refused({ SLIPWAY_DATA: data });
    expect(said).toContain(`The data directory ${data} was used by ${newer}, and this is the older Slipway 0.1.0 (schema 0`);
    expect(said).not.toMatch(STACK);
    expect(snapshot(data)).toEqual(before);
  });

  test('on the database of a newer one says which is which', async () => {
    const database = await testDatabase();
    await database.pool.query(`insert into schema_migration (number, name, checksum) values (9000, '9000_future', 'x')`);
    await database.pool.query(`insert into platform_state (version, migration, settings) values ('9.1.0', '9000_future', '{}')`);
    const said = await refused({ DATABASE_URL: database.url });
    expect(said).toContain(`The database was used by ${newer}, and this is the older Slipway 0.1.0 (schema 0`);
    expect(said).not.toMatch(STACK);
    await database.drop();
  });
});

test('a platform whose edge cannot listen is not ready, says why, and is when it can', async () => {
  const ingressPort = await freePort();
  const other = net.createServer();
  await new Promise<void>((resolve) => other.listen(ingressPort, '127.0.0.1', resolve));
  const data = newDirectory();
  const program = await Program.start(await freePort(), { SLIPWAY_DATA: data, SLIPWAY_INGRESS_PORT: String(ingressPort) });
  const readiness = async () => {
    const answer = await fetch(`http://127.0.0.1:${program.port}/readyz`);
    return [answer.status, ((await answer.json()) as { checks: Record<string, string> }).checks['services']];
  };
  await expect.poll(readiness).toEqual([503, expect.stringContaining(String(ingressPort))]);
  expect(program.output).toContain(`cannot listen on 127.0.0.1:${ingressPort}`);
  await new Promise((resolve) => other.close(resolve));
  await expect.poll(readiness).toEqual([200, 'ok']);
  await program.end('SIGTERM');
  await removeData(data);
});
