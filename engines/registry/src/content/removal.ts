// Deletes tags and images for clients and the platform. Keeps every image that a live revision runs or an index lists.
import type { PoolClient } from 'pg';
import type { ImageUse } from '@slipway/foundation/ports/registry-content.ts';
import type { RegistryContext } from '../context.ts';
import { announce } from '../announce.ts';
import { isMissing } from '../registry-error.ts';
import { transaction } from '@slipway/postgres/pool-transaction.ts';
import { readManifest } from './manifest-document.ts';
import {
  deleteManifest,
  deleteTag,
  deleteTagsAbout,
  lockRepository,
  selectKin,
  selectTagged,
  selectUnreadIndexes,
  updateImages,
  type Kin,
} from './removal.sql.ts';

/** Thrown if a live revision runs the image. */
export class InUse extends Error {
  override readonly name = 'InUse';
  readonly use: ImageUse;
  constructor(use: ImageUse) {
    super(`the revision ${use.revision} in ${use.environment} runs this image`);
    this.use = use;
  }
}

/** Largest depth of nested indexes and attachments that a deletion follows. */
const MAX_DEPTH = 4;

/** Throws InUse if a live revision runs the image or an index that lists it. */
async function requireUnused({ rules }: RegistryContext, client: PoolClient, repository: string, digest: string): Promise<void> {
  const asked = new Set([digest]);
  for (const one of asked) {
    if (asked.size > 50) break;
    for (const parent of (await selectKin(client, repository, one))?.parents ?? []) asked.add(parent);
  }
  const use = (await rules.uses(client, repository, [...asked])).find(({ isLive }) => isLive);
  if (use) throw new InUse(use);
}

/** Deletes only the tag, for clients. Its image stays and can be pulled by digest. */
export function removeTag(context: RegistryContext, repository: string, tag: string, by: string): Promise<boolean> {
  return transaction(context.pool, async (client) => {
    if (!(await lockRepository(client, repository))) return false;
    const digest = (await selectTagged(client, repository, [tag])).get(tag);
    if (digest === undefined) return false;
    await requireUnused(context, client, repository, digest);
    await deleteTag(client, repository, tag);
    await announce(context, { type: 'DELETE_ARTIFACT', operator: by, repository, tag, digest }, client);
    return true;
  });
}

/** Deletes an image by its digest, with its tags. */
export function removeImage(context: RegistryContext, repository: string, digest: string, by: string): Promise<boolean> {
  return transaction(context.pool, async (client) => {
    if (!(await lockRepository(client, repository)) || !(await selectKin(client, repository, digest))) return false;
    await requireUnused(context, client, repository, digest);
    await deleteManifest(client, repository, digest);
    await announce(context, { type: 'DELETE_ARTIFACT', operator: by, repository, digest }, client);
    return true;
  });
}

/** Deletes a tag for users. Its last tag also deletes the image and everything that belongs only to that image. */
export async function removeTagAndImage(
  context: RegistryContext,
  repository: string,
  { tag, digest, by }: { readonly tag: string; readonly digest: string; readonly by: string },
): Promise<boolean> {
  await readOldIndexes(context, repository);
  return transaction(context.pool, async (client) => {
    if (!(await lockRepository(client, repository))) return false;
    if ((await selectTagged(client, repository, [tag])).get(tag) !== digest) return false;
    await requireUnused(context, client, repository, digest);
    await deleteTag(client, repository, tag);
    await sweep(context, client, repository, digest, MAX_DEPTH);
    await announce(context, { type: 'DELETE_ARTIFACT', operator: by, repository, tag, digest }, client);
    return true;
  });
}

const isNeeded = ({ isTagged, parents }: Kin): boolean => isTagged || parents.length > 0;

/** Deletes an image that no tag, index or live revision needs, then its attachments such as signatures, and the images that it listed. */
async function sweep(context: RegistryContext, client: PoolClient, repository: string, digest: string, depth: number): Promise<void> {
  const kin = await selectKin(client, repository, digest);
  if (!kin || isNeeded(kin) || depth === 0) return;
  if ((await context.rules.uses(client, repository, [digest])).some(({ isLive }) => isLive)) return;
  await deleteManifest(client, repository, digest);
  const about = await deleteTagsAbout(client, repository, digest);
  for (const child of [...kin.referrers, ...kin.images, ...about]) await sweep(context, client, repository, child, depth - 1);
}

/** Stores the image lists of indexes that an earlier version stored without them. */
async function readOldIndexes({ pool, files }: RegistryContext, repository: string): Promise<void> {
  for (const digest of await selectUnreadIndexes(pool, repository)) {
    try {
      await updateImages(pool, repository, digest, readManifest(await files.read(digest), undefined).images);
    } catch (error) {
      if (!isMissing(error)) throw error;
      await updateImages(pool, repository, digest, []);
    }
  }
}
