/** Writes OCI layers that come out the same for the same content: sorted, without times and owners. */
import { constants, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack as createPack } from 'tar-stream';
import type { Pack } from 'tar-stream';

import { DigestMeter } from './digest.ts';
import { ociLayerGzip, ociLayerTar } from './media-types.ts';

/** Paths are relative, POSIX and without `..`. Missing parent directories are added. */
export type LayerSource =
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 'symlink'; readonly path: string; readonly target: string }
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly isExecutable: boolean;
      readonly content: Uint8Array | { readonly file: string };
    };

export interface LayerBlob {
  readonly mediaType: string;
  readonly digest: string;
  /** Digest of the uncompressed tar. */
  readonly diffId: string;
  /** Bytes as stored. */
  readonly size: number;
  /** One line for the image's history. */
  readonly comment: string;
}

const parents = (path: string): string[] => {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
};

/** Sorted by path, a directory before what it holds, every parent named. */
export const sortedSources = (sources: Iterable<LayerSource>): LayerSource[] => {
  const byPath = new Map<string, LayerSource>();
  for (const source of sources) {
    for (const path of parents(source.path)) if (!byPath.has(path)) byPath.set(path, { kind: 'directory', path });
    byPath.set(source.path, source);
  }
  return [...byPath.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
};

const modeOf = (source: LayerSource): number => {
  if (source.kind === 'symlink') return 0o777;
  return source.kind === 'directory' || source.isExecutable ? 0o755 : 0o644;
};

const entryHeader = (source: LayerSource) => ({
  name: source.kind === 'directory' ? `${source.path}/` : source.path,
  mode: modeOf(source),
  mtime: new Date(0),
  uid: 0,
  gid: 0,
});

const packBytes = (pack: Pack, header: ReturnType<typeof entryHeader>, content: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    pack.entry({ ...header, size: content.length }, Buffer.from(content), (error) => (error ? reject(error) : resolve()));
  });

const packFile = async (pack: Pack, header: ReturnType<typeof entryHeader>, path: string): Promise<void> => {
  // A file that a build script made is read only if it is one: never through a link, never a pipe that blocks.
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { size } = await handle.stat();
    if (size === 0) return await packBytes(pack, header, new Uint8Array());
    // `end` keeps a file that grows meanwhile from breaking the archive.
    const content = handle.createReadStream({ autoClose: false, start: 0, end: size - 1, highWaterMark: 1 << 20 });
    await pipeline(content, pack.entry({ ...header, size }));
  } finally {
    await handle.close();
  }
};

const packAll = async (pack: Pack, sources: readonly LayerSource[]): Promise<void> => {
  for (const source of sources) {
    const header = entryHeader(source);
    if (source.kind === 'directory') pack.entry({ ...header, type: 'directory' });
    else if (source.kind === 'symlink') pack.entry({ ...header, type: 'symlink', linkname: source.target });
    else if (source.content instanceof Uint8Array) await packBytes(pack, header, source.content);
    else await packFile(pack, header, source.content.file);
  }
  pack.finalize();
};

/** Writes `sources` as one layer into `file`. `none` is for large content that stays on this machine: gzip would take seconds. */
export const writeLayer = async (
  sources: Iterable<LayerSource>,
  file: string,
  options: { readonly compression: 'none' | 'gzip'; readonly comment: string },
): Promise<LayerBlob> => {
  const pack = createPack();
  const raw = new DigestMeter();
  const stored = new DigestMeter();
  const out = createWriteStream(file);
  const written = options.compression === 'none' ? pipeline(pack, raw, out) : pipeline(pack, raw, createGzip({ level: 6 }), stored, out);
  const packed = packAll(pack, sortedSources(sources)).catch((error: unknown) => {
    pack.destroy(error instanceof Error ? error : new Error(String(error)));
    throw error;
  });
  await Promise.all([packed, written]);
  const diffId = raw.digest();
  return options.compression === 'none'
    ? { mediaType: ociLayerTar, digest: diffId, diffId, size: raw.bytes, comment: options.comment }
    : { mediaType: ociLayerGzip, digest: stored.digest(), diffId, size: stored.bytes, comment: options.comment };
};
