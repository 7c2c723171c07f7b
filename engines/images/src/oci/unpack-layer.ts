/** Splits a layer's tar into numbered content files and an entry list. Rejects content that an image must not contain. */
import { createWriteStream } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { posix } from 'node:path';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { extract } from 'tar-stream';
import type { Extract, Header } from 'tar-stream';

import { ByteMeter, DigestMeter } from './digest.ts';
import { EntryList } from './entry-list.ts';
import { badImage, isPathTooLong, shown, tooLarge } from './image-limits.ts';
import type { ImageAmounts } from './image-limits.ts';
import type { LayerEntry } from './layer-entry.ts';
import type { Compression } from './media-types.ts';

export interface UnpackOptions {
  readonly compression: Compression;
  /** Existing, empty folder for the content files. */
  readonly contents: string;
  /** File for the entry list. */
  readonly list: string;
  /** Budget that the earlier layers left for this one. */
  readonly left: ImageAmounts;
  /** Limits of the whole image, for error messages. */
  readonly limits: ImageAmounts;
}
export interface UnpackedLayer {
  /** Digest of the uncompressed tar. */
  readonly diffId: string;
  readonly taken: ImageAmounts;
}

type Entry = Extract extends AsyncIterable<infer Item> ? Item : never;

/** Longest link target that the kernel accepts. */
const TARGET_LIMIT = 4096;
const EXECUTE_BITS = 0o111;
const WHITEOUT = '.wh.';
const OPAQUE = '.wh..wh..opq';
const WHITEOUT_META = '.wh..wh.';
/** Largest compression ratio. Normal layers stay far below it. Zeros alone reach a thousand with gzip and much more with zstd. */
const LARGEST_RATIO = 250;
const RATIO_COUNTS_FROM_BYTES = 64 << 20;
/** Largest number of keys in an extended header. Normal headers have about ten. They are merged again for every entry. */
const EXTENDED_KEYS = 200;

/** Returns `usr/bin` for `./usr/bin/`, and '' for the root itself. Rejects absolute paths and `..`. */
export const layerPath = (name: string): string => {
  if (name.startsWith('/')) throw badImage(`the layer names an absolute path: ${shown(name)}`);
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (name.includes('\0') || isPathTooLong(parts))
    throw badImage(`the layer names a path that is too long, too deep or none: ${shown(name)}`);
  if (parts.includes('..')) throw badImage(`the layer names a path that leads out of the image: ${shown(name)}`);
  return parts.join('/');
};

const whiteoutEntry = (path: string): LayerEntry | undefined => {
  const folder = posix.dirname(path) === '.' ? '' : posix.dirname(path);
  const name = posix.basename(path);
  if (name === OPAQUE) return { kind: 'opaque', path: folder };
  // Metadata of old union file systems, which has no meaning here.
  if (name.startsWith(WHITEOUT_META)) return undefined;
  const hidden = name.slice(WHITEOUT.length);
  if (hidden === '' || hidden === '.' || hidden === '..') throw badImage(`the layer removes a path that cannot be: ${shown(path)}`);
  return { kind: 'whiteout', path: posix.join(folder, hidden) };
};

/** Returns the entry for a header without content, or undefined if the header does not change the tree. */
const plainEntry = (header: Header, path: string): LayerEntry | undefined => {
  if (posix.basename(path).startsWith(WHITEOUT)) return whiteoutEntry(path);
  if (path === '') return undefined;
  if (header.type === 'directory') return { kind: 'directory', path };
  const target = header.linkname ?? '';
  if (header.type === 'symlink' && target !== '' && target.length <= TARGET_LIMIT && !target.includes('\0')) {
    return { kind: 'symlink', path, target };
  }
  if (header.type === 'link') return { kind: 'hardlink', path, target: layerPath(target) };
  throw badImage(`the layer holds something that is neither file, directory nor link: ${shown(path)} (${header.type ?? 'unknown'})`);
};

const isFile = (header: Header): boolean => header.type === 'file' || header.type === 'contiguous-file';

