/** Lays the layers of an image over one another, in memory: whiteouts, replaced files, links. Nothing on disk is touched here. */
import { badImage, DEPTH, isPathTooLong, shown } from './image-limits.ts';
import type { LayerEntry } from './layer-entry.ts';

export interface FileNode {
  readonly kind: 'file';
  source: string;
  readonly size: number;
  readonly isExecutable: boolean;
}
export interface SymlinkNode {
  readonly kind: 'symlink';
  readonly target: string;
}
export interface DirectoryNode {
  readonly kind: 'directory';
  readonly children: Map<string, TreeNode>;
}
export type TreeNode = FileNode | SymlinkNode | DirectoryNode;
export interface LayerContents {
  /** The directory that holds the layer's content files. */
  readonly folder: string;
  readonly entries: readonly LayerEntry[];
}

// The kernel's own limit for links on one path.
const LINK_LIMIT = 40;
/** Steps of all walks together: some ten for each entry of the largest honest image. Few entries can ask for any number, by links to links. */
const STEP_LIMIT = 10_000_000;

const mergeInto = (root: DirectoryNode, impliedLeft: number): Merge => ({ root, stepsLeft: STEP_LIMIT, impliedLeft });

export const emptyDirectory = (): DirectoryNode => ({ kind: 'directory', children: new Map() });
const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '' && part !== '.');

/** A tree being put together, and how much work its layers may still ask for. */
interface Merge {
  readonly root: DirectoryNode;
  stepsLeft: number;
  /** Directories that no layer names but that some path passes through: one path can ask for hundreds. */
  impliedLeft: number;
}
interface Place {
  readonly trail: readonly DirectoryNode[];
  readonly names: readonly string[];
}

/**
 * Walks directories from the root, follows symbolic links as they would be followed inside the image (an absolute target
 * starts at its root, `..` stops there) and, with `isMaking`, adds what is missing. undefined where the path leads nowhere.
 */
const walk = (merge: Merge, parts: readonly string[], isMaking: boolean): Place | undefined => {
  const { root } = merge;
  const trail = [root];
  const names: string[] = [];
  const queue = [...parts];
  let links = 0;
  for (let part = queue.shift(); part !== undefined; part = queue.shift()) {
    if ((merge.stepsLeft -= 1) < 0) throw badImage('the image holds too many links to links', 'ImageTooLarge');
    const here = trail.at(-1) ?? root;
    if (part === '..') {
      if (trail.length > 1) {
        trail.pop();
        names.pop();
      }
      continue;
    }
    let next = here.children.get(part);
    if (next === undefined && isMaking) {
      if ((merge.impliedLeft -= 1) < 0) throw badImage('the image holds too many directories', 'ImageTooLarge');
      here.children.set(part, (next = emptyDirectory()));
    }
    if (next === undefined || next.kind === 'file') return undefined;
    if (next.kind === 'directory') {
      trail.push(next);
      names.push(part);
      continue;
    }
    links += 1;
    if (links > LINK_LIMIT) return undefined;
    if (next.target.startsWith('/')) {
      trail.length = 1;
      names.length = 0;
    }
    queue.unshift(...partsOf(next.target));
  }
  return { trail, names };
};

const parentOf = (merge: Merge, path: string, isMaking: boolean): { place: Place; name: string } | undefined => {
  const parts = partsOf(path);
  const place = walk(merge, parts.slice(0, -1), isMaking);
  const name = parts.at(-1);
  return place === undefined || name === undefined ? undefined : { place, name };
};

const directoryAt = (place: Place, { root }: Merge): DirectoryNode => place.trail.at(-1) ?? root;

const hide = (merge: Merge, entry: LayerEntry): void => {
  if (entry.kind === 'opaque') {
    const place = walk(merge, partsOf(entry.path), false);
    if (place !== undefined) directoryAt(place, merge).children.clear();
  } else if (entry.kind === 'whiteout') {
    const at = parentOf(merge, entry.path, false);
    if (at !== undefined) directoryAt(at.place, merge).children.delete(at.name);
  }
};

/** A link that climbs above the root means the host's files to a tier without a root of its own. */
const climbsOut = (target: string, depth: number): boolean => {
  if (target.startsWith('/')) depth = 0;
  for (const part of partsOf(target)) {
    depth += part === '..' ? -1 : 1;
    if (depth < 0) return true;
  }
  return false;
};

const linked = (merge: Merge, path: string, target: string): TreeNode => {
  const at = parentOf(merge, target, false);
  const node = at === undefined ? undefined : directoryAt(at.place, merge).children.get(at.name);
  if (node === undefined || node.kind === 'directory')
    throw badImage(`the layer links ${shown(path)} to ${shown(target)}, which is no file of the image`);
  return node;
};

const add = (merge: Merge, entry: LayerEntry, folder: string): void => {
  if (entry.kind === 'whiteout' || entry.kind === 'opaque') return;
  const at = parentOf(merge, entry.path, true);
  if (at === undefined) throw badImage(`the layer puts ${shown(entry.path)} where no directory is`);
  const { children } = directoryAt(at.place, merge);
  // Links can make a place far deeper than any path to it is long.
  if (isPathTooLong([...at.place.names, at.name])) throw badImage(`the layer puts ${shown(entry.path)} too deep`);
  if (entry.kind === 'directory') {
    if (children.get(at.name)?.kind !== 'directory') children.set(at.name, emptyDirectory());
  } else if (entry.kind === 'file') {
    const { size, isExecutable } = entry;
    children.set(at.name, { kind: 'file', source: `${folder}/${entry.content}`, size, isExecutable });
  } else if (entry.kind === 'symlink') {
    if (climbsOut(entry.target, at.place.names.length))
      throw badImage(`the link ${shown(entry.path)} leads out of the image: ${shown(entry.target)}`);
    children.set(at.name, { kind: 'symlink', target: entry.target });
  } else {
    const node = linked(merge, entry.path, entry.target);
    if (node.kind === 'symlink' && climbsOut(node.target, at.place.names.length))
      throw badImage(`the link ${shown(entry.path)} leads out of the image`);
    children.set(at.name, node);
  }
};

/**
 * The file tree of an image, lowest layer first. Rejected when the layers contradict themselves, lead out of the tree, or ask for too
 * much: `impliedDirectories` may be made besides what they name.
 */
export const mergeLayers = (layers: readonly LayerContents[], impliedDirectories: number): DirectoryNode => {
  const merge = mergeInto(emptyDirectory(), impliedDirectories);
  for (const { folder, entries } of layers) {
    // A whiteout hides only what lies below its layer, wherever it stands in the archive.
    for (const entry of entries) hide(merge, entry);
    for (const entry of entries) add(merge, entry, folder);
  }
  return merge.root;
};

/** Makes sure that a directory is there, e.g. the one to start in. Rejected where a file has that name. */
export const makeDirectories = (root: DirectoryNode, path: string): void => {
  const parts = partsOf(path);
  const place = isPathTooLong(parts) ? undefined : walk(mergeInto(root, DEPTH), parts, true);
  if (place === undefined || isPathTooLong(place.names)) throw badImage(`${shown(path)} is not a directory of the image`);
};
