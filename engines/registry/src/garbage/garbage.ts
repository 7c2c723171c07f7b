// Garbage collection. Deletes blobs that no manifest needs any longer, and leftovers of interrupted pushes. Safe during pushes and
// during a collection on another replica, because each blob is deleted in its own transaction that locks its row.
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
import { transaction } from '@slipway/postgres/pool-transaction.ts';
import { deleteStaleUploads, selectKnownParts } from '../uploads/upload.sql.ts';

/** Default of `graceMs`: one hour. */
export const GRACE_MS = 3600_000;
/** An upload can be resumed for a day. */
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
  // Reads the directory first, so that the list contains no file committed later.
  const old = await files.incomingBefore(orphanBefore);
  const known = await selectKnownParts(pool, old);
  const gone = [...stale, ...old.filter((file) => !known.has(file))];
  await files.discard(gone);
  return new Set(gone).size;
}

function sweepBlob({ pool, files }: RegistryContext, digest: string, before: Date): Promise<boolean> {
  return transaction(pool, async (client) => {
    if (!(await deleteUnreferencedBlob(client, digest, before))) return false;
    // Before the commit: a push of the same digest waits for this row and then uploads the file again.
    await files.remove(digest);
    return true;
  });
}

/** Gives each file without a row a new row, so that a later collection deletes it. A crash between move and commit leaves such files. */
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

/** Collects if no other replica is doing so. The lock belongs to the session, so a dead replica releases it. */
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
