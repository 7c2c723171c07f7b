/** The watch loop with a made-up entity on a real database: every due row once, whatever fails, and nothing after a stop. */
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { errorMessage } from '#kernel/caught.ts';
import type { Rounds } from '#kernel/rounds.ts';
import { PortFailure } from '#ports/failure.ts';
import type { Log } from '#ports/log.ts';
import { PATIENCE_MS } from '#testing/patience.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { MemoryManaged } from '#ports/managed.fixture.ts';
import { claimDue } from './claim-due.ts';
import { watchRows, type Watch } from './watch-rows.ts';

interface Barge {
  readonly id: string;
  readonly dock: 'north' | 'south';
  readonly size: number;
}
let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await database.pool.query(`
    create table barge (id text primary key, dock text not null, size integer not null, state text not null default 'ACTIVE',
      is_urgent boolean not null default false, watched_at timestamptz not null default 'epoch');
    create table ship (id text primary key, dock text not null, size integer not null, state text not null default 'ACTIVE',
      is_urgent boolean not null default false);
    create table ship_watch (ship_id text primary key references ship (id), watched_at timestamptz not null default 'epoch', note text)`);
});
afterAll(() => database?.drop());

const forms = {
  'in its own table': { table: 'barge' },
  'in a table beside': { table: 'ship', beside: { table: 'ship_watch', key: 'ship_id', columns: ['note'] } },
} as const;
/** On a busy machine a hundred rounds take longer than the second for which `vi.waitFor` waits by itself. */
const waitFor = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: PATIENCE_MS, interval: 20 });
const loops: Rounds[] = [];
let warnings: { readonly message: string; readonly engine?: unknown }[] = [];
const log: Log = {
  debug() {},
  info() {},
  error() {},
  warn: (detail: unknown) => {
    const { err, engine } = detail as { err: unknown; engine?: unknown };
    warnings.push({ message: errorMessage(err), ...(engine === undefined ? {} : { engine }) });
  },
};
beforeEach(() => {
  warnings = [];
});
afterEach(async () => {
  for (const loop of loops.splice(0)) await loop.stop();
  await database.pool.query('truncate barge, ship, ship_watch');
});

type BargeWatch = Watch<Barge, 'dock'>;
const watched = (watch: Partial<BargeWatch> & Pick<BargeWatch, 'observe'>): Rounds => {
  const loop = watchRows<Barge, 'dock'>(database.db, log, {
    table: 'barge',
    where: sql`state = 'ACTIVE'`,
    everyMs: 60_000,
    engine: 'dock',
    tickMs: 20,
    batch: 100,
    warning: 'The barges could not be watched',
    ...watch,
  });
  loops.push(loop);
  loop.start();
  return loop;
};
const insert = async (table: 'barge' | 'ship', ids: readonly string[], dock: Barge['dock'] = 'north'): Promise<void> => {
  await database.pool.query(`insert into ${table} (id, dock, size) select id, $2, 1 from unnest($1::text[]) id`, [ids, dock]);
};
const ids = (count: number, prefix = 'b'): string[] => Array.from({ length: count }, (_, index) => `${prefix}${100 + index}`);
const sorted = (seen: readonly string[]): string[] => [...seen].toSorted();
const recorder = () => {
  const seen: string[] = [];
  return { seen, observe: async (rows: readonly Barge[]): Promise<void> => void seen.push(...rows.map(({ id }) => id)) };
};

