/** LISTEN and leadership through lost connections; the two share their session keeping. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { holdLock, type LockHolder } from './advisory-lock.ts';
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
  function seek(key: string, name: string, events: string[]): LockHolder {
    const holder = holdLock(database.config, key, {
      pollMs: 50,
      onAcquired: () => events.push(`${name} acquired`),
      onLost: () => events.push(`${name} lost`),
    });
    running.push(holder);
    return holder;
  }
  // pg_locks shows every database of the server.
  const holders = `select pid from pg_locks join pg_database d on d.oid = database and datname = current_database() where locktype = 'advisory' and granted`;
  const holderPid = async () => (await database.pool.query<{ pid: number }>(holders)).rows[0]?.pid;

  test('has one holder; when its session is killed the other takes over within 2 s', async () => {
    const events: string[] = [];
    // A replica that loses its leadership leaves; otherwise it could win the lock back before the other asks.
    const first = holdLock(database.config, 'leader', {
      onAcquired: () => events.push('first acquired'),
      onLost: () => {
        events.push('first lost');
        void first.stop();
      },
    });
    running.push(first);
    await expect.poll(() => first.isHeld()).toBe(true);
    const second = seek('leader', 'second', events);
    await expect.poll(() => sessions('lock leader')).toHaveLength(2);
    expect(second.isHeld()).toBe(false);
    const killedAt = performance.now();
    await kill(await holderPid());
    await expect.poll(() => second.isHeld(), { interval: 10, timeout: 3000 }).toBe(true);
    expect(performance.now() - killedAt).toBeLessThan(2000);
    expect(events).toEqual(['first acquired', 'first lost', 'second acquired']);
  });

  test('is sought again by the one who lost it', async () => {
    const events: string[] = [];
    const holder = seek('again', 'only', events);
    await expect.poll(() => holder.isHeld()).toBe(true);
    await kill(await holderPid());
    await expect.poll(() => events).toEqual(['only acquired', 'only lost', 'only acquired']);
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
