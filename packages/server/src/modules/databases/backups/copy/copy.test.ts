/** Restores a copy into another database and compares schema, rows and behavior. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createClient } from '#db/connections.ts';
import { noFloor, type Floor } from '#kernel/disk-floor.ts';
import { noSpace } from '#kernel/no-space.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { catalogueLines } from './catalogues.fixture.ts';
import { fill, ROWS } from './copy.fixture.ts';
import { copyIn } from './copy-in.ts';
import { copyOut } from './copy-out.ts';
import type { CopyFacts } from './copy-format.ts';
import { findPgDump } from './pg-programs.fixture.ts';
import { randomSchema } from './random-schema.fixture.ts';
import { readSchema, tablesOf } from './schema-objects.ts';
import { openSession, type CopySession } from './session.ts';

const { signal } = new AbortController();
const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-copy-'));
const place = (name: string): string => path.join(directory, name);
let source: TestDatabase;
let target: TestDatabase;
let facts: CopyFacts;
const file = place('whole');

const sessionOf = ({ config }: TestDatabase): CopySession => ({ ...config, port: 5432, sslMode: 'disable' });
const withClient = async <Value>({ config }: TestDatabase, use: (client: pg.Client) => Promise<Value>): Promise<Value> => {
  const client = createClient(config);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
};
const out = (name: string, from = source, floor: Floor = noFloor) =>
  copyOut(sessionOf(from), { file: place(name), database: 'yard', version: '1.2.3', floor, signal });
const failure = (copying: Promise<unknown>): Promise<unknown> =>
  copying.then(
    () => 'no failure',
    ({ code, context }: { code: string; context: unknown }) => ({ code, context }),
  );

beforeAll(async () => {
  [source, target] = [await testDatabase({ isEmpty: true }), await testDatabase({ isEmpty: true })];
  await withClient(source, fill);
  facts = await out('whole');
  await copyIn(sessionOf(target), { file, sha256: facts.sha256 }, signal);
});
afterAll(async () => {
  await source?.drop();
  await target?.drop();
  fs.rmSync(directory, { recursive: true, force: true });
});

const schemaOf = async (database: TestDatabase) => {
  const client = await openSession(sessionOf(database), { purpose: 'test', signal });
  try {
    return await readSchema(client);
  } finally {
    await client.end();
  }
};
/** Returns row count and hash of each table, independent of row order. */
const rowsOf = (database: TestDatabase) =>
  withClient(database, async (client) => {
    const found: Record<string, string> = {};
    await client.query('set row_security = off');
    for (const { name } of await tablesOf(client)) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from only ${name} as t order by 1`);
      const hash = createHash('sha256').update(rows.map(({ row }) => row).join('\n'));
      found[name] = `${rows.length} ${hash.digest('hex')}`;
    }
    return found;
  });

test('it says what it holds', () => {
  expect(facts).toMatchObject({ tables: 7, rows: 20 + ROWS + 2000 + 2 + 1 + 1 });
  expect(facts.sizeBytes).toBe(fs.statSync(file).size);
  expect(facts.sha256).toBe(createHash('sha256').update(fs.readFileSync(file)).digest('hex'));
  expect(Math.abs(Date.now() - facts.takenAt.getTime())).toBeLessThan(600_000);
});

test('the schema is the same, statement for statement', async () => {
  const [before, after] = [await schemaOf(source), await schemaOf(target)];
  expect(after.before).toEqual(before.before);
  expect(after.after).toEqual(before.after);
  expect(after.tables).toEqual(before.tables);
  // Checks that every kind of object occurs, otherwise the comparison would prove nothing.
  const all = [...before.before, ...before.after].join('\n');
  for (const word of [
    'create type',
    'create domain',
    'as enum',
    'FUNCTION',
    'PROCEDURE',
    'create sequence',
    'generated always as identity',
  ])
    expect(all).toContain(word);
  for (const word of ['PRIMARY KEY', 'FOREIGN KEY', 'EXCLUDE', 'WHERE (state', 'create view', 'create materialized view', 'TRIGGER'])
    expect(all).toContain(word);
  for (const word of ['attach partition', 'enable row level security', 'create policy', 'comment on', 'STATISTICS', 'RULE', 'NOT VALID'])
    expect(all).toContain(word);
});

test('every row is the same', async () => {
  const before = await rowsOf(source);
  expect(Object.keys(before)).toHaveLength(7);
  expect(await rowsOf(target)).toEqual(before);
});

test('it goes on where it was: numbers, defaults, triggers, keys and views', async () => {
  const used = (database: TestDatabase) =>
    withClient(database, async (client) => {
      await client.query('begin');
      const { rows: berths } = await client.query(
        `insert into "Odd Names"."Berths; drop" (harbour, twice) values (1005, 4) returning "Id", label, ticket, share, state`,
      );
      const { rows: notes } = await client.query(`insert into public.notes (body) values ('new') returning id, body`);
      const { rows: views } = await client.query(
        `select (select count(*) from public.free_berths) as free, (select sum(n) from public.busiest) as busy,
           (select count(*) from public.by_key) as keyed, (select max(berths) from public.counted) as most, (public.first_harbour()).id as first`,
      );
      const refused: string[] = [];
      for (const wrong of [
        `insert into "Odd Names"."Berths; drop" (harbour, twice) values (1005, 5)`,
        `insert into "Odd Names"."Berths; drop" (harbour) values (1)`,
        `insert into public.moves select * from public.moves limit 1`,
        `insert into public.moves values (-1, '2030-01-01')`,
      ]) {
        await client.query('savepoint here; set constraints all immediate');
        refused.push(
          await client.query(wrong).then(
            () => 'taken',
            (error: Error & { code?: string }) => error.code ?? '',
          ),
        );
        await client.query('rollback to here');
      }
      await client.query('rollback');
      return { berths, notes, views, refused };
    });
  const before = await used(source);
  expect(await used(target)).toEqual(before);
  expect(before.refused).toEqual(['23514', '23502', '23505', '23503']);
  expect(before.notes).toMatchObject([{ body: 'new (stamped)' }]);
});

test('restored once more it stays as it is', async () => {
  const before = await rowsOf(target);
  await expect(copyIn(sessionOf(target), { file, sha256: facts.sha256 }, signal)).resolves.toEqual({
    tables: facts.tables,
    rows: facts.rows,
  });
  expect(await rowsOf(target)).toEqual(before);
});

test('the rows are those of one moment, whatever is written meanwhile', async () => {
  await withClient(source, async (client) => {
    await client.query('begin; update public.harbours set code = code; delete from public.notes');
    const copied = await out('moment');
    await client.query('rollback');
    expect(copied.rows).toBe(facts.rows);
  });
});

const pgDump = await findPgDump();
/** Returns the statements of a schema as pg_dump writes them, without the random key in its restrict lines. */
const dumpedBy = (program: string, { config }: TestDatabase): string[] => {
  const { host, user, password, database } = config;
  const args = ['--schema-only', '--host', host, '--username', user, '--dbname', database];
  const env = { PATH: process.env.PATH, PGPASSWORD: password };
  const { stdout, stderr, status } = spawnSync(program, args, { encoding: 'utf8', env, maxBuffer: 64 << 20 });
  expect(status, stderr).toBe(0);
  return stdout.split('\n').filter((line) => !/^\\(un)?restrict /.test(line));
};

describe('a database with what a copy would leave out', () => {
  let odd: TestDatabase;
  beforeAll(async () => {
    odd = await testDatabase({ isEmpty: true });
  });
  afterAll(() => odd?.drop());
  test.each([
    ['an aggregate', 'create aggregate public.total (integer) (sfunc = int4pl, stype = integer)', /function public\.total/],
    ['inheritance', 'create table public.base (x int); create table public.child () inherits (public.base)', /table public\.child/],
    ['a large object', 'select lo_create(4711)', /large object 4711/],
    ['a publication', 'create publication ours', /publication ours/],
    ['an operator', 'create operator public.=== (leftarg = integer, rightarg = integer, function = int4eq)', /operator/],
  ])('is refused without pg_dump: %s', async (name, sql, named) => {
    vi.stubEnv('PATH', '');
    onTestFinished(() => void vi.unstubAllEnvs());
    await withClient(odd, (client) => client.query(sql));
    const refused = await failure(out(`odd-${name}`, odd));
    expect(refused).toMatchObject({ code: 'NotCopied', context: { objects: expect.stringMatching(named) as unknown } });
    expect(fs.existsSync(place(`odd-${name}`))).toBe(false);
  });
});

describe.skipIf(pgDump === undefined)('a database with what only pg_dump can copy', () => {
  let odd: TestDatabase;
  beforeAll(async () => {
    odd = await testDatabase({ isEmpty: true });
    await withClient(odd, (client) =>
      client.query(`create aggregate public.total (integer) (sfunc = int4pl, stype = integer, initcond = '0');
        create operator public.=== (leftarg = integer, rightarg = integer, function = int4eq);
        create table public.base (x integer); create table public.child (y text) inherits (public.base);
        create type public.pair as (a integer, b text); create table public.typed of public.pair;
        insert into public.base select * from generate_series(1, 500); insert into public.child select n, repeat('y', 9000) from generate_series(1, 2000) n;
        insert into public.typed values (1, 'it''s'); create view public.sums as select public.total(x) as sum from public.base;
        create publication ours for table public.base; select lo_from_bytea(4711, 'a large object')`),
    );
  });
  afterAll(() => odd?.drop());
  const withPrograms = () => {
    vi.stubEnv('PATH', path.dirname(pgDump ?? ''));
    onTestFinished(() => void vi.unstubAllEnvs());
  };
  const restored = async (name: string, sha256: string) => {
    const into = await testDatabase({ isEmpty: true });
    onTestFinished(() => into.drop());
    return { into, outcome: await copyIn(sessionOf(into), { file: place(name), sha256 }, signal).catch((error: unknown) => error) };
  };

  test('is restored whole, in one moment, and is the same by pg_dump', async () => {
    withPrograms();
    const copied = await withClient(odd, async (client) => {
      await client.query('begin; insert into public.base values (501)');
      const facts = await out('dumped', odd);
      await client.query('rollback');
      return facts;
    });
    expect(copied).toMatchObject({ tables: 3, rows: 2501 });
    const { into, outcome } = await restored('dumped', copied.sha256);
    expect(outcome).toEqual({ tables: 3, rows: 2501 });
    expect(dumpedBy(pgDump ?? '', into)).toEqual(dumpedBy(pgDump ?? '', odd));
    expect(await rowsOf(into)).toEqual(await rowsOf(odd));
    const read = 'select sum, lo_get(4711) as object from public.sums';
    expect((await withClient(into, (client) => client.query(read))).rows).toEqual([
      { sum: 2_126_250, object: Buffer.from('a large object') },
    ]);
  });

  test('says which program is missing when there is no pg_restore, and leaves nothing when the restore fails', async () => {
    withPrograms();
    const { sha256 } = await out('kept', odd);
    const failing = await testDatabase({ isEmpty: true });
    onTestFinished(() => failing.drop());
    await withClient(failing, (client) => client.query(`create type public.pair as enum ('in the way')`));
    const reason = expect.stringContaining('already exists') as unknown;
    expect(await failure(copyIn(sessionOf(failing), { file: place('kept'), sha256 }, signal))).toMatchObject({
      code: 'RestoreFailed',
      context: { reason },
    });
    expect(await rowsOf(failing)).toEqual({});
    vi.stubEnv('PATH', '');
    expect((await restored('kept', sha256)).outcome).toMatchObject({ code: 'RestoreProgramMissing', context: { version: '18' } });
  });

  test('is refused if rows would be hidden from the check', async () => {
    withPrograms();
    await withClient(odd, (client) => client.query('alter table public.base enable row level security, force row level security'));
    expect(await failure(out('forced', odd))).toMatchObject({ code: 'NotCopied', context: { objects: 'table public.base' } });
    await withClient(odd, (client) => client.query('alter table public.base disable row level security, no force row level security'));
  });
});

test('a domain with a check is restored before tables that hold it in an array, a row or a range', async () => {
  const [from, into] = [await testDatabase({ isEmpty: true }), await testDatabase({ isEmpty: true })];
  onTestFinished(async () => {
    await from.drop();
    await into.drop();
  });
  await withClient(from, (client) =>
    client.query(`create domain email as text check (value ~ '@'); create type person as (name text, address email);
      create domain odd as integer check (value % 2 = 1); create type odds as range (subtype = odd);
      create domain ring as integer; create function is_round(n ring) returns boolean language sql immutable as 'select true';
      alter domain ring add constraint round check (is_round(value)); create table rings (of ring[]);
      create table t (cc email[], one person, several person[], span odds, spans odds[]);
      insert into t values ('{a@b}', row('a', 'a@b'), array[row('b', 'b@c')::person], '[1,3)', null)`),
  );
  const { sha256 } = await out('domains', from);
  await copyIn(sessionOf(into), { file: place('domains'), sha256 }, signal);
  expect(await withClient(into, catalogueLines)).toEqual(await withClient(from, catalogueLines));
  expect(await rowsOf(into)).toEqual(await rowsOf(from));
});

test.skipIf(pgDump === undefined)('pg_dump writes the same statements for an original and its restored copy', () => {
  const [before, after] = [dumpedBy(pgDump ?? '', source), dumpedBy(pgDump ?? '', target)];
  expect(before.join('\n')).toContain('CREATE MATERIALIZED VIEW');
  expect(after).toEqual(before);
});

test.each(Array.from({ length: 6 }, (_, at) => at + 1))(
  'a random schema is the same after it was restored, by the catalogues: seed %d',
  async (seed) => {
    const [from, into] = [await testDatabase({ isEmpty: true }), await testDatabase({ isEmpty: true })];
    onTestFinished(async () => {
      await from.drop();
      await into.drop();
    });
    await withClient(from, async (client) => {
      for (const statement of randomSchema(seed)) await client.query(statement).catch(() => undefined);
    });
    const copied = await out(`random-${seed}`, from);
    await copyIn(sessionOf(into), { file: place(`random-${seed}`), sha256: copied.sha256 }, signal);
    const [before, after] = [await withClient(from, catalogueLines), await withClient(into, catalogueLines)];
    const missing = before.filter((line) => !after.includes(line));
    expect({ missing, extra: after.filter((line) => !before.includes(line)) }).toEqual({ missing: [], extra: [] });
    expect(after).toHaveLength(before.length);
    expect(await rowsOf(into)).toEqual(await rowsOf(from));
    if (pgDump !== undefined) expect(dumpedBy(pgDump, into)).toEqual(dumpedBy(pgDump, from));
  },
);

describe('what cannot be restored is refused before anything is written', () => {
  let empty: TestDatabase;
  beforeAll(async () => {
    empty = await testDatabase({ isEmpty: true });
  });
  afterAll(() => empty?.drop());
  const restore = (name: string, sha256 = facts.sha256) => failure(copyIn(sessionOf(empty), { file: place(name), sha256 }, signal));
  const isEmpty = async () => expect(Object.keys(await rowsOf(empty))).toEqual([]);

  test('a file that is gone', async () => {
    expect(await restore('gone')).toMatchObject({ code: 'FileMissing' });
  });
  test.each([0.2, 0.4, 0.5, 0.6, 0.8])('a file with another byte, at %d of its length', async (share) => {
    const bytes = fs.readFileSync(file);
    const at = Math.floor(bytes.length * share);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    fs.writeFileSync(place('damaged'), bytes);
    expect(await restore('damaged')).toMatchObject({ code: 'FileDamaged' });
    // The archive's own checksums detect damage even if the checksum in our database was changed as well.
    expect(await restore('damaged', createHash('sha256').update(bytes).digest('hex'))).toMatchObject({ code: 'FileDamaged' });
    await isEmpty();
  });
  test('a file that ends early leaves nothing behind', async () => {
    const bytes = fs.readFileSync(file).subarray(0, -200);
    fs.writeFileSync(place('short'), bytes);
    expect(await restore('short', createHash('sha256').update(bytes).digest('hex'))).toMatchObject({ code: 'FileDamaged' });
    await isEmpty();
  });
});

test('rows that a policy hides from whoever copies make the copy fail, instead of missing from it', async () => {
  await withClient(source, (client) => client.query('alter table public.harbours force row level security'));
  const reason = expect.stringContaining('row-level security') as unknown;
  expect(await failure(out('hidden'))).toMatchObject({ code: 'CopyFailed', context: { reason } });
  await withClient(source, (client) => client.query('alter table public.harbours no force row level security'));
});

test('nothing is written below the floor of the disk, and no half file is left', async () => {
  const full: Floor = { require: () => Promise.reject(noSpace()) };
  expect(await failure(out('full', source, full))).toMatchObject({ code: 'PlatformDiskFull' });
  let asked = 0;
  const fills: Floor = { require: () => ((asked += 1) > 1 ? Promise.reject(noSpace()) : Promise.resolve()) };
  expect(await failure(out('fills', source, fills))).toMatchObject({ code: 'PlatformDiskFull' });
  expect(fs.readdirSync(directory).filter((name) => /full|fills/.test(name))).toEqual([]);
});
