// Garbage collection: what no manifest needs any more, and what broken pushes left behind. Safe beside pushes and beside
// itself on another replica: each blob goes in a transaction of its own that holds its row.
import type { RegistryContext } from '../context.ts';
import {
  deleteUnneededLinks,
  deleteUnreferencedBlob,
  insertOrphanBlob,
  releaseGarbageLock,
  selectKnownBlobs,
  selectUnreferencedBlobs,
  tryGarbageLock,
} from './garbage.sql.ts';
import { foldUsage, selectUnfolded } from '../quota/usage.sql.ts';
import { transaction } from '#db/pool-transaction.ts';
import { deleteStaleUploads, selectKnownParts } from '../uploads/upload.sql.ts';

/** Of a registry that is not asked for less. */
export const GRACE_MS = 3600_000;
/** An upload may be carried on for a day. */
export const UPLOAD_MS = 24 * 3600_000;

export interface GarbageReport {
  readonly links: number;
  readonly blobs: number;
  readonly uploadFiles: number;
  readonly orphans: number;
}

export async function collectGarbage(context: RegistryContext): Promise<GarbageReport> {
  const now = context.now().getTime();
  const before = new Date(now - context.limits.graceMs);
  const uploadFiles = await sweepUploads(context, new Date(now - UPLOAD_MS), before);
  const links = await deleteUnneededLinks(context.pool, before);
  let blobs = 0;
  for (const digest of await selectUnreferencedBlobs(context.pool, before)) {
    if (await sweepBlob(context, digest, before)) blobs += 1;
  }
  for (const project of await selectUnfolded(context.pool)) await foldUsage(context.pool, project);
  return { links, blobs, uploadFiles, orphans: await adoptOrphans(context, before) };
}

async function sweepUploads({ pool, files }: RegistryContext, staleBefore: Date, orphanBefore: Date): Promise<number> {
  const stale = await deleteStaleUploads(pool, staleBefore);
  // The directory first: a file that is committed after this look is not in the list.
  const old = await files.incomingBefore(orphanBefore);
  const known = await selectKnownParts(pool, old);
  const gone = [...stale, ...old.filter((file) => !known.has(file))];
  await files.discard(gone);
  return new Set(gone).size;
}

function sweepBlob({ pool, files }: RegistryContext, digest: string, before: Date): Promise<boolean> {
  return transaction(pool, async (client) => {
    if (!(await deleteUnreferencedBlob(client, digest, before))) return false;
    // Before the commit: whoever pushes the same digest waits for this row, and then brings the file again.
    await files.remove(digest);
    return true;
  });
}

/** Files without a row come from a crash between move and commit. They get a row, and with it the usual end an hour later. */
async function adoptOrphans({ pool, files, now, log }: RegistryContext, before: Date): Promise<number> {
  let adopted = 0;
  for await (const digests of files.storedBefore(before)) {
    const known = await selectKnownBlobs(pool, digests);
    for (const digest of digests) {
      if (known.has(digest)) continue;
      await insertOrphanBlob(pool, digest, now());
      adopted += 1;
    }
  }
  if (adopted > 0) log.warn({ adopted }, 'registry: files without a row found');
  return adopted;
}

/** Collects if no other replica is doing so. The lock is the session's, so a dead replica lets go of it. */
export async function collectGarbageAlone(context: RegistryContext): Promise<GarbageReport | undefined> {
  const client = await context.pool.connect();
  let failure: Error | undefined;
  try {
    if (!(await tryGarbageLock(client))) return undefined;
    const report = await collectGarbage(context);
    await releaseGarbageLock(client);
    return report;
  } catch (error) {
    // Ends the session, and with it the lock.
    failure = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    client.release(failure);
  }
}
