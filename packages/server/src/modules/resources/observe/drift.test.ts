/** Drift of a made-up entity on a real database: saved unless outdated, shown with its age, and settled by a plan. */
import { declareKind } from '@slipway/contract/kernel/subject.ts';
import { appKind } from '@slipway/contract/kinds/application.kind.ts';
import { createClient } from '#db/connections.ts';
import { CHANGE_CHANNEL } from '#kernel/changes.ts';
import { PortFailure } from '#ports/failure.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { compareEach, latestDrift, observeNow, type ComparedRow, type ComparisonTable, type Drift } from './drift.ts';

interface Ship extends ComparedRow {
  readonly size: number;
}
interface Seen {
  readonly drift: Drift;
}
let database: TestDatabase;
let listener: pg.Client;
const hints: unknown[] = [];
beforeAll(async () => {
  database = await testDatabase();
  await database.pool.query(`
    create table ship (id text primary key, app_id text, environment text, name text, state text, size integer, drift jsonb);
    create table ship_watch (ship_id text primary key, watched_at timestamptz, compared_at timestamptz);
    create table raft (id text primary key, app_id text, environment text, name text, state text, size integer);
    create table raft_watch (raft_id text primary key, watched_at timestamptz, compared_at timestamptz, drift jsonb)`);
  listener = createClient(database.config);
  await listener.connect();
  listener.on('notification', ({ payload = '' }) => hints.push(JSON.parse(payload)));
  await listener.query(`listen ${CHANGE_CHANNEL}`);
});
afterAll(async () => {
  await listener?.end();
  await database?.drop();
});

const kind = declareKind({
  kind: 'ship',
  label: 'Ship',
  plural: 'Ships',
  under: appKind,
  names: ['env', 'ship'],
  access: 'signedIn',
  shownBy: ['ship'],
});
const shared = { kind, wanted: ['size'], results: ['drift'] } as const;
const forms: Record<string, ComparisonTable<Ship, Seen>> = {
  ship: { ...shared, table: 'ship', beside: { table: 'ship_watch', key: 'ship_id' }, resultsIn: 'table' },
  raft: { ...shared, table: 'raft', beside: { table: 'raft_watch', key: 'raft_id' }, resultsIn: 'beside' },
};
const driftOf = (theirs: string): Drift => ({
  differences: [{ name: 'size', ours: '1', theirs, canRepair: true, canAdopt: false }],
  same: [],
});

