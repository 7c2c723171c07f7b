/** Batches, counts and partitions on the database: two replicas at once, limits on names, and retention. */
import fs from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Monitor } from '@slipway/contract/monitoring/monitor.ts';
import { maxErrors } from '@slipway/contract/monitoring/readings.ts';
import { KnownMonitors, type KnownMonitor } from './known-monitors.ts';
import { KnownNames, OTHER } from './known-names.ts';
import { failure, monitorWorld, payloadOf, vital, type MonitorWorld } from './monitors.fixture.ts';
import { monitorPartitions } from './partitions.ts';
import { PayloadWriter } from './payload-writer.ts';
import { readPayload } from './payload.ts';
import { foldCounts, tidy } from './rounds.sql.ts';

const DAY_MS = 86_400_000;
let world: MonitorWorld;
beforeAll(async () => {
  world = await monitorWorld({ isWorker: false });
});
afterAll(() => world?.app.close());

const known = async ({ appKey }: Monitor): Promise<KnownMonitor> => {
  const found = await new KnownMonitors(world.app.database.pool).find(appKey);
  if (!found || found === 'busy') throw new Error('There is no such monitor');
  return found;
};
const replica = (): PayloadWriter => new PayloadWriter(world.app.database.pool, new KnownNames());
const write = (writer: PayloadWriter, monitor: KnownMonitor, payload: object) => {
  const now = new Date();
  const read = readPayload(payload, monitor, now);
  if (!read) throw new Error('This is no payload');
  return writer.write({ monitor, payload: read, receivedAt: now });
};
const one = async (query: string, values: unknown[] = []): Promise<Record<string, unknown> | undefined> =>
  (await world.app.database.pool.query<Record<string, unknown>>(query, values)).rows[0];

test('two replicas that write the same sessions and errors lose no count', async () => {
  const monitor = await known(await world.make('replicas'));
  const writers = [replica(), replica()];
  const work = Array.from({ length: 400 }, (_, index) => {
    const writer = writers[index % 2] ?? replica();
    const payload = payloadOf(`r-${index % 7}`, {
      exceptions: [failure(`boom ${index}`), failure('Another one')],
      measurements: [vital('lcp', 100 + index)],
    });
    return write(writer, monitor, payload);
  });
  expect(new Set(await Promise.all(work))).toEqual(new Set(['valid']));
  // Two workers at once: each row is added once.
  while ((await Promise.all([foldCounts(world.app.database.db), foldCounts(world.app.database.db)])).some(Boolean));
  await foldCounts(world.app.database.db);
  const where = 'monitor_id = $1';
  expect(await one(`select count(*)::integer as events from monitor_event where ${where}`, [monitor.id])).toEqual({ events: 1200 });
  expect(
    await one(`select count(*)::integer as sessions, sum(errors)::integer as errors from monitor_session where ${where}`, [monitor.id]),
  ).toEqual({ sessions: 7, errors: 800 });
  expect(await one(`select count(*)::integer as groups, sum(n)::integer as n from monitor_error where ${where}`, [monitor.id])).toEqual({
    groups: 2,
    n: 800,
  });
  const counts = `select sum(n) filter (where metric = 'LCP')::integer as lcp, sum(n) filter (where metric = 'ERROR')::integer as errors,
    sum(n) filter (where metric = 'SESSION')::integer as sessions from monitor_count where ${where} and dimension = '' and step = `;
  for (const step of ['HOUR', 'DAY'])
    expect(await one(`${counts} '${step}'`, [monitor.id])).toEqual({ lcp: 400, errors: 800, sessions: 7 });
  expect(await one(`select count(*)::integer as left from monitor_count_new where ${where}`, [monitor.id])).toEqual({ left: 0 });
});

test('counts names beyond the limit together', async () => {
  const monitor = await known(await world.make('names'));
  const writer = replica();
  const letters = (index: number): string => index.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? '');
  for (let index = 0; index < 250; index++) {
    const payload = payloadOf('n', { measurements: [vital('lcp', 100)] });
    void write(writer, monitor, {
      ...payload,
      meta: { ...(payload['meta'] as object), page: { url: `https://a.example/${letters(index)}` } },
    });
  }
  const exceptions = Array.from({ length: 200 }, (_, index) => index);
  for (let turn = 0; turn < 6; turn++)
    await write(
      writer,
      monitor,
      payloadOf('n', { exceptions: exceptions.map((index) => failure(letters(index), { fingerprint: `${turn}-${index}` })) }),
    );
  await foldCounts(world.app.database.db);
  const { rows } = await world.app.database.pool.query<{ name: string; n: number }>(
    `select name, sum(n)::integer as n from monitor_count where monitor_id = $1 and dimension = 'page' and metric = 'LCP' and step = 'DAY' group by name`,
    [monitor.id],
  );
  expect(rows).toHaveLength(201);
  expect(rows.find(({ name }) => name === OTHER)?.n).toBe(50);
  expect(
    await one('select count(*)::integer as groups, sum(n)::integer as n from monitor_error where monitor_id = $1', [monitor.id]),
  ).toEqual({ groups: maxErrors + 1, n: 1200 });
});

