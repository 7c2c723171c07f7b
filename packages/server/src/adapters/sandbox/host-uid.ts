/**
 * Users of the machine for each service and each build, so that root's rights are given up before foreign code runs. They are handed out by
 * a table that all servers of this machine share: no two keys ever have the same, whatever they are called.
 */
import { createHash } from 'node:crypto';
import { chownSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode } from '#kernel/caught.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** Far from people (1000…), system users, the embedded PostgreSQL (60742), `nobody` (65534) and systemd's own range, which begins at 524288. */
const WIDE = { first: 200_000, count: 300_000 };
/** Inside a container whose user namespace holds only 65,536 ids. */
const NARROW = { first: 20_000, count: 40_000 };
/** The program's, and the one after it for the set-up of its namespaces. */
const EACH = 2;
/** Empty after each start of the machine, as its process table is. */
const TABLE = '/run/slipway-uids';

const taken = new Map<string, number>();

/** The first of two ids that are the key's alone until they are released. A key is e.g. `app/environment/service`. */
export function hostUid(key: string): number {
  const uid = taken.get(key) ?? take(key);
  taken.set(key, uid);
  return uid;
}

/** Gives the ids of a key back, once nothing runs as them and no file is theirs. */
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
  // Without root nothing runs as another user: there is nothing to share out.
  if (process.getuid?.() !== 0) return first + start * EACH;
  for (let step = 0; step < places; step++) {
    const uid = first + ((start + step) % places) * EACH;
    if (claim(uid, name.toString('hex'))) return uid;
  }
  throw new Error('All users of the machine that are set aside for services are taken.');
}

/** Making the file decides between two servers that want the same. */
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
    // A machine without /run, or one where it may not be written.
  }
  return temporaryDirectory('slipway-uids', 0o700);
}

let mapped: number | undefined;

/** How many ids, from 0, exist in this user namespace. */
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
