/** Puts a merged file tree on disk as one root file system, with the places that a sandbox mounts on. */
import { chmod, constants, copyFile, link, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '@slipway/foundation/caught.ts';
import { mapLimited } from '@slipway/foundation/map-limited.ts';

import { badImage } from './image-limits.ts';
import { emptyDirectory } from './merge-layers.ts';
import type { DirectoryNode, FileNode, SymlinkNode } from './merge-layers.ts';

/** A read-only root cannot be given them later. */
const MOUNT_POINTS = ['proc', 'dev', 'tmp', 'etc'];
const PARALLEL = 16;

/** A content file of a layer is missing or cut short: the layer has to be pulled again. */
export class LayerDamaged extends Error {
  override readonly name = 'LayerDamaged';
}

/** Adds the mount points. Rejected when the image has something else in their place. */
export const addMountPoints = (root: DirectoryNode): void => {
  for (const name of MOUNT_POINTS) {
    const node = root.children.get(name) ?? emptyDirectory();
    if (node.kind !== 'directory') {
      throw badImage(`the image's /${name} is not a directory`);
    }
    root.children.set(name, node);
  }
};

/** Bytes that may still be copied: a file of a gigabyte can have a hundred thousand names. */
interface Copies {
  leftBytes: number;
}
/** Hard links cost nothing; file systems that have none, or no more of them, get a copy, and its next names are links to that. */
const linkOrCopy = async (node: FileNode, target: string, copies: Copies): Promise<void> => {
  try {
    await link(node.source, target);
  } catch (error) {
    if (!hasCode(error, 'EXDEV', 'EMLINK', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP')) throw error;
    if ((copies.leftBytes -= node.size) < 0) throw badImage('the image has too many names for one file', 'ImageTooLarge');
    await copyFile(node.source, target, constants.COPYFILE_FICLONE);
    if (hasCode(error, 'EMLINK')) node.source = target;
  }
};

const placeFile = async (node: FileNode, target: string, copies: Copies): Promise<void> => {
  const info = await stat(node.source).catch(() => undefined);
  // A crash of the machine can leave files empty that had been renamed into place.
  if (info?.size !== node.size) throw new LayerDamaged(node.source);
  await linkOrCopy(node, target, copies);
};

interface Leaf {
  readonly target: string;
  readonly node: FileNode | SymlinkNode;
}

const placeDirectory = async (node: DirectoryNode, target: string, leaves: Leaf[]): Promise<void> => {
  await mkdir(target);
  await chmod(target, 0o755);
  for (const [name, child] of node.children) {
    if (child.kind === 'directory') await placeDirectory(child, join(target, name), leaves);
    else leaves.push({ target: join(target, name), node: child });
  }
};

/**
 * Creates `target` with the tree in it. A `package.json` at its root ends Node's search for the module type, which would
 * otherwise leave the image and find the one of whatever project the data directory lies in. `copyBytes` may be spent where links
 * do not do.
 */
export const placeRoot = async (root: DirectoryNode, target: string, copyBytes: number): Promise<void> => {
  const copies: Copies = { leftBytes: copyBytes };
  const leaves: Leaf[] = [];
  await placeDirectory(root, target, leaves);
  const place = ({ node, target: path }: Leaf): Promise<void> =>
    node.kind === 'file' ? placeFile(node, path, copies) : symlink(node.target, path);
  await mapLimited(leaves, place, PARALLEL);
  if (!root.children.has('package.json')) {
    await writeFile(join(target, 'package.json'), '{}\n');
    await chmod(join(target, 'package.json'), 0o444);
  }
};
