/**
 * Users of the machine for each service and each build, so that foreign code never runs as root. A table that all servers on this machine
 * share assigns them, so no two keys share a user.
 */
import { createHash } from 'node:crypto';
import { chownSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode } from '@slipway/foundation/caught.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** Avoids regular users (1000…), system users, the embedded PostgreSQL (60742), `nobody` (65534) and systemd's own range from 524288. */
const WIDE = { first: 200_000, count: 300_000 };
/** For containers whose user namespace holds only 65,536 ids. */
const NARROW = { first: 20_000, count: 40_000 };
/** One id for the program, and the next one for setting up its namespaces. */
const EACH = 2;
/** Emptied at each boot of the machine, like its process table. */
const TABLE = '/run/slipway-uids';

const taken = new Map<string, number>();

/** Returns the first of two ids that are reserved for the key until released. A key is e.g. `app/environment/service`. */
export function hostUid(key: string): number {
  const uid = taken.get(key) ?? take(key);
  taken.set(key, uid);
  return uid;
}

/** Releases the ids of a key, once no process and no file uses them. */
export function releaseHostUid(key: string): void {
  const uid = taken.get(key);
  if (uid === undefined || !taken.delete(key) || process.getuid?.() !== 0) return;
  rmSync(join(table(), String(uid)), { force: true });
}

function take(key: string): number {
  const { count, first } = mappedIds() > WIDE.first + WIDE.count ? WIDE : NARROW;
  const name = createHash('sha256').update(key).digest();
  const places = count / EACH;
  const start = name.readUInt32BE(0) % places;
  // Without root nothing runs as another user, so nothing needs to be reserved.
  if (process.getuid?.() !== 0) return first + start * EACH;
  for (let step = 0; step < places; step++) {
    const uid = first + ((start + step) % places) * EACH;
    if (claim(uid, name.toString('hex'))) return uid;
  }
  throw new Error('All users of the machine that are set aside for services are taken.');
}

/** Claims an id. Exclusive file creation decides between two servers that want the same id. */
function claim(uid: number, name: string): boolean {
  const file = join(table(), String(uid));
  try {
    writeFileSync(file, name, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    return readFileSync(file, 'utf8') === name;
  }
}

let directory: string | undefined;
function table(): string {
  return (directory ??= makeTable());
}

function makeTable(): string {
  try {
    mkdirSync(TABLE, { recursive: true, mode: 0o700 });
    chownSync(TABLE, 0, 0);
    if (lstatSync(TABLE).isDirectory()) return TABLE;
  } catch {
    // `/run` is missing or not writable.
  }
  return temporaryDirectory('slipway-uids', 0o700);
}

let mapped: number | undefined;

/** Returns how many ids, from 0, exist in this user namespace. */
function mappedIds(): number {
  if (mapped !== undefined) return mapped;
  try {
    const rows = readFileSync('/proc/self/uid_map', 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number));
    mapped = Math.max(...rows.map(([inside = 0, , count = 0]) => inside + count));
  } catch {
    mapped = Number.POSITIVE_INFINITY;
  }
  return mapped;
}
