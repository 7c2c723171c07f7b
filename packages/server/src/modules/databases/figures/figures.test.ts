/** Metrics of a real server: measured, downsampled, and read as steps; statements without their parameter values. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EmbeddedServer } from '#adapters/databases-embedded/embedded-server.ts';
import { PostgresDatabases } from '#adapters/databases-postgres/postgres-databases.ts';
import { createClient } from '#db/connections.ts';
import { loginName } from '#ports/databases.ts';
import type { Log } from '#ports/log.ts';
import { seedPeople } from '#testing/actors.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { seedApp } from '#testing/fixtures.ts';
import { FiguresRecorder } from './figures-recorder.ts';
import { boundsOf, growthOf, pointsOf, thinOut } from './figures.sql.ts';

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };
const region = 'WESTEUROPE';
const target = { region, database: 'plans_k3f9a2xq' };
const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-figures-'));
let platform: TestDatabase;
let databases: PostgresDatabases;
let service: pg.Client;

beforeAll(async () => {
  fs.chmodSync(directory, 0o711);
  platform = await testDatabase();
  await seedPeople(platform.db);
  await seedApp(platform.db, { id: 'yard' });
  const server = new EmbeddedServer({ dataDir: path.join(directory, 'databases'), log: silent, isDurable: false });
  databases = new PostgresDatabases({ kind: 'embedded', servers: { [region]: server }, mark: 'test', log: silent });
  await databases.ensure(target, { maxConnections: 10, statementTimeoutMs: 30_000, tempFileBytes: 2 ** 30, workMemoryBytes: 2 ** 22 });
  await databases.openLogin(target, 'a', 'secret');
  await sql`insert into database (id, app_id, environment, name, display_name, region, plan, storage_gb, max_connections,
      backup_retention_days, state, secret_group, server_name, created_by, created_by_name)
    values ('db_1', 'yard', 'development', 'plans', 'Plans', ${region}, 'GENERAL_2', 32, 100, 7, 'ACTIVE', 'yard-plans',
      ${target.database}, 'olga', 'Olga Owner')`.execute(platform.db);
  const { host, port } = await databases.endpoint(region);
  service = createClient({ host, port, user: loginName(target, 'a'), password: 'secret', database: target.database });
  await service.connect();
});
afterAll(async () => {
  await service?.end();
  await databases?.close();
  await platform?.drop();
  fs.rmSync(directory, { recursive: true, force: true });
});

const at = (minutesAgo: number): Date => new Date(Math.floor(Date.now() / 60_000) * 60_000 - minutesAgo * 60_000);

test('a minute is measured once, whoever measures it', async () => {
  await service.query('create table berths as select n from generate_series(1, 10000) as n');
  const recorder = () => new FiguresRecorder({ db: platform.db, databases, log: silent }).record(at(2));
  await Promise.all([recorder(), recorder()]);
  const { rows } = await sql<{ connections: number; size: number }>`select connections, size_bytes as size from database_metric`.execute(
    platform.db,
  );
  expect(rows).toEqual([{ connections: 1, size: expect.any(Number) as unknown }]);
  expect(rows[0]?.size).toBeGreaterThan(5_000_000);
  for (let times = 0; times < 30; times += 1) await service.query('select count(*) from berths');
  // A session flushes its counters only when it is idle for a moment.
  await service.query('select pg_stat_force_next_flush()');
  await service.query('select 1');
  await new FiguresRecorder({ db: platform.db, databases, log: silent }).record(at(1));
  const points = await pointsOf(platform.db, 'db_1', '1h', new Date());
  expect(points).toHaveLength(60);
  expect(points.at(-2)?.transactionsPerSecond).toBe(null);
  expect(points.at(-1)).toMatchObject({ connections: 1, maxConnections: 1, deadlocks: 0, tempBytes: 0, rollbacks: 0 });
  expect(points.at(-1)?.transactionsPerSecond).toBeGreaterThan(0.5);
  expect(points.at(-1)?.cacheHitRatio).toBeGreaterThan(0.5);
});

test('statements are counted, and nothing that was sent along stands in them', async () => {
  for (let times = 0; times < 5; times += 1) await service.query(`select n from berths where n = 4711 and 'very secret' <> $1`, ['hidden']);
  await service.query(`alter table berths add column note text default 'very secret'`);
  const counted = await databases.statements(target);
  const found = counted?.statements.find(({ text }) => text.startsWith('select n from berths'));
  expect(found).toMatchObject({ text: 'select n from berths where n = $2 and $3 <> $1', calls: 5, rows: 5 });
  expect(counted?.totalMs).toBeGreaterThanOrEqual(found?.totalMs ?? Infinity);
  expect(JSON.stringify(counted)).not.toMatch(/secret|hidden|4711/);
});

test('long ranges are made of coarse points, and what a counter did before a reset is not counted twice', async () => {
  const { db } = platform;
  await sql`delete from database_metric`.execute(db);
  const now = at(0);
  // One transaction per second and three connections. The counter resets in the middle.
  await sql`insert into database_metric select 'db_1', 60, ${now}::timestamptz - n * interval '1 minute', 1000000 - n * 1000, 3, 3, 90 * (1000 - n), 10 * (1000 - n),
      case when n >= 500 then 60 * (1000 - n) else 60 * (500 - n) end, 0, 0, 0 from generate_series(1, 999) as n`.execute(db);
  const fine = await pointsOf(db, 'db_1', '24h', now);
  expect(fine).toHaveLength(288);
  await thinOut(db, now);
  await thinOut(db, now);
  const { rows } = await sql<{ count: number }>`select count(*) from database_metric where step_seconds = 900`.execute(db);
  expect(rows[0]?.count).toBeGreaterThan(64);
  for (const range of ['24h', '7d', '30d'] as const) {
    const points = await pointsOf(db, 'db_1', range, now);
    const known = points.filter(({ transactionsPerSecond }) => transactionsPerSecond !== null);
    expect(known.length).toBeGreaterThan(range === '30d' ? 3 : 10);
    // The first step has no previous point, and the increase before the reset is unknown.
    const rates = known.slice(1, -1).map(({ transactionsPerSecond }) => transactionsPerSecond ?? 0);
    expect(rates.filter((rate) => Math.abs(rate - 1) > 0.02).length).toBeLessThanOrEqual(range === '24h' ? 0 : 1);
    expect(Math.max(...rates)).toBeLessThan(1.02);
    for (const point of known.slice(1, -1)) {
      expect(point.cacheHitRatio).toBeCloseTo(0.9, 5);
      expect(point.connections).toBe(3);
    }
    const { from, to } = boundsOf(range, now);
    expect(points[0]?.at).toBe(from.toISOString());
    expect((to.getTime() - from.getTime()) / points.length).toBe(new Date(points[1]?.at ?? 0).getTime() - from.getTime());
  }
  expect(growthOf(fine, 300) ?? 0).toBeCloseTo(1000 * 1440, -4);
});

test('too old points go', async () => {
  const later = new Date(Date.now() + 40 * 86_400_000);
  await thinOut(platform.db, later);
  const { rows } = await sql<{ count: number }>`select count(*) from database_metric`.execute(platform.db);
  expect(rows[0]?.count).toBe(0);
});
