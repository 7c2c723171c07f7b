/** The entries of the data directory and how a backup treats them. A test compares the list with those of a running platform. */
import path from 'node:path';

/** `kept` goes into the archive. `anew` is recreated by the platform. `here` is valid only on this machine at this moment. */
export const dataPlaces: Readonly<Record<string, 'kept' | 'anew' | 'here'>> = {
  // Its rows are in the archive; a restore writes them to a new cluster or to an external database.
  pg: 'anew',
  'pg.password': 'anew',
  'version.json': 'anew',
  keys: 'kept',
  git: 'kept',
  registry: 'kept',
  images: 'anew',
  builds: 'anew',
  // Backups of apps' databases; their rows are left out, too.
  'database-backups': 'here',
  scanning: 'anew',
  // The cluster of the apps' databases: copying its files while it runs gives no valid copy.
  databases: 'here',
  // The embedded broker's messages: copying its files while it runs gives no valid copy.
  streaming: 'here',
  // Logs and marks of the instances on this machine.
  runtime: 'here',
  'pg.lock': 'here',
  'pg.lock.pid': 'here',
  'runtime.lock': 'here',
  'runtime.lock.pid': 'here',
  'deletions.lock': 'here',
  'backup.lock': 'here',
};

/** Held while repositories are renamed for deletion, and by a backup while it pins them. */
export const deletionLock = (dataDir: string): string => path.join(dataDir, 'deletions.lock');

/** Held for the duration of a backup: only one runs at a time. */
export const backupLock = (dataDir: string): string => path.join(dataDir, 'backup.lock');

/** File in the data directory that exists during a restore and stays if the restore fails. */
export const restoreMark = (dataDir: string): string => path.join(dataDir, 'restore-unfinished');

/** The same mark as a table in the database. */
export const MARK_TABLE = 'slipway_restore_unfinished';