describe.each(Object.entries(forms))('watched_at %s', (_name, form) => {
  const { table } = form;

  test('two loops observe each due row once', async () => {
    const all = ids(300);
    await insert(table, all);
    const { seen, observe } = recorder();
    for (let loop = 0; loop < 2; loop += 1) watched({ ...form, batch: 7, observe });
    await waitFor(() => expect(seen.length).toBeGreaterThanOrEqual(all.length));
    for (const loop of loops) await loop.stop();
    expect(sorted(seen)).toEqual(all);
    expect(warnings).toEqual([]);
  });

  test('claims at the same moment get different rows, the longest overdue first', async () => {
    const all = ids(90);
    await insert(table, all);
    const due = { ...form, where: sql`state = 'ACTIVE'`, everyMs: 60_000, engine: 'dock' };
    const claim = () => claimDue<Barge>(database.db, due, { limit: 30, away: [] });
    const claimed = (await Promise.all(Array.from({ length: 6 }, claim))).flat().map(({ id }) => id);
    // Claims beside may find all of their rows taken. Those rows are left for nobody else.
    expect(new Set(claimed).size).toBe(claimed.length);
    for (let rows = await claim(); rows.length > 0; rows = await claim()) claimed.push(...rows.map(({ id }) => id));
    expect(sorted(claimed)).toEqual(all);
    await database.pool.query(
      form.table === 'barge'
        ? `update barge set watched_at = case id when 'b142' then timestamptz 'epoch' else now() - interval '90 seconds' end`
        : `update ship_watch set watched_at = case ship_id when 'b142' then timestamptz 'epoch' else now() - interval '90 seconds' end`,
    );
    const [first] = await claimDue<Barge>(database.db, due, { limit: 1, away: [] });
    expect(first?.id).toBe('b142');
  });

  test('a claim keeps to its limit, however PostgreSQL joins', async () => {
    await insert(table, ids(30));
    const due = { ...form, where: sql`state = 'ACTIVE'`, everyMs: 60_000, engine: 'dock' };
    const claimed = await database.db.connection().execute(async (db) => {
      await sql`analyze ${sql.table(table)}`.execute(db);
      const joins = ['hashjoin', 'mergejoin', 'hashagg', 'sort', 'material', 'indexscan', 'bitmapscan'].map((name) => `enable_${name}`);
      for (const name of joins) await sql`select set_config(${name}, 'off', false)`.execute(db);
      try {
        return await claimDue<Barge>(db, due, { limit: 7, away: [] });
      } finally {
        await sql`reset all`.execute(db);
      }
    });
    expect(claimed).toHaveLength(7);
  });

  test('claimed rows come in the order in which they were due', async () => {
    await insert(table, ids(9));
    const due = { ...form, where: sql`state = 'ACTIVE'`, everyMs: 10, engine: 'dock' };
    await claimDue<Barge>(database.db, due, { limit: 9, away: [] });
    const key = form.table === 'barge' ? 'id' : 'ship_id';
    await database.pool.query(
      `update ${form.table === 'barge' ? 'barge' : 'ship_watch'} set watched_at = now() - substr(${key}, 2)::int * interval '1 s'`,
    );
    const claimed = await claimDue<Barge>(database.db, due, { limit: 9, away: [] });
    expect(claimed.map(({ id }) => id)).toEqual(ids(9).toReversed());
  });

  test('a row is due again after its interval, an urgent row sooner, and rows in other states never', async () => {
    await insert(table, ['calm', 'urgent', 'gone']);
    await database.pool.query(
      `update ${table} set is_urgent = id = 'urgent', state = case id when 'gone' then 'DELETING' else 'ACTIVE' end`,
    );
    const { seen, observe } = recorder();
    watched({ ...form, soon: { everyMs: 30, when: sql`is_urgent` }, observe });
    await waitFor(() => expect(seen.filter((id) => id === 'urgent').length).toBeGreaterThan(3));
    expect(seen.filter((id) => id !== 'urgent')).toEqual(['calm']);
  });

  test('rows that were not tried are due at once', async () => {
    await insert(table, ids(10));
    let letGo: (value?: unknown) => void = () => {};
    const held = new Promise((resolve) => (letGo = resolve));
    const first: string[] = [];
    const loop = watched({
      ...form,
      together: 2,
      observe: async (rows) => {
        first.push(...rows.map(({ id }) => id));
        await held;
      },
    });
    await waitFor(() => expect(first).toHaveLength(2));
    const stopped = loop.stop();
    letGo();
    await stopped;
    expect(first).toHaveLength(2);
    const { seen, observe } = recorder();
    watched({ ...form, observe });
    await waitFor(() => expect(seen).toHaveLength(8));
    expect(sorted([...first, ...seen])).toEqual(ids(10));
  });
});

test('stop waits for the rows that are being observed, and nothing is observed afterwards', async () => {
  await insert('barge', ids(3));
  let isDone = false;
  let calls = 0;
  let letGo: (value?: unknown) => void = () => {};
  const held = new Promise((resolve) => (letGo = resolve));
  const loop = watched({
    together: 1,
    tickMs: 1,
    observe: async () => {
      calls += 1;
      await held;
      isDone = true;
    },
  });
  await waitFor(() => expect(calls).toBe(1));
  const stopped = loop.stop().then(() => isDone);
  letGo();
  expect(await stopped).toBe(true);
  // Two barges were given back. Another loop, slower than the stopped one, finds all of the others.
  await insert('barge', ids(3, 'later'));
  const { seen, observe } = recorder();
  watched({ observe });
  await waitFor(() => expect(seen).toHaveLength(5));
  expect(calls).toBe(1);
});

test('more due rows than a batch do not wait for the next tick', async () => {
  await insert('barge', ids(50));
  const { seen, observe } = recorder();
  const began = performance.now();
  watched({ batch: 5, tickMs: 500, observe });
  await waitFor(() => expect(seen).toHaveLength(50));
  // Ten ticks would take five seconds.
  expect(performance.now() - began).toBeLessThan(2500);
});

test('a bad row does not stop the others, and waits for its interval', async () => {
  await insert('barge', ids(20));
  const tried: string[] = [];
  watched({
    together: 1,
    observe: async ([row]) => {
      tried.push(row?.id ?? '');
      if (row?.id === 'b103') throw new Error('b103 is bad');
    },
  });
  await waitFor(() => expect(tried).toHaveLength(20));
  await waitFor(() => expect(warnings).toEqual([{ message: 'b103 is bad' }]));
  await insert('barge', ['late']);
  await waitFor(() => expect(tried).toContain('late'));
  expect(tried).toHaveLength(21);
});

