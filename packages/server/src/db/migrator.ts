/**
 * Migrates a database to the schema of this version: runs `migrations/NNNN_name.sql` in order, forward only, each in a transaction.
 * Safe when several replicas start simultaneously and when the database restarts meanwhile.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { errorCode } from '#kernel/caught.ts';
import { StartError } from '#kernel/start-error.ts';
import type { Log } from '#ports/log.ts';
import { withClient } from '#db/connections.ts';
import { isDatabaseOutage } from '#db/outage.ts';

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

export interface MigrateOptions {
  readonly log: Log;
  readonly directory?: string;
  /** Runs only the migrations with these names, so that a restore can create the schema of an older backup. */
  readonly only?: ReadonlySet<string>;
  /** How long to retry while the database is down or another replica migrates. */
  readonly timeoutMs?: number;
}

/** The database and the migration files disagree. A retry does not help: a person must look. */
export class MigrationMismatch extends StartError {
  override readonly name = 'MigrationMismatch';
}

export const migrationsDirectory = fileURLToPath(new URL('../../migrations', import.meta.url));

const LOCK_KEY = 'slipway:migrate';
const LOCK_POLL_MS = 50;
const RETRY_MS = 200;

/** Lock timeout (the table is too busy to alter) and deadlock. */
const RETRIED = new Set(['55P03', '40P01']);

/** Returns the names of the migrations it ran. Throws MigrationMismatch, or the SQL error with the file's name. */
export async function migrate(target: pg.Pool | pg.ClientConfig, options: MigrateOptions): Promise<string[]> {
  const config = 'options' in target && typeof target.options === 'object' ? target.options : (target as pg.ClientConfig);
  const { only } = options;
  const migrations = readMigrations(options.directory).filter(({ name }) => !only || only.has(name));
  const deadline = performance.now() + (options.timeoutMs ?? 60_000);
  const applied: string[] = [];
  for (;;) {
    try {
      await withClient(config, (client) => underLock(client, deadline, () => applyMissing(client, migrations, applied, options.log)));
      return applied;
    } catch (error) {
      if (!isTransient(error) || performance.now() > deadline) throw error;
      options.log.warn({ err: error }, 'The database went away during the migration: trying again');
      await delay(RETRY_MS);
    }
  }
}

/** Reads the files in order. Gaps between numbers are allowed; duplicate numbers are an error. */
export function readMigrations(directory = migrationsDirectory): Migration[] {
  const files = fs.existsSync(directory)
    ? fs
        .readdirSync(directory)
        .filter((file) => file.endsWith('.sql'))
        .sort()
    : [];
  const migrations = files.map((file) => {
    const match = /^(\d{4})_([a-z0-9_]+)\.sql$/.exec(file);
    if (!match?.[1]) throw new MigrationMismatch(`${file} is not named NNNN_name.sql`);
    const sql = fs.readFileSync(path.join(directory, file), 'utf8');
    // A checkout with Windows line endings has the same checksum.
    const checksum = createHash('sha256').update(sql.replaceAll('\r\n', '\n')).digest('hex');
    return { number: Number(match[1]), name: file.slice(0, -'.sql'.length), sql, checksum };
  });
  for (const [index, migration] of migrations.entries())
    if (migrations[index - 1]?.number === migration.number)
      throw new MigrationMismatch(
        `${migrations[index - 1]?.name} and ${migration.name} have the same number: give one of them the next free one`,
      );
  return migrations;
}

/** Polls, since a session that waits in pg_advisory_lock holds a snapshot, which CREATE INDEX CONCURRENTLY waits for. */
async function underLock(client: pg.Client, deadline: number, run: () => Promise<void>): Promise<void> {
  const take = 'select pg_try_advisory_lock(hashtextextended($1, 0)) as taken';
  while (!(await client.query<{ taken: boolean }>(take, [LOCK_KEY])).rows[0]?.taken) {
    if (performance.now() > deadline) throw new Error('Another process has been migrating the database for too long');
    await delay(LOCK_POLL_MS);
  }
  // The lock ends with the connection, which only this migrator uses.
  await run();
}

async function applyMissing(client: pg.Client, migrations: Migration[], applied: string[], log: Log): Promise<void> {
  await client.query(`
    set statement_timeout = 0;
    set lock_timeout = '15s';
    create table if not exists schema_migration (
      number integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now()
    )`);
  const { rows } = await client.query<{ number: number; name: string; checksum: string }>(
    'select number, name, checksum from schema_migration order by number',
  );
  const missing = compare(migrations, rows);
  for (const migration of missing) {
    const startedAt = performance.now();
    await applyOne(client, migration);
    applied.push(migration.name);
    log.info({ migration: migration.name, durationMs: Math.round(performance.now() - startedAt) }, 'Migrated the database');
  }
}

function compare(migrations: Migration[], recorded: { number: number; name: string; checksum: string }[]): Migration[] {
  const byNumber = new Map(migrations.map((migration) => [migration.number, migration]));
  for (const row of recorded) {
    const file = byNumber.get(row.number);
    if (!file)
      throw new MigrationMismatch(
        `The database has migration ${row.name}, which this version of Slipway does not know: start the newer version`,
      );
    if (file.checksum !== row.checksum)
      throw new MigrationMismatch(
        `${file.name}.sql was changed after it ran on this database (as ${row.name}): restore it and add a new migration`,
      );
    byNumber.delete(row.number);
  }
  return [...byNumber.values()];
}

async function applyOne(client: pg.Client, { number, name, sql, checksum }: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(sql);
    await client.query('insert into schema_migration (number, name, checksum) values ($1, $2, $3)', [number, name, checksum]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    if (error instanceof Error) error.message = `${name}.sql: ${error.message}`;
    throw error;
  }
}

function isTransient(error: unknown): boolean {
  return isDatabaseOutage(error) || RETRIED.has(errorCode(error) ?? '');
}
