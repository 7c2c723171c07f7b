/** `slipway backup --check <file>`: reads an archive to its end and tells whether it can be restored. Writes nothing. */
import { createHash } from 'node:crypto';
import { FileKeys, kidOfKeyFile } from '#adapters/keys-file/file-keys.ts';
import { readMigrations } from '#db/migrator.ts';
import { readWhole } from '#kernel/archive/archive-reader.ts';
import { StartError } from '#kernel/start-error.ts';
import { readArchive, type ReadPart } from './archive-reader.ts';
import type { Manifest } from './archive-format.ts';
import { checkSeal, openKeys } from './sealed-keys.ts';

export interface ArchiveCheck {
  readonly manifest: Manifest;
  /** Unpacked sizes of rows and files, bytes. */
  readonly rowBytes: number;
  readonly fileBytes: number;
  readonly repositories: number;
  readonly blobs: number;
  /** Blobs that were already damaged in the registry. */
  readonly damagedBlobs: readonly string[];
  /** The files of `keys` by name; undefined if they were not opened. */
  readonly keys: Readonly<Record<string, string>> | undefined;
}

export interface CheckOptions {
  /** Called only if the archive's keys are sealed. If it returns undefined, they stay sealed. */
  readonly passphrase: () => Promise<string | undefined>;
}

const KEYS_BYTES = 1 << 20;

export async function checkArchive(file: string, { passphrase }: CheckOptions): Promise<ArchiveCheck> {
  let rowBytes = 0;
  let fileBytes = 0;
  let blobs = 0;
  const damagedBlobs: string[] = [];
  let sealed: Buffer | undefined;
  const repositories = new Set<string>();
  const onPart = async ({ part, place, bytes }: ReadPart): Promise<void> => {
    if (place.kind === 'keys') sealed = await readWhole(bytes, part.size, KEYS_BYTES);
    else if (place.kind === 'rows') rowBytes += part.size;
    else fileBytes += part.size;
    if (place.kind === 'repository') repositories.add(`${place.owner}/${place.name}`);
    if (place.kind === 'blob') {
      blobs += 1;
      if ((await digestOf(place.algorithm, bytes)) !== place.hex) damagedBlobs.push(`${place.algorithm}:${place.hex}`);
    }
  };
  const { manifest, contents } = await readArchive(file, { onManifest: (found) => checkVersion(file, found), onPart });
  const counts = { manifest, rowBytes, fileBytes, blobs, damagedBlobs, repositories: repositories.size };
  if (manifest.keys.kept === 'apart') return { ...counts, keys: undefined };
  if (!sealed) throw new StartError(`${file} is damaged: its keys are missing. Take another backup.`);
  const given = await passphrase();
  if (given === undefined) return { ...counts, keys: undefined };
  const { files, seal } = await openKeys(sealed, given);
  checkSeal(contents, seal);
  const kids = Object.entries(files).map(([name, text]) => kidOfKeyFile(name, text));
  checkKeys(manifest, kids);
  return { ...counts, keys: files };
}

async function digestOf(algorithm: string, bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash(algorithm);
  for await (const chunk of bytes) hash.update(chunk);
  return hash.digest('hex');
}

/** Older archives are migrated after the restore. Unknown migrations come from a newer version and are rejected. */
function checkVersion(file: string, { version, migrations }: Manifest): void {
  const known = new Map(readMigrations().map(({ name, checksum }) => [name, checksum]));
  const newer = migrations.find(({ name }) => !known.has(name));
  if (newer)
    throw new StartError(`${file} was made by a newer version of Slipway (${version}, with ${newer.name}): restore it with that version`);
  const changed = migrations.find(({ name, checksum }) => known.get(name) !== checksum);
  if (changed) throw new StartError(`${file} was made by another edition of Slipway: its ${changed.name} is not the one of this version`);
}

function checkKeys({ keys }: Manifest, kids: readonly string[]): void {
  const missing = keys.needed.filter((kid) => !kids.includes(kid));
  if (missing.length > 0)
    throw new StartError(`These are not the keys of this backup: it needs ${missing.join(', ')}. Take the keys of the time of the backup.`);
}

/** Checks a directory of key files that were kept outside the archive. */
export async function checkKeysApart(manifest: Manifest, directory: string): Promise<void> {
  checkKeys(manifest, await new FileKeys(directory).kids());
}
