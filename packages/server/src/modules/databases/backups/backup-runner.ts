/**
 * Makes and checks backups one after the other, on one worker at a time. If that worker dies, the next sweep of another worker resumes its
 * work. A check restores the backup into a scratch database and counts its rows.
 */
import type { Pool } from 'pg';
import { tryLock } from '#db/advisory-lock.ts';
import type { Db } from '#db/database.ts';
import { noFloor, watchFloor } from '#kernel/disk-floor.ts';
import { Rounds } from '#kernel/rounds.ts';
import type { Databases, DatabaseTarget } from '#ports/databases.ts';
import type { Log } from '#ports/log.ts';
import type { BackupFiles } from './backup-files.ts';
import {
  backupIds,
  checked,
  completed,
  failed,
  hasWork,
  makeDue,
  nextBackup,
  nextCheck,
  postponed,
  takeExpired,
  takeUp,
  type BackupWork,
} from './backup-work.sql.ts';
import { CopyFailure, failureOf } from './copy/copy-failure.ts';
import { copyOut } from './copy/copy-out.ts';
import { restoreInto } from './restore-into.ts';

const SWEEP_MS = 2000;
/** Interval between two checks for due nightly backups. */
const DUE_MS = 30_000;
const LOCK = 'slipway:database-backups';
/** A check's time limit grows with the size of its backup. Restoring writes a few megabytes per second, indexes included. */
const CHECK_MINUTES = { least: 15, most: 120 };
const CHECKED_BYTES_PER_MINUTE = 64 * 2 ** 20;
/** Estimated ratio of size on disk to compressed size, for databases that no longer exist. */
const UNPACKED_FACTOR = 5;
const BACKUP_HOURS = 6;
/** Name prefix of scratch databases. Databases with this prefix never hold user data. */
const SCRATCH = 'slipway_check_';
const scratchLimits = { maxConnections: 5, statementTimeoutMs: 0, tempFileBytes: 2 ** 33, workMemoryBytes: 2 ** 26 };

export interface BackupRunnerDeps {
  readonly db: Db;
  readonly pool: Pool;
  readonly databases: Databases;
  readonly files: BackupFiles;
  /** Platform version. */
  readonly version: string;
  readonly log: Log;
  /** Time limit of one check. Defaults to a limit based on the backup's size. */
  readonly checkMinutes?: number;
}

const checkMinutesOf = ({ sizeBytes }: BackupWork): number =>
  Math.min(Math.max(Math.ceil((sizeBytes ?? 0) / CHECKED_BYTES_PER_MINUTE), CHECK_MINUTES.least), CHECK_MINUTES.most);

export class BackupRunner {
  readonly #deps: BackupRunnerDeps;
  readonly #rounds: Rounds;
  #isClean = false;
  #askedDueAt = 0;

