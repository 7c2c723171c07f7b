/** Paths of log files on disk. Every replica that shares the data directory finds them. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { mapLimited } from '@slipway/foundation/map-limited.ts';
import type { RevisionRef } from '@slipway/foundation/ports/runtime.ts';

export const LOG_SUFFIX = '.log';
/** Rotated file: one per instance is kept when the current one is full. */
export const FORMER_SUFFIX = '.log.1';
const KEPT_INSTANCES = 20;

export const logDirectory = (dataDir: string, ref: RevisionRef): string =>
  join(dataDir, 'logs', ref.app, ref.environment, ref.service, ref.revision);

/** Returns the ids of instances with a log, oldest first. */
export async function loggedInstances(directory: string): Promise<readonly string[]> {
  const names = (await readdir(directory).catch(() => [])).filter((name) => name.endsWith(LOG_SUFFIX));
  const ages = await mapLimited(names, async (name) => ({ name, at: await modifiedAt(join(directory, name)) }));
  return ages.toSorted((left, right) => left.at - right.at).map(({ name }) => name.slice(0, -LOG_SUFFIX.length));
}

/** Called before another instance of a revision gets a log. Otherwise instances that come and go would fill the disk. */
export async function dropOldestLogs(directory: string): Promise<void> {
  const instances = await loggedInstances(directory);
  for (const instance of instances.slice(0, Math.max(0, instances.length - KEPT_INSTANCES + 1))) {
    await rm(join(directory, instance + LOG_SUFFIX), { force: true });
    await rm(join(directory, instance + FORMER_SUFFIX), { force: true });
  }
}

/** Removes the directories of revisions that have not logged for `ageMs`. */
export async function dropOldRevisions(dataDir: string, ageMs: number): Promise<void> {
  const logs = join(dataDir, 'logs');
  const directories = await readdir(logs, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of directories) {
    const path = join(entry.parentPath, entry.name);
    // app/environment/service/revision
    if (!entry.isDirectory() || path.slice(logs.length + 1).split('/').length !== 4) continue;
    const newest = Math.max(0, ...(await mapLimited(await readdir(path), (name) => modifiedAt(join(path, name)))));
    if (Date.now() - newest > ageMs) await rm(path, { recursive: true, force: true });
  }
}

const modifiedAt = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
