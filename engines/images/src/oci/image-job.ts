/** Jobs for the process that unpacks images, and their results. Everything here can be sent as JSON. */
import { mkdir } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';

import { readEntryList } from './entry-list.ts';
import type { ImageAmounts } from './image-limits.ts';
import type { LayerEntry } from './layer-entry.ts';
import type { Compression } from './media-types.ts';
import { makeDirectories, mergeLayers } from './merge-layers.ts';
import type { DirectoryNode } from './merge-layers.ts';
import { LayerDamaged, addMountPoints, placeRoot } from './root-tree.ts';
import { unpackLayer } from './unpack-layer.ts';
import type { UnpackedLayer } from './unpack-layer.ts';

export const LAYER_CONTENTS = 'contents';
export const LAYER_LIST = 'entries.ndjson';

interface UnpackJob {
  readonly kind: 'unpack';
  /** File with the layer's stored bytes. Their digest is already verified. */
  readonly file: string;
  /** Folder for the contents and the entry list. */
  readonly folder: string;
  readonly compression: Compression;
  readonly left: ImageAmounts;
  readonly limits: ImageAmounts;
}
interface AssembleJob {
  readonly kind: 'assemble';
  /** Lowest first. */
  readonly layers: readonly PlacedLayer[];
  /** Path of the root file system to create. */
  readonly target: string;
  readonly workdir: string;
  /** Budget that the layers have left. */
  readonly left: ImageAmounts;
}
export type ImageJob = UnpackJob | AssembleJob;
export type Answered<Job extends ImageJob> = Job extends UnpackJob ? UnpackedLayer : null;

/** Folder of an unpacked layer, and the size of its entry list. */
export interface PlacedLayer {
  readonly folder: string;
  readonly listBytes: number;
}

const listed = async ({ folder, listBytes }: PlacedLayer): Promise<LayerEntry[]> => {
  try {
    return await readEntryList(join(folder, LAYER_LIST), listBytes);
  } catch {
    throw new LayerDamaged(folder);
  }
};

/** Returns the merged file tree of the layers. The lowest layer comes first. */
export const treeOf = async (layers: readonly PlacedLayer[], impliedDirectories: number): Promise<DirectoryNode> => {
  const contents: { folder: string; entries: LayerEntry[] }[] = [];
  for (const layer of layers) contents.push({ folder: join(layer.folder, LAYER_CONTENTS), entries: await listed(layer) });
  return mergeLayers(contents, impliedDirectories);
};

const unpack = async ({ file, folder, ...options }: UnpackJob): Promise<UnpackedLayer> => {
  const contents = join(folder, LAYER_CONTENTS);
  await mkdir(contents);
  return unpackLayer(createReadStream(file, { highWaterMark: 1 << 18 }), { ...options, contents, list: join(folder, LAYER_LIST) });
};

const assemble = async ({ layers, target, workdir, left }: AssembleJob): Promise<null> => {
  const root = await treeOf(layers, left.entries);
  addMountPoints(root);
  makeDirectories(root, workdir);
  await placeRoot(root, target, left.bytes);
  return null;
};

export const doImageJob = (job: ImageJob): Promise<UnpackedLayer | null> => (job.kind === 'unpack' ? unpack(job) : assemble(job));