test('a bad row among rows that are observed together keeps its claim, too', async () => {
  await insert('barge', ids(4));
  const tried: string[][] = [];
  watched({
    observe: async (rows) => {
      tried.push(sorted(rows.map(({ id }) => id)));
      throw new Error('one of them is bad');
    },
  });
  await waitFor(() => expect(warnings).toHaveLength(1));
  await insert('barge', ['late']);
  await waitFor(() => expect(warnings).toHaveLength(2));
  expect(tried).toEqual([ids(4), ['late']]);
});

test('other work of a round that fails does not stop the rows', async () => {
  await insert('barge', ['one']);
  const { seen, observe } = recorder();
  watched({ also: () => Promise.reject(new Error('no')), observe });
  await waitFor(() => expect(seen).toEqual(['one']));
  expect(warnings[0]).toEqual({ message: 'no' });
});

describe('an engine that is away', () => {
  const engines = () => {
    const docks = { north: new MemoryManaged(), south: new MemoryManaged() };
    /** Compares one barge after the other with its engine, and puts its size back. */
    const observe: BargeWatch['observe'] = async (rows, dock) => {
      for (const { id, size } of rows) if ((await docks[dock].observe(id)) !== size) await docks[dock].create(id, size);
    };
    return { docks, observe };
  };

  test.each([1, 100])(
    'delays only its own rows, is asked ever more rarely, and gets all rows when it is back (together: %i)',
    async (together) => {
      const [north, south] = [ids(12, 'n'), ids(12, 's')];
      await insert('barge', north);
      await insert('barge', south, 'south');
      const { docks, observe } = engines();
      docks.north.isAway = true;
      const began = performance.now();
      watched({ together, tickMs: 40, observe });
      await waitFor(() => expect([...docks.south.sizes.keys()].toSorted()).toEqual(south));
      await waitFor(() => expect(docks.north.observed.length).toBeGreaterThanOrEqual(5));
      // Pauses of 1, 2, 4 and 4 ticks.
      expect(performance.now() - began).toBeGreaterThan(11 * 40);
      expect(docks.north.sizes.size).toBe(0);
      expect(warnings).toEqual([{ message: 'The engine is away', engine: 'north' }]);
      docks.north.isAway = false;
      const isTried = (id: string): boolean => docks.north.sizes.has(id) || (together === 1 && docks.north.observed.includes(id));
      await waitFor(() => expect(north.filter((id) => !isTried(id))).toEqual([]));
      expect(docks.north.sizes.size).toBeGreaterThanOrEqual(together === 1 ? 1 : 12);
    },
  );

  test('a row that wrongly reports an outage does not hold up the others', async () => {
    await insert('barge', ids(8));
    const { docks, observe } = engines();
    let tries = 0;
    watched({
      together: 1,
      observe: async (rows, dock, signal) => {
        if (rows[0]?.id !== 'b100') return observe(rows, dock, signal);
        tries += 1;
        throw new PortFailure('unavailable', 'Too many connections to b100');
      },
    });
    await waitFor(() => expect([...docks.north.sizes.keys()].toSorted()).toEqual(ids(8).slice(1)));
    await insert('barge', ['late']);
    await waitFor(() => expect(docks.north.sizes.has('late')).toBe(true));
    expect(tries).toBe(1);
  });

  test('a row that wrongly reports an outage again and again does not slow down the others', async () => {
    await insert('barge', ids(3));
    let rounds = 0;
    let tried = 0;
    const began = performance.now();
    watched({
      together: 1,
      tickMs: 100,
      everyMs: 1,
      observe: async () => {
        // The last row of each round, whichever that is: rows that were claimed together come in any order.
        if (++tried % 3 === 0) throw new PortFailure('unavailable', 'Too many connections');
        rounds += 1;
      },
    });
    await waitFor(() => expect(rounds).toBeGreaterThanOrEqual(16));
    // Eight rounds take 800 ms. With growing pauses, they would take 2600.
    expect(performance.now() - began).toBeLessThan(2200);
    expect(warnings).toHaveLength(1);
  });

  test('what was changed on it is put back', async () => {
    await insert('barge', ['one']);
    const { docks, observe } = engines();
    watched({ everyMs: 30, observe });
    await waitFor(() => expect(docks.north.sizes.get('one')).toBe(1));
    docks.north.sizes.set('one', 9);
    await waitFor(() => expect(docks.north.sizes.get('one')).toBe(1));
  });
});

test('an outage of the database is logged once', async () => {
  await insert('barge', ['one']);
  let calls = 0;
  watched({
    also: async () => {
      calls += 1;
      throw Object.assign(new Error('terminating connection'), { code: '57P01' });
    },
    observe: async () => {},
  });
  await waitFor(() => expect(calls).toBeGreaterThan(3));
  expect(warnings).toHaveLength(1);
});
