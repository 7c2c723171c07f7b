/** A user id of the machine for each service and each build, so that root's rights are given up before foreign code runs. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Far from people (1000…), system users, the embedded PostgreSQL (60742), `nobody` (65534) and systemd's own range. */
const WIDE = { first: 200_000, count: 60_000 };
/** Inside a container whose user namespace holds only 65,536 ids. */
const NARROW = { first: 20_000, count: 40_000 };

/**
 * Stable for a key such as `app/environment/service`. Two keys may fall on one id; they are still apart by their mount and
 * process namespaces.
 */
export function hostUid(key: string): number {
  const { first, count } = mappedIds() > WIDE.first + WIDE.count ? WIDE : NARROW;
  return first + (createHash('sha256').update(key).digest().readUInt32BE(0) % count);
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