  constructor(deps: BackupRunnerDeps) {
    this.#deps = deps;
    const warning = 'Backups of databases are held up; trying again';
    this.#rounds = new Rounds({ everyMs: SWEEP_MS, round: (signal) => this.sweep(signal), log: deps.log, warning });
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Starts a sweep now instead of at the next interval, if this replica runs backups. */
  wake(): void {
    this.#rounds.wake();
  }

  /** Resolves when no work is left or another worker holds the lock. When `stopping` aborts, the next sweep continues. */
  async sweep(stopping: AbortSignal = new AbortController().signal): Promise<void> {
    const now = new Date();
    const isDueAsked = now.getTime() - this.#askedDueAt >= DUE_MS;
    if (!isDueAsked && this.#isClean && !(await hasWork(this.#deps.db))) return;
    // A dedicated session: PostgreSQL releases the lock as soon as this process exits.
    const client = await this.#deps.pool.connect();
    let isLocked = false;
    try {
      isLocked = await tryLock(client, LOCK);
      if (!isLocked) return;
      await this.#work(now, isDueAsked, stopping);
      // Unlocks explicitly instead of closing the session, so the next worker finds the lock free.
      await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [LOCK]);
      isLocked = false;
    } finally {
      // A session that still holds the lock must not go back to the pool.
      client.release(isLocked);
    }
  }

  async #work(now: Date, isDueAsked: boolean, stopping: AbortSignal): Promise<void> {
    const { db, files } = this.#deps;
    await takeUp(db);
    for (const id of await takeExpired(db, now)) await files.remove(id);
    if (isDueAsked) {
      await makeDue(db, now);
      this.#askedDueAt = now.getTime();
    }
    for (let of = await nextBackup(db); of; of = stopping.aborted ? undefined : await nextBackup(db)) await this.#backUp(of, stopping);
    for (let of = await nextCheck(db); of; of = stopping.aborted ? undefined : await nextCheck(db)) await this.#check(of, stopping);
    if (!this.#isClean && !stopping.aborted) await this.#cleanUp();
  }

  async #backUp(of: BackupWork, stopping: AbortSignal): Promise<void> {
    const { db, databases, files, version, log } = this.#deps;
    const { serverName, region, database, id } = of;
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(BACKUP_HOURS * 3_600_000)]);
    try {
      if (serverName === null) throw new CopyFailure('CopyFailed', { reason: 'the database is deleted' });
      const source = await databases.maintenance({ region, database: serverName });
      const file = await files.fresh(id);
      const facts = await copyOut(source, { file, database, version, floor: files.floor, signal });
      await completed(db, of, facts, version);
    } catch (error) {
      await files.remove(id);
      if (stopping.aborted) return postponed(db, of, 'backup');
      const failure = failureOf(error, 'CopyFailed');
      // The reason may quote the team's data, so it is stored with the backup and not logged.
      log.warn({ backup: id, database, app: of.app, code: failure.code }, 'A backup of a database failed');
      await failed(db, of, failure);
    }
  }

  async #check(of: BackupWork, stopping: AbortSignal): Promise<void> {
    const { db, databases, files, log } = this.#deps;
    const { id, region, sha256 } = of;
    const startedAt = performance.now();
    const scratch: DatabaseTarget = { region, database: `${SCRATCH}${id.split('_').at(-1)}` };
    const minutes = this.#deps.checkMinutes ?? checkMinutesOf(of);
    const budget = new AbortController();
    const signal = AbortSignal.any([stopping, budget.signal]);
    const timer = setTimeout(() => budget.abort(new CopyFailure('CheckOutOfTime', { minutes: String(minutes) })), minutes * 60_000);
    // The embedded server writes to the platform's own disk. The free space of external servers is unknown.
    const floor = databases.kind === 'embedded' ? files.floor : noFloor;
    const unwatch = watchFloor(floor, (full) => budget.abort(failureOf(full, 'RestoreFailed')));
    let failure: CopyFailure | undefined;
    try {
      await floor.require(of.databaseBytes ?? (of.sizeBytes ?? 0) * UNPACKED_FACTOR);
      await databases.drop(scratch);
      await databases.ensure(scratch, scratchLimits);
      await restoreInto(databases, scratch, { file: files.fileOf(id), sha256: sha256 ?? '' }, signal);
    } catch (error) {
      if (stopping.aborted) await postponed(db, of, 'check');
      else failure = failureOf(error, 'RestoreFailed');
    } finally {
      clearTimeout(timer);
      unwatch();
    }
    // If the drop fails now, the next runner drops the database.
    await databases.drop(scratch).catch(() => (this.#isClean = false));
    if (stopping.aborted) return;
    if (failure) log.warn({ backup: id, app: of.app, code: failure.code }, 'A backup of a database could not be restored');
    await checked(db, of, performance.now() - startedAt, failure);
  }

  /** Removes what an earlier, killed runner left behind. Runs once per runner. */
  async #cleanUp(): Promise<void> {
    const { db, databases, files } = this.#deps;
    await files.keepOnly(await backupIds(db));
    for (const region of databases.regions)
      for (const database of await databases.list(region)) if (database.startsWith(SCRATCH)) await databases.drop({ region, database });
    this.#isClean = true;
  }
}
