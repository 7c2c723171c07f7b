/**
 * One process per directory: an exclusive lock that the kernel drops when its holder dies, however it dies.
 * Node has no flock; SQLite's file lock (fcntl on every Unix) is the one that ships with it.
 */
import fs from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '#kernel/start-error.ts';

export interface DirectoryLock {
  /** May be called again. */
  release(): void;
}

const SQLITE_BUSY = 5;

/**
 * Takes the lock file at once or throws; `what` names the thing in the message that the second process shows.
 * The file stays empty: it is only ever locked, never written. The holder's process id stands beside it, for that message alone.
 */
export function lockDirectory(file: string, what: string): DirectoryLock {
  const lock = tryLockFile(file);
  if (lock) return lock;
  throw new StartError(
    `${what} is in use by another Slipway process${describeHolder(`${file}.pid`)}. Stop it first, or set SLIPWAY_DATA to another ` +
      'directory; several replicas need DATABASE_URL.',
  );
}

/** Undefined when another process has it. */
export function tryLockFile(file: string): DirectoryLock | undefined {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('pragma journal_mode = memory; begin exclusive');
  } catch (cause) {
    database.close();
    if ((cause as { errcode?: number }).errcode !== SQLITE_BUSY) throw cause;
    return undefined;
  }
  fs.writeFileSync(`${file}.pid`, `${process.pid}\n`, { mode: 0o600 });
  const release = () => {
    if (database.isOpen) database.close();
  };
  return { release };
}

function describeHolder(holderFile: string): string {
  try {
    return ` (process ${fs.readFileSync(holderFile, 'utf8').trim()})`;
  } catch {
    return '';
  }
}
