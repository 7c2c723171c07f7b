/** What stands in the data directory, and what a backup does with each of it. A test compares the list with what a running platform makes. */
import path from 'node:path';

/** `kept` goes into the archive, `anew` is made by the platform, `here` has a meaning on this machine and at this moment alone. */
export const dataPlaces: Readonly<Record<string, 'kept' | 'anew' | 'here'>> = {
  // Its rows are copied, and given to a new cluster or to a database of one's own.
  pg: 'anew',
  'pg.password': 'anew',
  'version.json': 'anew',
  keys: 'kept',
  git: 'kept',
  registry: 'kept',
  images: 'anew',
  builds: 'anew',
  // Backups of apps' databases: their rows are left out, too.
  'database-backups': 'here',
  scanning: 'anew',
  // The cluster of the databases of apps: a copy of its files while it runs would be none.
  databases: 'here',
  // The messages of the embedded broker: a copy of its files while it runs would be none.
  streaming: 'here',
  // Logs and marks of instances that run here.
  runtime: 'here',
  'pg.lock': 'here',
  'pg.lock.pid': 'here',
  'runtime.lock': 'here',
  'runtime.lock.pid': 'here',
  'deletions.lock': 'here',
  'backup.lock': 'here',
};

/** Held while repositories are renamed away, and by a backup while it pins them. */
export const deletionLock = (dataDir: string): string => path.join(dataDir, 'deletions.lock');

/** Held for as long as a backup lasts: one at a time. */
export const backupLock = (dataDir: string): string => path.join(dataDir, 'backup.lock');

/** Stands in the data directory while a restore writes there, and stays when it does not come to its end. */
export const restoreMark = (dataDir: string): string => path.join(dataDir, 'restore-unfinished');

/** The same in the database. */
export const MARK_TABLE = 'slipway_restore_unfinished';
