/** Reads the registry's manifests and compares them with its rows and files: a manifest's JSON is what clients pull by. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BlobFiles } from '@slipway/registry/content/blob-files.ts';
import { readManifest, type ManifestDocument } from '@slipway/registry/content/manifest-document.ts';
import { GRACE_MS } from '@slipway/registry/garbage/garbage.ts';
import type { Checked } from './row-checks.ts';

/** Garbage collection runs every ten minutes, and a minute after each start. */
const COLLECTED_MS = GRACE_MS + 30 * 60_000;

interface ManifestRow {
  readonly repository: string;
  readonly digest: string;
  readonly type: string;
  /** Blobs that garbage collection keeps for this manifest. */
  readonly needed: readonly string[];
  /** Blobs and images that clients can pull from this manifest's repository. */
  readonly linked: readonly string[];
}
const manifestRows = ({ platform }: Checked): Promise<ManifestRow[]> =>
  platform.rows<ManifestRow>(
    `select repository, digest, media_type as type,
       array(select blob_digest from registry_manifest_blob n where n.repository = m.repository and n.manifest_digest = m.digest) as needed,
       array(select l.digest from registry_blob_link l where l.repository = m.repository) as linked
     from registry_manifest m`,
  );

const documentOf = async (file: string, type: string): Promise<ManifestDocument | undefined> => {
  try {
    return readManifest(await readFile(file), type);
  } catch {
    return undefined;
  }
};

const manifestFaults = async (files: BlobFiles, { repository, digest, type, needed, linked }: ManifestRow): Promise<string[]> => {
  const name = `The manifest ${repository}@${digest}`;
  const document = await documentOf(files.pathOf(digest), type);
  if (!document) return [`${name} cannot be read`];
  const without = (those: readonly string[]): string[] => document.blobs.filter((blob) => !those.includes(blob));
  return [
    ...without(needed).map((blob) => `${name} names ${blob}, which garbage collection does not keep for it`),
    ...without(linked).map((blob) => `${name} names ${blob}, which has no link to its repository`),
    ...document.blobs.filter((blob) => !existsSync(files.pathOf(blob))).map((blob) => `${name} names ${blob}, which has no file`),
    ...needed.filter((blob) => !document.blobs.includes(blob)).map((blob) => `${name} keeps ${blob}, which it does not name`),
  ];
};

/** Returns files that have no row although garbage collection must have found them. */
const orphanFaults = async (files: BlobFiles, { platform }: Checked): Promise<string[]> => {
  const rows = await platform.rows<{ digest: string }>('select digest from registry_blob');
  const known = new Set(rows.map(({ digest }) => digest));
  const found: string[] = [];
  for await (const digests of files.storedBefore(new Date(Date.now() - COLLECTED_MS)))
    found.push(...digests.filter((digest) => !known.has(digest)).map((digest) => `The file of ${digest} has no row, and is not collected`));
  return found;
};

export const manifestChecks = async (checked: Checked): Promise<string[]> => {
  const files = new BlobFiles(join(checked.platform.place.dataDir, 'registry'));
  const faults: string[] = [];
  for (const row of await manifestRows(checked)) faults.push(...(await manifestFaults(files, row)));
  return [...faults, ...(await orphanFaults(files, checked))];
};
