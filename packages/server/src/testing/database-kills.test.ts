// @long: starts, ends and kills programs
/**
 * kill -9 of the server in every step of a database's pipelines, on a real server of databases. The started server ends what was begun, and
 * of a database that is deleted, or whose creation is cancelled, neither a database nor a role is left.
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { databaseBackupCreate, databaseBackupRestore, type DatabaseBackup } from '@slipway/contract/database/backup.ts';
import { databaseCreate, databaseDelete, databaseRotate } from '@slipway/contract/database/database.ts';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { runningConnection } from '#db/embedded-postgres.ts';
import { seedPeople } from './actors.ts';
import { freePort } from '#testing/free-port.ts';
import { testDatabase, type TestDatabase } from './database.ts';
import { shareOf } from '#testing/faults/fault-share.ts';
import { RunHolds, type HoldPoint } from './faults/run-holds.ts';
import { seedApp } from './fixtures.ts';
import { Program, removeData } from './program.ts';

type Change = 'created' | 'restored' | 'rotated' | 'deleted';
interface KillPoint {
  readonly change: Change;
  readonly code: string;
  /** The run is cancelled where it stands, and the server is killed once more when this step is taken back. */
  readonly undo?: string;
}
/** A run dies when a step's work is done, and nobody has recorded it. */
const killPoints: readonly KillPoint[] = shareOf<KillPoint>(
  [
    { change: 'created', code: 'ProvisionDatabase' },
    { change: 'created', code: 'MakeDatabasePassword' },
    { change: 'created', code: 'AttachSecretGroups' },
    { change: 'created', code: 'MakeDatabasePassword', undo: 'ProvisionDatabase' },
    { change: 'created', code: 'ProvisionDatabase', undo: 'ProvisionDatabase' },
    { change: 'restored', code: 'RestoreRows' },
    { change: 'restored', code: 'RestoreRows', undo: 'ProvisionDatabase' },
    { change: 'rotated', code: 'MakeDatabasePassword' },
    { change: 'deleted', code: 'CloseDatabase' },
    { change: 'deleted', code: 'BackUpDatabase' },
    { change: 'deleted', code: 'DeleteSecretGroup' },
    { change: 'deleted', code: 'DropDatabase' },
  ],
  2,
);

const place = { app: 'berth', env: 'development' };
const settings = { storageGb: 32, maxConnections: 20, backupRetentionDays: 7, plan: 'BURSTABLE_1', region: 'WESTEUROPE' };
let database: TestDatabase;
let dataDir: string;
let holds: RunHolds;
let server: Program;
let environment: Record<string, string>;
let before: string[];
let count = 0;

const start = async (): Promise<void> => {
  server = await Program.start(Number(environment['PORT']), environment);
};
const runOf = async (...asked: Parameters<Program['call']>): Promise<string> => ((await server.call(...asked)) as PipelineRun).pipelineId;
const create = (name: string) => runOf(databaseCreate, { params: place, body: { ...settings, name, displayName: 'Plans', attachTo: [] } });
const remove = (name: string) => runOf(databaseDelete, { params: { ...place, database: name } });
const completed = async (pipelineId: string): Promise<void> => {
  const run = await server.ended(pipelineId);
  expect(run.status.state, run.statusMessage ?? '').toBe('COMPLETED');
};

/** Databases and roles of the server itself: no row of the platform is asked. */
const onServer = async (): Promise<string[]> => {
  const client = new pg.Client(runningConnection(join(dataDir, 'databases')));
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>('select datname as name from pg_database union all select rolname from pg_roles');
    return rows.map(({ name }) => name).toSorted();
  } finally {
    await client.end();
  }
};
const rowsOf = async (name: string) => {
  const found = await database.pool.query(
    `select (select count(*)::int from database where name = $1) as databases,
      (select count(*)::int from secret_group where name = $2) as groups`,
    [name, `berth-${name}`],
  );
  return found.rows[0] as unknown;
};

beforeAll(async () => {
  database = await testDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'slipway-database-kills-'));
  environment = {
    PORT: String(await freePort()),
    SLIPWAY_INGRESS_PORT: String(await freePort()),
    SLIPWAY_DATA: dataDir,
    DATABASE_URL: database.url,
  };
  await seedPeople(database.db);
  await seedApp(database.db, { id: place.app });
  holds = await RunHolds.install(database.config);
  await start();
  await completed(await create('first'));
  await completed(await remove('first'));
  // The check of its last backup has a scratch database and roles of its own while it runs.
  const checks = () => database.pool.query(`select from database_backup where check_state in ('PENDING', 'RUNNING')`);
  await vi.waitUntil(async () => (await checks()).rowCount === 0, { timeout: 30_000 });
  before = await onServer();
});
afterAll(async () => {
  await server?.end('SIGTERM');
  await holds?.close();
  await database?.drop();
  await removeData(dataDir);
});

/** Starts the change, with what it needs. Answers its run, and the databases that there are then. */
const begin = async (change: Change, name: string, point: HoldPoint): Promise<{ pipelineId: string; names: readonly string[] }> => {
  const params = { ...place, database: name };
  if (change === 'created') {
    await holds.hold(point);
    return { pipelineId: await create(name), names: [name] };
  }
  await completed(await create(name));
  if (change !== 'restored') {
    await holds.hold(point);
    const pipelineId = change === 'deleted' ? await remove(name) : await runOf(databaseRotate, { params, body: { overlapHours: 1 } });
    return { pipelineId, names: change === 'deleted' ? [] : [name] };
  }
  const { id } = (await server.call(databaseBackupCreate, { params })) as DatabaseBackup;
  const copies = () => database.pool.query('select from database_backup where id = $1 and state = $2', [id, 'COMPLETED']);
  await expect.poll(async () => (await copies()).rowCount).toBe(1);
  await holds.hold(point);
  const restore = { params: { ...params, backup: id }, body: { name: `${name}r` } };
  return { pipelineId: await runOf(databaseBackupRestore, restore), names: [name, `${name}r`] };
};
const killed = async (): Promise<void> => {
  await holds.untilHeld(1);
  await server.end('SIGKILL');
  await holds.forget();
};

test.each(killPoints)('killed while a database is $change, after $code (taken back: $undo)', async ({ change, code, undo }) => {
  count += 1;
  const { pipelineId, names } = await begin(change, `db${count}`, { code, at: 'end' });
  await killed();
  if (undo) {
    // Asked before it died; the row was held.
    await database.pool.query(
      `update pipeline_run set cancel_requested_at = now(), cancel_requested_by = 'olga', cancel_requested_by_name = 'Olga'
        where pipeline_id = $1`,
      [pipelineId],
    );
    await holds.hold({ code: undo, at: 'undo' });
    await start();
    await killed();
  }
  await start();
  const run = await server.ended(pipelineId);
  expect(run.status.state, run.statusMessage ?? '').toBe(undo ? 'CANCELED' : 'COMPLETED');
  const left = undo ? names.slice(0, -1) : names;
  for (const name of left) await completed(await remove(name));
  // A check of the backup may have died, too: what it restored into goes when the check is made again.
  await expect.poll(onServer).toEqual(before);
  for (const name of left) expect(await rowsOf(name)).toEqual({ databases: 0, groups: 0 });
  // Its row alone, which says that it was not created, and can be run again or discarded.
  if (undo) expect(await rowsOf(names.at(-1) ?? '')).toEqual({ databases: 1, groups: 0 });
});
