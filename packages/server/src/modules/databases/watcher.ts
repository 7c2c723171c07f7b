/**
 * Checks every database periodically: size, connections, whether it exceeds its storage, and whether a former password has expired. Workers
 * claim databases by row, so a database that one worker cannot reach may be checked by another.
 */
import { sql } from 'kysely';
import { databaseKind } from '@slipway/contract/database/database.kind.ts';
import { subjectOf } from '@slipway/contract/kernel/subject.ts';
import { transaction, type Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import type { Transaction } from 'kysely';
import { notifyChange } from '#kernel/changes.ts';
import { recordActivity } from '#modules/activity/index.ts';
import { appFacts } from '#modules/apps/index.ts';
import type { Databases, ObservedDatabase } from '#ports/databases.ts';
import { isPortFailure } from '#ports/failure.ts';
import { eachByItself } from '#kernel/rows/unreadable.ts';
import type { Log } from '#ports/log.ts';
import { endFormerPassword } from './credentials.ts';
import { storageBytesOf, targetOf, type DatabaseRow } from './database-rows.ts';

export interface WatcherDeps {
  readonly db: Db;
  readonly databases: Databases;
}
export interface WatcherTimings {
  readonly tickMs: number;
  /** Interval between two checks of the same database. */
  readonly everyMs: number;
}
export const watcherTimings: WatcherTimings = { tickMs: 2000, everyMs: 15_000 };
const AT_ONCE = 50;
const platform = { id: 'platform', displayName: 'Slipway' };

type Watched = Pick<
  DatabaseRow,
  | 'id'
  | 'app_id'
  | 'environment'
  | 'name'
  | 'region'
  | 'server_name'
  | 'storage_gb'
  | 'login'
  | 'reader_login'
  | 'is_read_only'
  | 'size_bytes'
  | 'connections'
>;

const recordStorage = async (trx: Transaction<DB>, row: Watched, isReadOnly: boolean): Promise<void> => {
  const { app_id: app, environment: env, name: database } = row;
  const { teamId: team } = (await appFacts(trx, app)) ?? {};
  await recordActivity(trx, {
    type: 'databaseStorage',
    reason: isReadOnly ? 'ReadOnly' : 'Writable',
    level: isReadOnly ? 'WARNING' : 'INFO',
    message: isReadOnly
      ? `${database} is larger than its ${row.storage_gb} GB of storage: writes are refused until it is smaller, or its storage larger`
      : `${database} takes writes again`,
    actor: platform,
    origin: 'platform',
    outcome: 'DONE',
    subject: subjectOf(databaseKind, { app, env, database }, { team }),
  });
};

const connectionsOf = (row: Watched, seen: ObservedDatabase | undefined): DatabaseRow['connections'] =>
  (seen?.connections ?? []).map(({ login, application, count }) => ({
    application,
    count,
    isFormer: login !== row.login && login !== row.reader_login,
    ...(login === 'reader_a' || login === 'reader_b' ? { isReader: true } : {}),
  }));

/**
 * Checks a database, makes it read-only or writable by its size, deletes what a read-only login created, and stores the result. Throws if
 * the server is unavailable.
 */
export const observeDatabase = async ({ db, databases }: WatcherDeps, row: Watched): Promise<void> => {
  const seen = await databases.observe(targetOf(row));
  const isReadOnly = seen !== undefined && seen.sizeBytes > storageBytesOf(row);
  if (seen && seen.isReadOnly !== isReadOnly) await databases.restrictWrites(targetOf(row), isReadOnly);
  if (seen?.hasReaderObjects) await databases.clearReaders(targetOf(row));
  const connections = connectionsOf(row, seen);
  const size = seen?.sizeBytes ?? null;
  const hasChanged = size !== row.size_bytes || JSON.stringify(connections) !== JSON.stringify(row.connections);
  await transaction(db, async (trx) => {
    await trx
      .updateTable('database')
      .set({ size_bytes: size, connections: JSON.stringify(connections), is_read_only: isReadOnly, observed_at: new Date() })
      .where('id', '=', row.id)
      .execute();
    if (isReadOnly !== row.is_read_only) await recordStorage(trx, row, isReadOnly);
    if (!hasChanged && isReadOnly === row.is_read_only) return;
    await notifyChange(trx, { kind: databaseKind.kind, app: row.app_id, env: row.environment, database: row.name });
  });
};

export class DatabaseWatcher {
  readonly #deps: WatcherDeps;
  readonly #timings: WatcherTimings;
  readonly #log: Log;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #isStopped = true;
  #isAway = false;
  /** Databases already secured by this process. Databases of an earlier version are secured once. */
  readonly #secured = new Set<string>();

  constructor(deps: WatcherDeps, log: Log, timings: Partial<WatcherTimings> = {}) {
    this.#deps = deps;
    this.#log = log;
    this.#timings = { ...watcherTimings, ...timings };
  }

  start(): void {
    this.#isStopped = false;
    this.#next(0);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  #next(afterMs: number): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#looking = this.#tick().finally(() => this.#next(this.#timings.tickMs));
    }, afterMs);
  }

  async #tick(): Promise<void> {
    try {
      const observe = async (row: DatabaseRow): Promise<void> => {
        await this.#secure(row);
        await observeDatabase(this.#deps, row);
      };
      const turns = [
        { rows: await this.#due(), work: observe },
        { rows: await this.#ended(), work: (row: DatabaseRow) => endFormerPassword(this.#deps, row) },
      ];
      await eachByItself(turns, ({ rows, work }) =>
        eachByItself(rows, async (row) => {
          if (!this.#isStopped) await work(row);
        }),
      );
      this.#isAway = false;
    } catch (error) {
      // Logged once per outage. Readiness reports it, too.
      if (!this.#isAway || !isPortFailure(error, 'unavailable'))
        this.#log.warn({ err: error }, 'The databases could not be looked at; trying again');
      this.#isAway = isPortFailure(error, 'unavailable');
    }
  }

  async #secure(row: DatabaseRow): Promise<void> {
    if (this.#secured.has(row.id)) return;
    try {
      await this.#deps.databases.secure(targetOf(row));
      this.#secured.add(row.id);
    } catch (error) {
      // Continue with the other databases. The next check of this one retries.
      if (!isPortFailure(error)) throw error;
      if (!isPortFailure(error, 'notFound'))
        this.#log.warn({ err: error, database: row.name, app: row.app_id }, 'A database could not be taken over; trying again');
    }
  }

  /** Claims and returns the databases to check. The claim is part of the query, so no other worker takes the same rows. */
  async #due(): Promise<DatabaseRow[]> {
    const { rows } = await sql<DatabaseRow>`
      update database set watched_at = now() where id in (
        select id from database where state = 'ACTIVE' and watched_at < now() - ${this.#timings.everyMs} * interval '1 millisecond'
        order by watched_at limit ${AT_ONCE} for update skip locked)
      returning *`.execute(this.#deps.db);
    return rows;
  }

  #ended(): Promise<DatabaseRow[]> {
    return this.#deps.db.selectFrom('database').selectAll().where('former_ends_at', '<=', new Date()).limit(AT_ONCE).execute();
  }
}
