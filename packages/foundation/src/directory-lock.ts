/**
 * Allows one process per directory: an exclusive lock that the kernel releases when its holder dies, however it dies.
 * Node has no flock, so this uses SQLite's file lock (fcntl on every Unix), which is part of Node.
 */
import fs from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from './start-error.ts';

export interface DirectoryLock {
  /** Idempotent. */
  release(): void;
}

const SQLITE_BUSY = 5;

/**
 * Takes the lock file immediately or throws; `what` names the resource in the error message.
 * A second file holds the holder's process id, only for that message.
 */
export function lockDirectory(file: string, what: string): DirectoryLock {
  const lock = tryLockFile(file);
  if (!lock)
    throw new StartError(
      `${what} is in use by another Slipway process${describeLeader(`${file}.pid`)}. Stop it first, or set SLIPWAY_DATA to another ` +
        'directory; several replicas need DATABASE_URL.',
    );
  fs.writeFileSync(`${file}.pid`, `${process.pid}\n`, { mode: 0o600 });
  return lock;
}

/** Returns undefined while another process has the lock. The file stays empty: it is only locked, never written. */
export function tryLockFile(file: string): DirectoryLock | undefined {
  // SQLite does not say why it can't create a file. An existing file stays closed: closing it would release this process's own lock.
  if (!fs.existsSync(file)) fs.writeFileSync(file, '', { flag: 'a' });
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    database.close();
    if (!(error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY)) throw error;
    return undefined;
  }
  const release = () => {
    if (database.isOpen) database.close();
  };
  return { release };
}

function describeLeader(holderFile: string): string {
  try {
    return ` (process ${fs.readFileSync(holderFile, 'utf8').trim()})`;
  } catch {
    return '';
  }
}