test('cuts texts between characters, so that the database takes them', async () => {
  const monitor = await known(await world.make('cuts'));
  // The culprit is cut after 400 characters, in the middle of an emoji.
  for (let shift = 0; shift < 2; shift++) {
    const frame = { filename: `${'f'.repeat(250 + shift)}\u0000`, function: '😀'.repeat(99), lineno: 1, colno: 1 };
    const read = readPayload(payloadOf('c', { exceptions: [failure('boom', { stacktrace: { frames: [frame] } })] }), monitor, new Date());
    expect(read?.events[0]?.error?.culprit).toHaveLength(400);
    expect(read && JSON.stringify(read)).not.toMatch(/\\ud8|\\u0000/);
  }
});

test('a payload that the database rejects fails alone, and its names are forgotten', async () => {
  const monitor = await known(await world.make('poison'));
  const writer = replica();
  const read = (index: number, more: object) => {
    const payload = readPayload(payloadOf(`p-${index}`, { measurements: [vital('lcp', 1)] }), monitor, new Date());
    if (!payload) throw new Error('This is no payload');
    return writer.write({ monitor, payload: { ...payload, ...more }, receivedAt: new Date() });
  };
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) => read(index, index === 7 ? { browser: '\ud83d', page: '/poison' } : { page: '/fine' })),
  );
  expect(results.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([7]);
  const names = async () =>
    (
      await world.app.database.pool.query<{ name: string }>(
        `select name from monitor_name where monitor_id = $1 and dimension = 'page' order by 1`,
        [monitor.id],
      )
    ).rows.map(({ name }) => name);
  expect(await names()).toEqual(['/fine']);
  await read(30, { page: '/poison' });
  expect(await names()).toEqual(['/fine', '/poison']);
});

test('a monitor that is deleted meanwhile does not hold up the batch of another one', async () => {
  const [gone, kept] = [await known(await world.make('gone')), await known(await world.make('kept'))];
  await world.app.database.pool.query('delete from monitor where id = $1', [gone.id]);
  const writer = replica();
  const stored = await Promise.all([
    write(writer, gone, payloadOf('g')),
    write(writer, kept, payloadOf('k', { measurements: [vital('lcp', 1)] })),
  ]);
  expect(stored).toEqual(['gone', 'valid']);
});

test('makes a missing partition, and drops those whose retention has passed', async () => {
  const { pool } = world.app.database;
  const partitions = async (): Promise<string[]> =>
    (
      await pool.query<{ relname: string }>(
        `select relname from pg_class where relispartition and relkind = 'r' and relname like 'monitor_event_%' order by 1`,
      )
    ).rows.map(({ relname }) => relname);
  const before = await partitions();
  expect(before).toHaveLength(15);
  await pool.query(`drop table ${before.join(', ')}`);
  const monitor = await known(await world.make('parts', { retentionDays: 7 }));
  expect(await write(replica(), monitor, payloadOf('p', { measurements: [vital('lcp', 1)] }))).toBe('valid');
  expect(await partitions()).toEqual(before);
  await monitorPartitions.ensure(pool, new Date(Date.now() - 40 * DAY_MS));
  expect(await partitions()).toHaveLength(30);
  await monitorPartitions.dropOld(pool, new Date());
  // Ninety days have not passed for five of them.
  expect(await partitions()).toHaveLength(20);
  await monitorPartitions.dropOld(pool, new Date(Date.now() + 12 * DAY_MS));
  expect((await partitions()).filter((name) => name.startsWith('monitor_event_7_'))).toEqual([]);
  expect(await one('select count(*)::integer as n from monitor_event where monitor_id = $1', [monitor.id])).toEqual({ n: 0 });
});

test('deletes what is older than the retention of its monitor', async () => {
  const { pool } = world.app.database;
  const [week, quarter] = [
    await known(await world.make('week', { retentionDays: 7 })),
    await known(await world.make('quarter', { retentionDays: 90 })),
  ];
  for (const monitor of [week, quarter]) await write(replica(), monitor, payloadOf('old', { exceptions: [failure('boom')] }));
  await pool.query(`update monitor_session set last_at = now() - interval '8 days'`);
  await pool.query(`update monitor_error set last_at = now() - interval '8 days'`);
  await pool.query('update monitor_error_user set last_on = current_date - 8');
  await tidy(world.app.database);
  const left = `select (select count(*)::integer from monitor_session where monitor_id = $1) as sessions, (select count(*)::integer from monitor_error where monitor_id = $1) as errors,
    (select count(*)::integer from monitor_error_user where monitor_id = $1) as users`;
  expect(await one(left, [week.id])).toEqual({ sessions: 0, errors: 0, users: 0 });
  expect(await one(left, [quarter.id])).toEqual({ sessions: 1, errors: 1, users: 1 });
});

test('finds the events of monitors that were deleted with their app in former versions', async () => {
  const { pool } = world.app.database;
  const monitor = await known(await world.make('present'));
  await pool.query(
    `insert into monitor_event select id, 90, now(), '', 'LOG', '', '', '', null, null, '' from unnest(array['mon_00', 'mon_00', 'mon_zz', $1]) id`,
    [monitor.id],
  );
  const migration = fs.readFileSync(new URL('../../../migrations/0084_monitor_gone.sql', import.meta.url), 'utf8');
  await pool.query(migration.slice(migration.indexOf('with recursive')));
  const { rows } = await pool.query<{ id: string }>('select monitor_id as id from monitor_gone order by 1');
  expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining(['mon_00', 'mon_zz']));
  expect(rows.map(({ id }) => id)).not.toContain(monitor.id);
});
