/**
 * Fixes the point in time of a backup. Garbage collection and repository deletions wait during the seconds that hard links take. The rows
 * are fixed first and the files after them, so that every row's file exists. Files added later are harmless extras.
 */
import fs from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { FileKeys } from '#adapters/keys-file/file-keys.ts';
import { BlobFiles } from '@slipway/registry/content/blob-files.ts';
import { releaseGarbageLock, tryGarbageLock } from '@slipway/registry/garbage/garbage.sql.ts';
import { repositoriesIn, repositoryFiles, type RepositoryFiles } from '@slipway/git/repository-backup.ts';
import { createClient } from '#db/connections.ts';
import { tryLockFile } from '#db/directory-lock.ts';
import { mapLimited } from '#kernel/map-limited.ts';
import { StartError } from '#kernel/start-error.ts';
import { repositoryPart } from './archive-format.ts';
import { backupLock, deletionLock } from './data-places.ts';
import { PinnedFiles, type PinnedFile } from './pinned-files.ts';
import { openSnapshot, type Snapshot } from './snapshot.ts';

export interface Pinned {
  readonly snapshot: Snapshot;
  readonly repositories: readonly {
    readonly texts: RepositoryFiles['texts'];
    readonly prefix: (file: string) => string;
    readonly objects: ReadonlyMap<string, PinnedFile>;
  }[];
  readonly blobs: ReadonlyMap<string, PinnedFile>;
  /** Files of `keys` by name. */
  readonly keys: Readonly<Record<string, string>>;
  readonly neededKeys: readonly string[];
  /** Faults of the platform itself, which a backup reports but cannot repair. */
  readonly warnings: readonly string[];
  release(): Promise<void>;
}

/** Garbage collection of a large registry takes minutes. */
const PATIENCE_MS = 600_000;
const POLL_MS = 50;

async function until<Value>(take: () => Promise<Value | undefined> | Value | undefined, what: string): Promise<Value> {
  for (const deadline = performance.now() + PATIENCE_MS; ; await delay(POLL_MS)) {
    const taken = await take();
    if (taken !== undefined) return taken;
    if (performance.now() > deadline) throw new StartError(`${what} did not end for ${PATIENCE_MS / 60_000} minutes: try again later`);
  }
}

export async function pinEverything(connection: pg.ClientConfig, dataDir: string): Promise<Pinned> {
  // A file lock survives a database restart. Two backups would delete each other's links.
  const alone = tryLockFile(backupLock(dataDir));
  if (!alone) throw new StartError('Another backup of this platform is under way: wait for its end');
  try {
    const pinned = await pinQuietly(connection, dataDir);
    return { ...pinned, release: () => pinned.release().finally(() => alone.release()) };
  } catch (error) {
    alone.release();
    throw error;
  }
}

/** Pins while garbage collection and deletions are blocked. */
async function pinQuietly(connection: pg.ClientConfig, dataDir: string): Promise<Pinned> {
  const guard = createClient({ ...connection, application_name: 'slipway backup' });
  try {
    await guard.connect();
    await until(async () => (await tryGarbageLock(guard)) || undefined, 'The garbage collection of the registry');
    const deletions = await until(() => tryLockFile(deletionLock(dataDir)), 'A deletion of a repository');
    try {
      return await pinHeld(connection, dataDir);
    } finally {
      deletions.release();
    }
  } finally {
    await releaseGarbageLock(guard).catch(() => {});
    await guard.end().catch(() => {});
  }
}

async function pinHeld(connection: pg.ClientConfig, dataDir: string): Promise<Pinned> {
  const snapshot = await openSnapshot(connection);
  const pins: PinnedFiles[] = [];
  const open = async (folder: string): Promise<PinnedFiles> => {
    const files = await PinnedFiles.open(path.join(dataDir, folder));
    pins.push(files);
    return files;
  };
  const release = async (): Promise<void> => {
    await snapshot.close().catch(() => {});
    for (const files of pins) await files.release();
  };
  try {
    const repositories = await pinRepositories(snapshot, dataDir, () => open('git/.backup'));
    const { blobs, warnings } = await pinBlobs(snapshot, dataDir, () => open('registry/backup'));
    const keys = await readKeys(snapshot, dataDir);
    return { snapshot, repositories, blobs, ...keys, warnings: [...warnings, ...keys.warnings], release };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Pins the repositories of apps in the snapshot. One that is just being created may be missing: its first step creates it again. */
async function pinRepositories(snapshot: Snapshot, dataDir: string, open: () => Promise<PinnedFiles>): Promise<Pinned['repositories']> {
  const root = path.join(dataDir, 'git');
  if (!fs.existsSync(root)) return [];
  const apps = new Set((await snapshot.query<{ id: string }>('select id from app')).map(({ id }) => id));
  const pins = await open();
  const found: { texts: RepositoryFiles['texts']; prefix: (file: string) => string; objects: Map<string, PinnedFile> }[] = [];
  for await (const repository of repositoriesIn(root, (owner) => apps.has(owner))) {
    const { ref, texts, objects } = await repositoryFiles(repository);
    const pinned = new Map<string, PinnedFile>();
    for (const object of objects)
      pinned.set(object, await pins.pin(path.join(repository.gitDir, object), path.join(ref.owner, ref.name, object)));
    found.push({ texts, prefix: (file) => repositoryPart(ref.owner, ref.name, file), objects: pinned });
  }
  return found;
}

async function pinBlobs(
  snapshot: Snapshot,
  dataDir: string,
  open: () => Promise<PinnedFiles>,
): Promise<{ blobs: Map<string, PinnedFile>; warnings: string[] }> {
  const rows = await snapshot.query<{ digest: string }>('select digest from registry_blob order by digest');
  const blobs = new Map<string, PinnedFile>();
  const warnings: string[] = [];
  if (rows.length === 0) return { blobs, warnings };
  const files = new BlobFiles(path.join(dataDir, 'registry'));
  const pins = await open();
  for (const { digest } of rows) {
    const pinned = await pins.pin(files.pathOf(digest), digest.replace(':', '/')).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      warnings.push(`The registry has lost the file of ${digest}: images that need it cannot be pulled, and the backup lacks it, too.`);
    });
    if (pinned) blobs.set(digest, pinned);
  }
  return { blobs, warnings };
}

async function readKeys(snapshot: Snapshot, dataDir: string): Promise<Pick<Pinned, 'keys' | 'neededKeys' | 'warnings'>> {
  const directory = path.join(dataDir, 'keys');
  const kept = new Set(await new FileKeys(directory).kids());
  const needed = (await snapshot.query<{ kid: string }>('select distinct kid from platform_key order by kid')).map(({ kid }) => kid);
  const missing = needed.filter((kid) => !kept.has(kid));
  if (missing.length > 0)
    throw new StartError(
      `${directory} does not hold ${missing.join(', ')}, which this database needs: nobody could use the backup. Is SLIPWAY_DATA the data directory of this platform?`,
    );
  const wrapped = (await snapshot.query<{ kid: string }>('select distinct kid from secret_version order by kid')).map(({ kid }) => kid);
  const warnings = wrapped
    .filter((kid) => !kept.has(kid))
    .map((kid) => `${directory} does not hold ${kid}: secrets that it wraps cannot be opened, here or after a restore.`);
  const names = fs.existsSync(directory) ? fs.readdirSync(directory).filter((name) => /^[1-9]\d{0,8}\.key$/.test(name)) : [];
  const files = await mapLimited(names, async (name) => [name, await readFile(path.join(directory, name), 'utf8')] as const);
  return { keys: Object.fromEntries(files), neededKeys: needed, warnings };
}
