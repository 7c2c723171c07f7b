/** Takes a layer's tar apart into numbered content files and a list of entries, refusing whatever an image has no business holding. */
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
  /** For the content files; there, and empty. */
  readonly contents: string;
  /** The file that the list of entries is written to. */
  readonly list: string;
  /** What the layers before have left for this one. */
  readonly left: ImageAmounts;
  /** The whole image's, for the message. */
  readonly limits: ImageAmounts;
}
export interface UnpackedLayer {
  /** Digest of the uncompressed tar. */
  readonly diffId: string;
  readonly taken: ImageAmounts;
}

type Entry = Extract extends AsyncIterable<infer Item> ? Item : never;

/** As the kernel takes it. */
const TARGET_LIMIT = 4096;
const EXECUTE_BITS = 0o111;
const WHITEOUT = '.wh.';
const OPAQUE = '.wh..wh..opq';
const WHITEOUT_META = '.wh..wh.';
/** Honest layers stay far below; zeros alone give a thousandfold with gzip and much more with zstd. */
const LARGEST_RATIO = 250;
const RATIO_COUNTS_FROM_BYTES = 64 << 20;
/** Honest extended headers have some ten; they are merged anew for every entry. */
const EXTENDED_KEYS = 200;

/** `./usr/bin/` → `usr/bin`; '' for the root itself. Rejects absolute paths and `..`. */
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
  // Bookkeeping of old union file systems, of no meaning to anybody else.
  if (name.startsWith(WHITEOUT_META)) return undefined;
  const hidden = name.slice(WHITEOUT.length);
  if (hidden === '' || hidden === '.' || hidden === '..') throw badImage(`the layer removes a path that cannot be: ${shown(path)}`);
  return { kind: 'whiteout', path: posix.join(folder, hidden) };
};

/** The entry for a header without content; undefined for one that says nothing about the tree. */
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

/** Extended headers that say more than names and sizes: a sparse file's content would be taken for its bytes. */
const checkExtended = ({ pax }: Header): void => {
  const keys = typeof pax === 'object' && pax !== null ? Object.keys(pax) : [];
  if (keys.length > EXTENDED_KEYS) throw badImage('the layer holds an extended header without end');
  if (keys.some((key) => key.startsWith('GNU.sparse.'))) throw badImage('the layer holds a sparse file, which cannot be unpacked here');
};

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

/** When one end of the flow fails the other ends fail with it; the one that knows why wins, and a full disk above all. */
const failureOf = (reasons: readonly unknown[]): unknown => {
  const ownDisk = reasons.find((reason) => reason instanceof Error && 'syscall' in reason);
  if (ownDisk !== undefined) return ownDisk;
  const known = reasons.find((reason) => reason instanceof Error && reason.name === 'PortFailure');
  return known ?? badImage('the layer is not a valid archive', 'ImageContentInvalid', reasons[0]);
};

/** Unpacks one layer from its stored bytes. Rejected for content that is malformed, dangerous or larger than what is left. */
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