describe.each(Object.entries(forms))('comparisons of the table %s', (table, form) => {
  const query = <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) =>
    database.pool.query<Row>(text.replaceAll('TABLE', table), [...values]);
  const rows = async (): Promise<Ship[]> =>
    (
      await query<Ship>(
        `select TABLE.*, compared_at, drift from TABLE left join TABLE_watch on TABLE_id = id where app_id = 'berth' order by id`,
      )
    ).rows;
  const row = async (id: string): Promise<Ship> => (await rows()).find((one) => one.id === id)!;
  const observe = (read: readonly Ship[], compare: (one: Ship) => Promise<Drift> = async () => driftOf('2')) =>
    compareEach(database.db, form, read, async (one) => ({ drift: await compare(one) }));
  beforeEach(async () => {
    await query('truncate TABLE, TABLE_watch');
    await query(`insert into TABLE (id, app_id, environment, name, state, size)
      select id, 'berth', 'production', 'the-' || id, 'ACTIVE', 1 from unnest('{a,b,c}'::text[]) id`);
    await listener.query('select 1');
    hints.length = 0;
  });

  test('are saved with their time, and viewers are notified of new differences alone', async () => {
    expect(await observe(await rows())).toBe(true);
    expect((await rows()).map(({ drift, compared_at: at }) => [drift, at instanceof Date])).toEqual(Array(3).fill([driftOf('2'), true]));
    const hint = (name: string) => ({ kind: 'ship', app: 'berth', env: 'production', ship: `the-${name}` });
    await vi.waitFor(() => expect(hints).toEqual(['a', 'b', 'c'].map(hint)));
    expect(await observe(await rows(), async ({ id }) => driftOf(id === 'b' ? '3' : '2'))).toBe(true);
    await vi.waitFor(() => expect(hints.slice(3)).toEqual([hint('b')]));
  });

  test('a row that fails does not stop the others; an outage stops at once and keeps the results so far', async () => {
    const failing = (error: Error) => observe([...again], async ({ id }) => (id === 'b' ? Promise.reject(error) : driftOf('2')));
    let again = await rows();
    await expect(failing(new Error('b is bad'))).rejects.toThrow('b is bad');
    expect((await rows()).map(({ drift }) => drift !== null)).toEqual([true, false, true]);
    await query('delete from TABLE_watch');
    again = await rows();
    await expect(failing(new PortFailure('unavailable', 'away'))).rejects.toThrow('away');
    expect((await rows()).map(({ compared_at: at }) => at !== null)).toEqual([true, false, false]);
  });

  test('of a row that was changed, deleted or compared since are dropped', async () => {
    await observe(await rows());
    const read = await rows();
    await query(`update TABLE set size = 7 where id = 'a'`);
    await query(`update TABLE set state = 'DELETING' where id = 'b'`);
    expect(await observe([await row('c')], async () => driftOf('4'))).toBe(true);
    expect(await observe(read, async () => driftOf('3'))).toBe(false);
    expect((await rows()).map(({ drift }) => drift?.differences[0]?.theirs)).toEqual(['2', '2', '4']);
    await query(`update TABLE set state = 'ACTIVE'`);
    await query(`delete from TABLE where id = 'b'`);
    expect(await observe(read, async () => driftOf('5'))).toBe(false);
    expect((await rows()).map(({ id }) => id)).toEqual(['a', 'c']);
  });

  test('of two at the same time only one is saved, and comparing now tries again', async () => {
    const [one, other] = [await row('a'), await row('a')];
    const saved = await Promise.all([observe([one], async () => driftOf('8')), observe([other], async () => driftOf('9'))]);
    expect(saved.toSorted()).toEqual([false, true]);
    let reads = 0;
    const read = async (): Promise<Ship> => {
      const found = await row('a');
      reads += 1;
      // Someone else is faster, once.
      if (reads === 1) await observe([found], async () => driftOf('5'));
      return found;
    };
    await observeNow(read, (found) => observe(found, async () => driftOf('6')));
    expect(reads).toBe(2);
    expect((await row('a')).drift).toEqual(driftOf('6'));
  });

  test('are shown with their age, made again after a minute, and marked while an engine is away', async () => {
    const read = () => row('a');
    const shown = async (compare: () => Promise<Drift>) => latestDrift(read, (found) => observe(found, compare));
    const never = () => Promise.reject(new Error('not needed'));
    const first = await shown(async () => driftOf('2'));
    expect(first).toMatchObject({ ...driftOf('2'), isStale: false, comparedAt: expect.any(String) });
    expect(await shown(never)).toEqual(first);
    await query(`update TABLE_watch set compared_at = compared_at - interval '61 seconds'`);
    expect(await shown(() => Promise.reject(new PortFailure('unavailable', 'away')))).toMatchObject({ ...driftOf('2'), isStale: true });
    await expect(shown(never)).rejects.toThrow('not needed');
    expect(await shown(async () => driftOf('3'))).toMatchObject({ ...driftOf('3'), isStale: false });
    await query(`update TABLE_watch set compared_at = null`);
    await query(`update TABLE set state = 'CREATING'`);
    expect(await shown(never)).toMatchObject({ comparedAt: null, isStale: false });
  });
});

test('a row without changes is not written again', async () => {
  await database.pool.query(
    `insert into ship (id, app_id, environment, name, state, size) values ('x', 'other', 'production', 'x', 'ACTIVE', 1)`,
  );
  const look = async () => {
    const { rows } = await database.pool.query<Ship & { xmin: string }>(
      `select ship.xmin::text, ship.*, compared_at from ship left join ship_watch on ship_id = id where id = 'x'`,
    );
    await compareEach(database.db, forms['ship']!, rows, async () => ({ drift: driftOf('2') }));
    return rows[0]?.xmin;
  };
  await look();
  const before = await look();
  expect(await look()).toBe(before);
});
