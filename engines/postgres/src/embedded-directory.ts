/**
 * Chooses the directory and the user of the embedded PostgreSQL. PostgreSQL refuses uid 0, so under root it runs as a dedicated user,
 * in a directory that this user can reach and nobody else can read.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { StartError } from '@slipway/foundation/start-error.ts';

export interface PostgresUser {
  readonly uid: number;
  readonly gid: number;
}

export interface PostgresDirectory {
  /** Mode 0700, owned by the database user. Contains `cluster`, the log and, if its path is short enough, the socket. */
  readonly home: string;
  /** Undefined for the user of this process. */
  readonly user: PostgresUser | undefined;
}

/**
 * A uid without an entry in the machine's user table, so that nothing else runs as it. It is above people and container services
 * (60,000) and below systemd's dynamic users (61,184). Unlike `nobody`, no other program shares it.
 */
export const OWN_USER: PostgresUser = { uid: 60_742, gid: 60_742 };

/** macOS allows 103 bytes for a socket's path, Linux 107; PostgreSQL appends its name with the port. */
const SOCKET_DIRECTORY_BYTES = 103 - '/.s.PGSQL.54321'.length;

/** Returns true if the user can traverse every directory on the way to the file, and the file itself. */
export function isTraversable(file: string, user: PostgresUser): boolean {
  for (let at = fs.realpathSync(file); ; at = path.dirname(at)) {
    const { uid, gid, mode } = fs.statSync(at);
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if (!(mode & bit)) return false;
    if (at === path.dirname(at)) return true;
  }
}

/** Returns true if there is a cluster. Throws if the directory that held one is missing: no new one may be created then. */
export function isDatabaseThere(dataDir: string): boolean {
  const wanted = path.join(dataDir, 'pg');
  const link = fs.lstatSync(wanted, { throwIfNoEntry: false });
  if (!link) return false;
  if (link.isSymbolicLink() && !fs.existsSync(wanted))
    throw new StartError(
      `The database of ${dataDir} lies in ${fs.readlinkSync(wanted)}, which is not there. Restore that directory from the backup, ` +
        'with its owner. See docs/recipes/back-up-and-restore.md.',
    );
  return fs.existsSync(path.join(wanted, 'cluster'));
}

/** Finds or creates the directory. Uses `fallback` if `own`, PostgreSQL's user under root, cannot reach root's data directory. */
export function preparePostgresDirectory(dataDir: string, fallback = '/var/lib/slipway', own = OWN_USER): PostgresDirectory {
  fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const data = fs.realpathSync(dataDir);
  isDatabaseThere(data);
  const wanted = path.join(data, 'pg');
  if (process.getuid?.() !== 0) return { home: ownHome(wanted), user: undefined };
  // An existing cluster keeps its directory: choosing again would hide its data behind an empty database. It also keeps its owner, who
  // started Slipway without root before. The exception is `nobody`, which earlier versions used.
  const existing = fs.statSync(path.join(wanted, 'cluster'), { throwIfNoEntry: false });
  const isKept = existing && existing.uid !== own.uid && ![0, nobody().uid].includes(existing.uid);
  const user = isKept ? { uid: existing.uid, gid: existing.gid } : own;
  if (existing) return existingHome(fs.realpathSync(wanted), user);
  const home = isTraversable(data, user) ? makeHome(wanted) : linkHome(wanted, { data, fallback, user, what: 'PostgreSQL' });
  fs.chownSync(home, user.uid, user.gid);
  fs.chmodSync(home, 0o700);
  return { home, user };
}

function ownHome(wanted: string): string {
  const home = makeHome(wanted);
  const { uid } = fs.statSync(home);
  if (uid !== process.getuid?.())
    throw new StartError(`${home} belongs to uid ${uid}: start Slipway as the user who first started it, or as root`);
  return home;
}

function existingHome(home: string, user: PostgresUser): PostgresDirectory {
  // Only the directories above matter: the home itself is handed over to the user.
  if (isTraversable(path.dirname(home), user)) return { home, user };
  throw new StartError(
    `PostgreSQL runs as uid ${user.uid}, who cannot reach ${home}: let others pass through the directories above it (chmod o+x)`,
  );
}

export function makeHome(wanted: string): string {
  fs.mkdirSync(wanted, { recursive: true, mode: 0o700 });
  return fs.realpathSync(wanted);
}

export interface OutsideHome {
  readonly data: string;
  readonly fallback: string;
  readonly user: PostgresUser;
  /** Name of the program that uses the directory: `PostgreSQL`. */
  readonly what: string;
}
/**
 * Returns the outside directory that the link in the data directory points to. Without the link (the data directory was deleted) it
 * creates a new directory, since the old one's rows are encrypted with keys that are gone.
 */
export function linkHome(link: string, { data, fallback, user, what }: OutsideHome): string {
  const linked = fs.lstatSync(link, { throwIfNoEntry: false });
  if (linked?.isSymbolicLink()) return fs.realpathSync(link);
  fs.mkdirSync(fallback, { recursive: true, mode: 0o755 });
  if (!isTraversable(fallback, user))
    throw new StartError(
      `${what} cannot run as root, and uid ${user.uid} can reach neither ${data} nor ${fallback}: run Slipway as another user`,
    );
  const name = createHash('sha256').update(data).digest('hex').slice(0, 12);
  const home = fs.mkdtempSync(path.join(fs.realpathSync(fallback), `${name}-`));
  if (linked) fs.rmSync(link, { recursive: true });
  fs.symlinkSync(home, link);
  return home;
}

/** Returns the socket's directory: the home, or a 0700 directory under /tmp if the home's path is too long for a socket. */
export function prepareSocketDirectory({ home, user }: PostgresDirectory): { path: string; remove: () => void } {
  if (Buffer.byteLength(home) <= SOCKET_DIRECTORY_BYTES) return { path: home, remove: () => {} };
  const parent = Buffer.byteLength(os.tmpdir()) < SOCKET_DIRECTORY_BYTES / 2 ? os.tmpdir() : '/tmp';
  const directory = fs.mkdtempSync(path.join(parent, 'slipway-pg-'));
  if (user) fs.chownSync(directory, user.uid, user.gid);
  return { path: directory, remove: () => fs.rmSync(directory, { recursive: true, force: true }) };
}

/** Changes the owner of a directory tree. The directory itself comes last, so its owner tells whether all of it was changed. */
export function handOver(directory: string, { uid, gid }: PostgresUser): void {
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    const file = path.join(directory, entry.name);
    if (entry.isDirectory()) handOver(file, { uid, gid });
    else fs.lchownSync(file, uid, gid);
  }
  fs.lchownSync(directory, uid, gid);
}

/** Returns the ids of `nobody`, which differ between macOS and Linux. */
export function nobody(): PostgresUser {
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
