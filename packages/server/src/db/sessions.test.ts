/** LISTEN and leader election through lost connections; both use the same session keeping. */
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { holdLock, type LockHolder } from './advisory-lock.ts';
import { tryLockFile, type DirectoryLock } from '#db/directory-lock.ts';
import { listen, type Listener } from './listen.ts';

let database: TestDatabase;
const running: (LockHolder | Listener)[] = [];
beforeAll(async () => {
  database = await testDatabase({ isEmpty: true });
});
afterEach(() => Promise.all(running.splice(0).map((each) => each.stop())));
afterAll(() => database.drop());

const sessions = async (name: string) =>
  (await database.pool.query<{ pid: number }>('select pid from pg_stat_activity where application_name = $1', [`slipway ${name}`])).rows;
const kill = (pid: number | undefined) => database.pool.query('select pg_terminate_backend($1)', [pid]);

describe('a listener', () => {
  async function startListener(channel: string) {
    const payloads: string[] = [];
    const reconnects: string[] = [];
    const listener = await listen(database.config, channel, (payload) => payloads.push(payload), {
      onReconnect: () => reconnects.push(channel),
    });
    running.push(listener);
    return { payloads, reconnects, listener };
  }
  const notify = (channel: string, payload: string) => database.pool.query('select pg_notify($1, $2)', [channel, payload]);

  test('hears its channel alone, in order', async () => {
    const { payloads } = await startListener('Boats');
    await notify('boats', 'other channel');
    await notify('Boats', 'one');
    await notify('Boats', '');
    await expect.poll(() => payloads).toEqual(['one', '']);
  });

  test('says that it may have missed something, and hears again, after a lost connection', async () => {
    const { payloads, reconnects } = await startListener('lost');
    expect(reconnects).toEqual([]);
    await kill((await sessions('listen lost'))[0]?.pid);
    await expect.poll(() => reconnects).toEqual(['lost']);
    await notify('lost', 'after');
    await expect.poll(() => payloads).toEqual(['after']);
  });

  test('is gone when it was stopped', async () => {
    const { listener } = await startListener('stopped');
    await listener.stop();
    expect(await sessions('listen stopped')).toEqual([]);
  });
});

describe('a lock', () => {
  function seek(
    key: string,
    name: string,
    events: string[],
    more: { fence?: () => DirectoryLock | undefined; host?: string } = {},
  ): LockHolder {
    const { host = database.config.host, ...options } = more;
    const holder = holdLock({ ...database.config, host }, key, {
      pollMs: 50,
      onAcquired: () => events.push(`${name} acquired`),
      onInterrupted: () => events.push(`${name} interrupted`),
      onLost: () => events.push(`${name} lost`),
      ...options,
    });
    running.push(holder);
    return holder;
  }
  // pg_locks shows all databases of the server.
  const holders = `select pid from pg_locks join pg_database d on d.oid = database and datname = current_database() where locktype = 'advisory' and granted`;
  const holderPid = async () => (await database.pool.query<{ pid: number }>(holders)).rows[0]?.pid;

  test('has one holder; who cannot get it back because another has it has lost it', async () => {
    const events: string[] = [];
    const first = seek('leader', 'first', events);
    await expect.poll(() => first.isHeld()).toBe(true);
    // Waits for the lock and takes it the moment it is free.
    const thief = await database.pool.connect();
    const taken = thief.query(`select pg_advisory_lock(hashtextextended('leader', 0))`);
    await kill(await holderPid());
    await taken;
    await expect.poll(() => events).toEqual(['first acquired', 'first interrupted', 'first lost']);
    expect(first.isHeld()).toBe(false);
    thief.release(true);
    await expect.poll(() => events).toEqual(['first acquired', 'first interrupted', 'first lost', 'first acquired']);
  });

  test('that nobody took meanwhile is no loss', async () => {
    const events: string[] = [];
    const holder = seek('again', 'only', events);
    await expect.poll(() => holder.isHeld()).toBe(true);
    await kill(await holderPid());
    await expect.poll(() => events).toEqual(['only acquired', 'only interrupted', 'only acquired']);
  });

  test('goes back to the one of the machine who has the fence, however many wait', async () => {
    const events: string[] = [];
    const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-fence-')), 'lock');
    const first = seek('fenced', 'first', events, { fence: () => tryLockFile(file) });
    await expect.poll(() => first.isHeld()).toBe(true);
    const second = seek('fenced', 'second', events, { fence: () => tryLockFile(file) });
    await expect.poll(() => sessions('lock fenced')).toHaveLength(2);
    for (let round = 1; round <= 5; round++) {
      await kill(await holderPid());
      await expect.poll(() => events.filter((event) => event === 'first interrupted')).toHaveLength(round);
      await expect.poll(() => first.isHeld(), { interval: 10 }).toBe(true);
    }
    expect(events).not.toContain('second acquired');
    await first.stop();
    await expect.poll(() => second.isHeld()).toBe(true);
    fs.rmSync(path.dirname(file), { recursive: true });
  });

  test('that the server still counts for a session of ours that broke off is taken back', async () => {
    const events: string[] = [];
    const cut = await cuttable(database.config.host);
    const holder = seek('ghost', 'only', events, { host: cut.host });
    await expect.poll(() => holder.isHeld()).toBe(true);
    const before = await holderPid();
    // The server does not notice.
    cut.cut();
    await expect.poll(() => events).toEqual(['only acquired', 'only interrupted', 'only acquired']);
    expect(await holderPid()).not.toBe(before);
    await holder.stop();
    await cut.close();
  });

  test('goes to the other when the holder stops, who does not hear of a loss', async () => {
    const events: string[] = [];
    const first = seek('handover', 'first', events);
    await expect.poll(() => first.isHeld()).toBe(true);
    const second = seek('handover', 'second', events);
    await first.stop();
    expect(first.isHeld()).toBe(false);
    await expect.poll(() => second.isHeld()).toBe(true);
    expect(events).toEqual(['first acquired', 'second acquired']);
  });

  test('is free the moment stop() resolves', async () => {
    const holder = seek('freed', 'only', []);
    await expect.poll(() => holder.isHeld()).toBe(true);
    await holder.stop();
    expect(await holderPid()).toBeUndefined();
  });

  test('under another name is another lock', async () => {
    const events: string[] = [];
    const both = [seek('one', 'one', events), seek('two', 'two', events)];
    await expect.poll(() => both.every((holder) => holder.isHeld())).toBe(true);
  });
});

/** Makes a socket in front of PostgreSQL that can cut off its clients while the server's side stays open. */
async function cuttable(behind: string) {
  const host = fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-cut-'));
  const clients = new Set<net.Socket>();
  const servers = new Set<net.Socket>();
  const door = net.createServer((client) => {
    const server = net.connect(path.join(behind, '.s.PGSQL.5432'));
    clients.add(client);
    servers.add(server);
    for (const socket of [client, server]) socket.on('error', () => {});
    client.pipe(server, { end: false });
    server.pipe(client);
  });
  await new Promise<void>((resolve) => door.listen(path.join(host, '.s.PGSQL.5432'), resolve));
  return {
    host,
    cut: () => clients.forEach((client) => client.destroy()),
    async close() {
      for (const socket of [...clients, ...servers]) socket.destroy();
      await new Promise((resolve) => door.close(resolve));
      fs.rmSync(host, { recursive: true });
    },
  };
}
