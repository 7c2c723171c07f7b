/** Takes a layer's tar apart into numbered content files and a list of entries, refusing whatever an image has no business holding. */
import { createWriteStream } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { posix } from 'node:path';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { extract } from 'tar-stream';
import type { Extract, Header } from 'tar-stream';

import { PortFailure } from '#ports/failure.ts';

import { DigestMeter } from './digest.ts';
import type { LayerEntry } from './layer-entry.ts';
import type { Compression } from './media-types.ts';

export interface UnpackLimits {
  /** Of all contents together, uncompressed. */
  readonly bytes: number;
  readonly entries: number;
}
export interface UnpackedLayer {
  /** Digest and size of the bytes as they came: compare before using anything. */
  readonly digest: string;
  readonly size: number;
  /** Digest of the uncompressed tar. */
  readonly diffId: string;
  readonly entries: readonly LayerEntry[];
}

type Entry = Extract extends AsyncIterable<infer Item> ? Item : never;

const PATH_LIMIT = 4096;
const EXECUTE_BITS = 0o111;
const WHITEOUT = '.wh.';
const OPAQUE = '.wh..wh..opq';
const WHITEOUT_META = '.wh..wh.';

const bad = (message: string, code = 'ImageContentInvalid', cause?: unknown): PortFailure =>
  new PortFailure('rejected', message, { code, context: { reason: message }, cause });

/** `./usr/bin/` → `usr/bin`; '' for the root itself. Rejects absolute paths and `..`. */
export const layerPath = (name: string): string => {
  if (name.startsWith('/')) throw bad(`the layer names an absolute path: ${name}`);
  if (name.length > PATH_LIMIT || name.includes('\0')) throw bad('the layer names a path that no file system takes');
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw bad(`the layer names a path that leads out of the image: ${name}`);
  return parts.join('/');
};

const whiteoutEntry = (path: string): LayerEntry | undefined => {
  const folder = posix.dirname(path) === '.' ? '' : posix.dirname(path);
  const name = posix.basename(path);
  if (name === OPAQUE) return { kind: 'opaque', path: folder };
  // Bookkeeping of old union file systems, of no meaning to anybody else.
  if (name.startsWith(WHITEOUT_META)) return undefined;
  const hidden = name.slice(WHITEOUT.length);
  if (hidden === '' || hidden === '.' || hidden === '..') throw bad(`the layer removes a path that cannot be: ${path}`);
  return { kind: 'whiteout', path: posix.join(folder, hidden) };
};

/** The entry for a header without content; undefined for one that says nothing about the tree. */
const plainEntry = (header: Header, path: string): LayerEntry | undefined => {
  if (posix.basename(path).startsWith(WHITEOUT)) return whiteoutEntry(path);
  if (path === '') return undefined;
  if (header.type === 'directory') return { kind: 'directory', path };
  const target = header.linkname ?? '';
  if (header.type === 'symlink' && target !== '' && target.length <= PATH_LIMIT && !target.includes('\0')) {
    return { kind: 'symlink', path, target };
  }
  if (header.type === 'link') return { kind: 'hardlink', path, target: layerPath(target) };
  throw bad(`the layer holds something that is neither file, directory nor link: ${path} (${header.type ?? 'unknown'})`);
};

const isFile = (header: Header): boolean => header.type === 'file' || header.type === 'contiguous-file';

const decompressor = (compression: Compression): Transform | undefined => {
  if (compression === 'gzip') return createGunzip();
  return compression === 'zstd' ? createZstdDecompress() : undefined;
};

/** Nothing is awaited before the streams are joined: an entry that breaks off while nobody listens would be waited for forever. */
const writeContent = async (item: Entry, file: string, mode: number): Promise<void> => {
  await pipeline(item, createWriteStream(file, { flags: 'wx' }));
  // By hand, because the server's own umask keeps others out, and instances run as others.
  await chmod(file, mode);
};

/** Writes the file entries of a tar into `folder` as `0`, `1`, … and lists all entries in order. */
const readEntries = async (archive: AsyncIterable<Entry>, folder: string, limits: UnpackLimits): Promise<LayerEntry[]> => {
  const entries: LayerEntry[] = [];
  let count = 0;
  for await (const item of archive) {
    count += 1;
    if (count > limits.entries) throw bad(`the layer holds more than ${limits.entries} entries`, 'ImageTooLarge');
    const path = layerPath(item.header.name);
    if (isFile(item.header) && path !== '' && !posix.basename(path).startsWith(WHITEOUT)) {
      const content = String(entries.length);
      const size = item.header.size ?? 0;
      // Owner and special bits (setuid, setgid, sticky) are dropped on purpose: everything belongs to the platform and is only read.
      const isExecutable = ((item.header.mode ?? 0) & EXECUTE_BITS) !== 0;
      await writeContent(item, `${folder}/${content}`, isExecutable ? 0o555 : 0o444);
      entries.push({ kind: 'file', path, content, size, isExecutable });
    } else {
      const entry = plainEntry(item.header, path);
      if (entry !== undefined) entries.push(entry);
      item.resume();
    }
  }
  return entries;
};

/** Marks what the connection does to us: a broken connection is worth another try, a broken archive is not. */
async function* received(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* source;
  } catch (cause) {
    throw new PortFailure('unavailable', 'the registry broke off while sending a layer', { cause });
  }
}

const failureOf = (reasons: readonly unknown[]): PortFailure => {
  // When one end of the flow fails the other ends fail with it; the one that knows why wins.
  const known = reasons.find((reason) => reason instanceof PortFailure);
  const ownDisk = reasons.find((reason) => reason instanceof Error && 'syscall' in reason);
  const isFull = ownDisk !== undefined && (ownDisk as NodeJS.ErrnoException).code === 'ENOSPC';
  if (known !== undefined && !isFull) return known;
  return ownDisk !== undefined
    ? new PortFailure('unavailable', 'the layer cannot be stored on this machine', { cause: ownDisk })
    : bad('the layer is not a valid archive', 'ImageContentInvalid', reasons[0]);
};

/**
 * Unpacks one layer from its stored bytes into the empty directory `folder`.
 * Rejected for content that is malformed, dangerous or larger than `limits`; unavailable when `source` breaks off.
 */
export const unpackLayer = async (
  source: AsyncIterable<Buffer>,
  folder: string,
  options: { readonly compression: Compression; readonly size: number; readonly limits: UnpackLimits },
): Promise<UnpackedLayer> => {
  const { limits, compression, size } = options;
  const tooLarge = (): PortFailure => bad(`the layer is larger than ${limits.bytes} bytes unpacked`, 'ImageTooLarge');
  const unpack = decompressor(compression);
  // The limit is on the archive, so that it also counts the headers of a million empty files.
  if (unpack === undefined && size > limits.bytes) throw tooLarge();
  const stored = new DigestMeter(size, () => bad('the layer is longer than its manifest says'));
  const raw = new DigestMeter(limits.bytes, tooLarge);
  const archive = extract();
  const bytes = received(source);
  const [read, flow] = await Promise.allSettled([
    readEntries(archive, folder, limits),
    unpack === undefined ? pipeline(bytes, stored, archive) : pipeline(bytes, stored, unpack, raw, archive),
  ]);
  if (read.status === 'rejected' || flow.status === 'rejected') {
    throw failureOf([read, flow].flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : [])));
  }
  const digest = stored.digest();
  return { digest, size: stored.bytes, diffId: unpack === undefined ? digest : raw.digest(), entries: read.value };
};
