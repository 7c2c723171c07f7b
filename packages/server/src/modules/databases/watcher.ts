/**
 * Checks every database periodically: size, connections, whether it exceeds its storage, and whether a former password has expired. Workers
 * claim databases by row, so a database that one worker cannot reach may be checked by another.
 */
import { sql } from 'kysely';
import { databaseKind } from '@slipway/contract/database/database.kind.ts';
import { databaseTransactionHours } from '@slipway/contract/database/database-plan.ts';
import { subjectOf } from '@slipway/contract/kernel/subject.ts';
import { transaction, type Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import type { Transaction } from 'kysely';
import { notifyChange } from '#kernel/changes.ts';
import { recordActivity } from '#modules/activity/index.ts';
import { appFacts } from '#modules/apps/index.ts';
import type { Databases, ObservedDatabase, WriteLevel } from '#ports/databases.ts';
import { isPortFailure } from '#ports/failure.ts';
import { eachByItself } from '#kernel/rows/unreadable.ts';
import type { Log } from '#ports/log.ts';
import { endFormerPassword } from './credentials.ts';
import { GIGABYTE, targetOf, writeLevelOf, type DatabaseRow } from './database-rows.ts';

export interface WatcherDeps {
  readonly db: Db;
  readonly databases: Databases;
}
export interface WatcherTimings {
  /** Also the interval between two checks of a database that is nearly full. */
  readonly tickMs: number;
  /** Interval between two checks of the same database. */
  readonly everyMs: number;
}
export const watcherTimings: WatcherTimings = { tickMs: 2000, everyMs: 15_000 };
const AT_ONCE = 50;
/** Share of the storage from which on a database counts as nearly full. */
const NEARLY_FULL = 0.75;
/** An older transaction keeps the whole server, other apps included, from removing what nobody needs. */
const LONGEST_TRANSACTION_MS = databaseTransactionHours * 3_600_000;
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
  | 'is_closed'
  | 'size_bytes'
  | 'connections'
>;

const levelTexts: Readonly<Record<WriteLevel, { readonly reason: string; textOf(row: Watched): string }>> = {
  writable: { reason: 'Writable', textOf: ({ name }) => `${name} takes writes again` },
  readOnly: {
    reason: 'ReadOnly',
    textOf: ({ name, storage_gb }) =>
      `${name} is larger than its ${storage_gb} GB of storage: writes are refused until it is smaller, or its storage larger`,
  },
  closed: {
    reason: 'Closed',
    textOf: ({ name, storage_gb }) =>
      `${name} is larger than its ${storage_gb} GB of storage and its reserve: connections are refused until its storage is larger`,
  },
};
const levelOf = ({ is_closed, is_read_only }: Watched): WriteLevel => {
  if (is_closed) return 'closed';
  return is_read_only ? 'readOnly' : 'writable';
};

const recordStorage = async (trx: Transaction<DB>, row: Watched, level: WriteLevel): Promise<void> => {
  const { app_id: app, environment: env, name: database } = row;
  const { teamId: team } = (await appFacts(trx, app)) ?? {};
  await recordActivity(trx, {
    type: 'databaseStorage',
    reason: levelTexts[level].reason,
    level: level === 'writable' ? 'INFO' : 'WARNING',
    message: levelTexts[level].textOf(row),
    actor: platform,
    origin: 'platform',
    outcome: 'DONE',
    subject: subjectOf(databaseKind, { app, env, database }, { team }),
  });
};

/** Returns true while a replica from before record 61 works, during a rolling upgrade. */
const isEarlierWorkerThere = async (db: Db): Promise<boolean> => {
  const sessions = sql`select from pg_stat_activity where datname = current_database() and application_name = 'slipway presence' limit 1`;
  return (await sessions.execute(db)).rows.length > 0;
};

const connectionsOf = (row: Watched, seen: ObservedDatabase | undefined): DatabaseRow['connections'] =>
  (seen?.connections ?? []).map(({ login, application, count }) => ({
    application,
    count,
    isFormer: login !== row.login && login !== row.reader_login,
    ...(login === 'reader_a' || login === 'reader_b' ? { isReader: true } : {}),
  }));

/**
 * Checks a database, sets the write level that its size demands, and stores the result. Returns what it found, or undefined if there is no
 * such database. Throws if the server is unavailable.
 */
export const observeDatabase = async ({ db, databases }: WatcherDeps, row: Watched): Promise<ObservedDatabase | undefined> => {
  const seen = await databases.observe(targetOf(row));
  const level = seen ? writeLevelOf(row, seen) : 'writable';
  // A session that signed in at the moment of closing is ended by the next check.
  const isHeld = seen?.writes === level && (level !== 'closed' || seen.connections.length === 0);
  if (seen && !isHeld) await databases.restrictWrites(targetOf(row), level);
  if (seen) await databases.endTransactions(targetOf(row), LONGEST_TRANSACTION_MS);
  const hasNewLevel = level !== levelOf(row);
  const connections = connectionsOf(row, seen);
  const size = seen?.sizeBytes ?? null;
  const hasChanged = size !== row.size_bytes || JSON.stringify(connections) !== JSON.stringify(row.connections);
  await transaction(db, async (trx) => {
    await trx
      .updateTable('database')
      .set({
        size_bytes: size,
        connections: JSON.stringify(connections),
        is_read_only: level !== 'writable',
        is_closed: level === 'closed',
        observed_at: new Date(),
      })
      .where('id', '=', row.id)
      .execute();
    if (hasNewLevel) await recordStorage(trx, row, level);
    if (!hasChanged && !hasNewLevel) return;
    await notifyChange(trx, { kind: databaseKind.kind, app: row.app_id, env: row.environment, database: row.name });
  });
  return seen;
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
        const seen = await observeDatabase(this.#deps, row);
        if (seen?.hasReaderObjects) await this.#clear(row);
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

  /** Waits for the end of earlier workers, which cannot work with a database that the platform owns. */
  async #secure(row: DatabaseRow): Promise<void> {
    if (this.#secured.has(row.id) || (await isEarlierWorkerThere(this.#deps.db))) return;
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

  /** Deletes what a read-only login created. A lock that somebody holds on it must not delay the other databases. */
  async #clear(row: DatabaseRow): Promise<void> {
    try {
      await this.#deps.databases.clearReaders(targetOf(row));
    } catch (error) {
      this.#log.warn({ err: error, database: row.name, app: row.app_id }, 'What a read-only login created is still there; trying again');
    }
  }

  /** Claims and returns the databases to check. The claim is part of the query, so no other worker takes the same rows. */
  async #due(): Promise<DatabaseRow[]> {
    const { tickMs, everyMs } = this.#timings;
    const isNearlyFull = sql`active and not is_closed and size_bytes > storage_gb * ${GIGABYTE * NEARLY_FULL}::float8`;
    const dueAt = sql`watched_at + case when ${isNearlyFull} then ${tickMs}::integer else ${everyMs}::integer end * interval '1 millisecond'`;
    const { rows } = await sql<DatabaseRow>`
      update database set watched_at = now() where id in (
        select id from database where state = 'ACTIVE' and ${dueAt} < now() order by ${dueAt} limit ${AT_ONCE} for update skip locked)
      returning *`.execute(this.#deps.db);
    return rows;
  }

  #ended(): Promise<DatabaseRow[]> {
    return this.#deps.db.selectFrom('database').selectAll().where('former_ends_at', '<=', new Date()).limit(AT_ONCE).execute();
  }
}
