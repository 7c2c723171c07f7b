/**
 * Checks every database periodically: size, connections, whether it exceeds its storage, and whether a former password has expired. Workers
 * claim databases by row, so a database that one worker cannot reach may be checked by another.
 */
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { databaseKind } from '@slipway/contract/kinds/database.kind.ts';
import { databaseTransactionHours } from '@slipway/contract/database/database-plan.ts';
import { subjectOf } from '@slipway/contract/kernel/subject.ts';
import { transaction, type Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import type { Transaction } from 'kysely';
import { notifyChange } from '#kernel/changes.ts';
import { recordPlatformActivity } from '#modules/activity/index.ts';
import { appFacts } from '#modules/apps/index.ts';
import { hintOf, watchRows, type WatchTimings } from '#modules/resources/index.ts';
import type { Databases, DatabaseTarget, ObservedDatabase, WriteLevel } from '#ports/databases.ts';
import { isPortFailure } from '#ports/failure.ts';
import type { Rounds } from '#kernel/rounds.ts';
import { eachByItself } from '#kernel/rows/unreadable.ts';
import type { Log } from '#ports/log.ts';
import { endFormerPassword } from './credentials.ts';
import { GIGABYTE, targetOf, writeLevelOf, type DatabaseRow } from './database-rows.ts';

export interface WatcherDeps {
  readonly db: Db;
  readonly databases: Databases;
}
/** A database that is nearly full is checked in each round. */
export const watcherTimings: WatchTimings = { tickMs: 2000, everyMs: 15_000 };
const AT_ONCE = 50;
/** Share of the storage from which on a database counts as nearly full. */
const NEARLY_FULL = 0.75;
/** An older transaction keeps the whole server, other apps included, from removing what nobody needs. */
const LONGEST_TRANSACTION_MS = databaseTransactionHours * 3_600_000;

const levelTexts: Readonly<Record<WriteLevel, { readonly reason: string; textOf(row: DatabaseRow): string }>> = {
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
const levelOf = ({ is_closed, is_read_only }: DatabaseRow): WriteLevel => {
  if (is_closed) return 'closed';
  return is_read_only ? 'readOnly' : 'writable';
};

const recordStorage = async (trx: Transaction<DB>, row: DatabaseRow, level: WriteLevel): Promise<void> => {
  const { app_id: app, environment: env, name: database } = row;
  const { teamId: team } = (await appFacts(trx, app)) ?? {};
  await recordPlatformActivity(trx, {
    type: 'databaseStorage',
    reason: levelTexts[level].reason,
    level: level === 'writable' ? 'INFO' : 'WARNING',
    message: levelTexts[level].textOf(row),
    subject: subjectOf(databaseKind, { app, env, database }, { team }),
  });
};

/** Returns true while a replica from before record 61 works, during a rolling upgrade. */
const isEarlierWorkerThere = async (db: Db): Promise<boolean> => {
  const sessions = sql`select from pg_stat_activity where datname = current_database() and application_name = 'slipway presence' limit 1`;
  return (await sessions.execute(db)).rows.length > 0;
};

const connectionsOf = (row: DatabaseRow, seen: ObservedDatabase | undefined): DatabaseRow['connections'] =>
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
export const observeDatabase = async ({ db, databases }: WatcherDeps, row: DatabaseRow): Promise<ObservedDatabase | undefined> => {
  const seen = await databases.observe(targetOf(row));
  const level = seen ? writeLevelOf(row, seen) : 'writable';
  // A session that signed in at the moment of closing is ended by the next check.
  const isHeld = seen?.writes === level && (level !== 'closed' || seen.connections.length === 0);
  if (seen && !isHeld) await databases.restrictWrites(targetOf(row), level);
  if (seen) await databases.endTransactions(targetOf(row), LONGEST_TRANSACTION_MS);
  const hasNewLevel = level !== levelOf(row);
  const connections = connectionsOf(row, seen);
  const size = seen?.sizeBytes ?? null;
  const hasChanged = size !== row.size_bytes || !isDeepStrictEqual(connections, row.connections);
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
    await notifyChange(trx, hintOf(databaseKind, row));
  });
  return seen;
};

/** Returns whether the call succeeded. If not, the next check of the database tries again. The check itself reports a server that is away. */
const tryOn = async (log: Log, row: DatabaseRow, problem: string, work: (target: DatabaseTarget) => Promise<void>): Promise<boolean> => {
  try {
    await work(targetOf(row));
    return true;
  } catch (error) {
    if (!isPortFailure(error, 'notFound') && !isPortFailure(error, 'unavailable'))
      log.warn({ err: error, database: row.name, app: row.app_id }, `${problem}; trying again`);
    return false;
  }
};

const isNearlyFull = sql`active and not is_closed and size_bytes > storage_gb * ${GIGABYTE * NEARLY_FULL}::float8`;
const hasEndedPassword = sql`coalesce(former_ends_at <= now(), false)`;

export const databaseWatcher = (deps: WatcherDeps, log: Log, given: Partial<WatchTimings> = {}): Rounds => {
  const { db, databases } = deps;
  const timings = { ...watcherTimings, ...given };
  /** Databases already secured by this process. Databases of an earlier version are secured once. */
  const secured = new Set<string>();
  /** Waits for the end of earlier workers, which cannot work with a database that the platform owns. */
  const secure = async (row: DatabaseRow): Promise<void> => {
    if (secured.has(row.id) || (await isEarlierWorkerThere(db))) return;
    if (await tryOn(log, row, 'A database could not be taken over', (target) => databases.secure(target))) secured.add(row.id);
  };
  const check = async (row: DatabaseRow): Promise<void> => {
    if (row.state !== 'ACTIVE') return;
    await secure(row);
    const seen = await observeDatabase(deps, row);
    if (seen?.hasReaderObjects)
      await tryOn(log, row, 'What a read-only login created is still there', (target) => databases.clearReaders(target));
  };
  const endFormer = async (row: DatabaseRow): Promise<void> => {
    if (row.former_ends_at && row.former_ends_at <= new Date()) await endFormerPassword(deps, row);
  };
  return watchRows<DatabaseRow, 'region'>(db, log, {
    ...timings,
    table: 'database',
    where: sql`state = 'ACTIVE' or ${hasEndedPassword}`,
    soon: { everyMs: timings.tickMs, when: sql`${hasEndedPassword} or (${isNearlyFull})` },
    engine: 'region',
    batch: AT_ONCE,
    together: 1,
    observe: (rows) => eachByItself(rows, (row) => eachByItself([endFormer, check], (turn) => turn(row))),
    warning: 'The databases could not be looked at; trying again',
  });
};