/** Rejects too large extended headers and sparse files. A sparse file's stored content would be mistaken for its bytes. */
const checkExtended = ({ pax }: Header): void => {
  const keys = typeof pax === 'object' && pax !== null ? Object.keys(pax) : [];
  if (keys.length > EXTENDED_KEYS) throw badImage('the layer holds an extended header without end');
  if (keys.some((key) => key.startsWith('GNU.sparse.'))) throw badImage('the layer holds a sparse file, which cannot be unpacked here');
};

const decompressor = (compression: Compression): Transform | undefined => {
  if (compression === 'gzip') return createGunzip();
  return compression === 'zstd' ? createZstdDecompress() : undefined;
};

/** Must not await anything before the pipeline starts. An entry that fails without a listener would never settle. */
const writeContent = async (item: Entry, file: string, mode: number): Promise<void> => {
  await pipeline(item, createWriteStream(file, { flags: 'wx' }));
  // Set explicitly, because the server's umask denies access to other users, and instances run as other users.
  await chmod(file, mode);
};

/** Writes the file entries of a tar into `contents` as `0`, `1`, … and lists all entries in order. */
const readEntries = async (archive: AsyncIterable<Entry>, list: EntryList, { contents, left, limits }: UnpackOptions): Promise<void> => {
  let count = 0;
  for await (const item of archive) {
    count += 1;
    if (count > left.entries) throw tooLarge('entries', limits);
    checkExtended(item.header);
    const path = layerPath(item.header.name);
    if (isFile(item.header) && path !== '' && !posix.basename(path).startsWith(WHITEOUT)) {
      const content = String(list.entries);
      const size = item.header.size ?? 0;
      // Owner and special bits (setuid, setgid, sticky) are dropped on purpose: everything belongs to the platform and is only read.
      const isExecutable = ((item.header.mode ?? 0) & EXECUTE_BITS) !== 0;
      await writeContent(item, `${contents}/${content}`, isExecutable ? 0o555 : 0o444);
      await list.add({ kind: 'file', path, content, size, isExecutable });
    } else {
      const entry = plainEntry(item.header, path);
      item.resume();
      if (entry !== undefined) await list.add(entry);
    }
    if (list.bytes > left.listBytes) throw tooLarge('listBytes', limits);
  }
  await list.end();
};

/** Picks the most useful of several failures. One failing stream makes the others fail. A disk error wins, then a port failure. */
const failureOf = (reasons: readonly unknown[]): unknown => {
  const ownDisk = reasons.find((reason) => reason instanceof Error && 'syscall' in reason);
  if (ownDisk !== undefined) return ownDisk;
  const known = reasons.find((reason) => reason instanceof Error && reason.name === 'PortFailure');
  return known ?? badImage('the layer is not a valid archive', 'ImageContentInvalid', reasons[0]);
};

/** Unpacks one layer from its stored bytes. Rejects content that is malformed, dangerous or larger than the budget. */
export const unpackLayer = async (source: AsyncIterable<Buffer>, options: UnpackOptions): Promise<UnpackedLayer> => {
  const { left, limits, compression } = options;
  const stored = new ByteMeter();
  const raw = new DigestMeter((bytes) => {
    if (bytes > left.bytes) return tooLarge('bytes', limits);
    const isBomb = bytes > RATIO_COUNTS_FROM_BYTES && bytes > stored.bytes * LARGEST_RATIO;
    return isBomb ? badImage(`the layer is more than ${LARGEST_RATIO} times larger unpacked`, 'ImageTooLarge') : undefined;
  });
  const archive = extract();
  const unpack = decompressor(compression);
  const list = await EntryList.open(options.list);
  try {
    const [read, flow] = await Promise.allSettled([
      readEntries(archive, list, options),
      unpack === undefined ? pipeline(source, stored, raw, archive) : pipeline(source, stored, unpack, raw, archive),
    ]);
    if (read.status === 'rejected' || flow.status === 'rejected') {
      throw failureOf([read, flow].flatMap((end) => (end.status === 'rejected' ? [end.reason] : [])));
    }
  } finally {
    await list.close();
  }
  return { diffId: raw.digest(), taken: { bytes: raw.bytes, entries: list.entries, listBytes: list.bytes } };
};
