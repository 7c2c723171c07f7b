/**
 * Where the embedded PostgreSQL keeps its cluster and as whom it runs. PostgreSQL refuses uid 0, so under root it runs as a user of
 * its own, in a directory that this user can reach and that nobody else can read.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { StartError } from '#kernel/start-error.ts';

export interface PostgresUser {
  readonly uid: number;
  readonly gid: number;
}

export interface PostgresDirectory {
  /** Mode 0700, the database user's own: holds `cluster`, the log and, when its path is short enough, the socket. */
  readonly home: string;
  /** Undefined: the same user as this process. */
  readonly user: PostgresUser | undefined;
}

/**
 * Without a name in the machine's table of users, so that nothing else runs as it: above people and the ids of services inside
 * containers (60,000), below those that systemd hands out (61,184), and unlike `nobody` shared with no other program.
 */
export const OWN_USER: PostgresUser = { uid: 60_742, gid: 60_742 };

/** macOS allows 103 bytes for the path of a socket, Linux 107; PostgreSQL adds its name with the port. */
const SOCKET_DIRECTORY_BYTES = 103 - '/.s.PGSQL.54321'.length;

/** True when the user may pass through every directory on the way to the file, and the file itself. */
export function isTraversable(file: string, user: PostgresUser): boolean {
  for (let at = fs.realpathSync(file); ; at = path.dirname(at)) {
    const { uid, gid, mode } = fs.statSync(at);
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if (!(mode & bit)) return false;
    if (at === path.dirname(at)) return true;
  }
}

/** True when there is a cluster. Throws when there was one, and its place is known but empty: beside it nothing may be made. */
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

/** Finds or makes the directory. `fallback` holds it when root's data directory is closed to `own`, PostgreSQL's user under root. */
export function preparePostgresDirectory(dataDir: string, fallback = '/var/lib/slipway', own = OWN_USER): PostgresDirectory {
  fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const data = fs.realpathSync(dataDir);
  isDatabaseThere(data);
  const wanted = path.join(data, 'pg');
  if (process.getuid?.() !== 0) return { home: ownHome(wanted), user: undefined };
  // A cluster that exists keeps its place: choosing anew would hide its data behind an empty database. So does its owner, who started
  // Slipway before without being root; but `nobody`, as whom earlier versions ran it, is no owner.
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
  // The home itself is handed over to the user.
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
  /** Who lives there: `PostgreSQL`. */
  readonly what: string;
}
/**
 * The link in the data directory is what makes the outside directory ours: without it (the data directory was deleted) a new
 * one is made, since the old one's rows are wrapped with keys that are gone.
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

/** The socket's directory: the home itself, or one of mode 0700 under /tmp when the home's path is too long for a socket. */
export function prepareSocketDirectory({ home, user }: PostgresDirectory): { path: string; remove: () => void } {
  if (Buffer.byteLength(home) <= SOCKET_DIRECTORY_BYTES) return { path: home, remove: () => {} };
  const parent = Buffer.byteLength(os.tmpdir()) < SOCKET_DIRECTORY_BYTES / 2 ? os.tmpdir() : '/tmp';
  const directory = fs.mkdtempSync(path.join(parent, 'slipway-pg-'));
  if (user) fs.chownSync(directory, user.uid, user.gid);
  return { path: directory, remove: () => fs.rmSync(directory, { recursive: true, force: true }) };
}

/** Gives a directory and all that is in it to the user. The directory itself comes last: one that is the user's is wholly so. */
export function handOver(directory: string, { uid, gid }: PostgresUser): void {
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    const file = path.join(directory, entry.name);
    if (entry.isDirectory()) handOver(file, { uid, gid });
    else fs.lchownSync(file, uid, gid);
  }
  fs.lchownSync(directory, uid, gid);
}

/** macOS and Linux number `nobody` differently. */
export function nobody(): PostgresUser {
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
