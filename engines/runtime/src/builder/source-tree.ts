/** Validates the source of a build: no path in it may leave its directory. */
import type { SourceFile } from '@slipway/foundation/ports/builder.ts';

import { bytesText } from './amounts.ts';
import { buildRejection } from './build-rejection.ts';

const PATH_LIMIT = 1024;
const BYTES_LIMIT = 200 * 1000 * 1000;
const LEFT_OUT = new Set(['node_modules', '.git']);

const isSafe = (path: string): boolean => {
  const parts = path.split('/');
  return path.length <= PATH_LIMIT && !path.includes('\0') && !path.includes('\\') && !parts.some((part) => ['', '.', '..'].includes(part));
};

/** Returns the files by path, without `node_modules` and `.git` at any depth. Throws for invalid paths and for trees that are too large. */
export const sourceTree = (files: readonly SourceFile[]): ReadonlyMap<string, SourceFile> => {
  const tree = new Map<string, SourceFile>();
  let bytes = 0;
  for (const file of files) {
    if (!isSafe(file.path)) throw buildRejection('BuildSourceInvalid', `The source holds a path that cannot be built: ${file.path}`);
    if (file.path.split('/').some((part) => LEFT_OUT.has(part))) continue;
    bytes += file.content.length;
    tree.set(file.path, file);
  }
  if (bytes > BYTES_LIMIT) throw buildRejection('BuildTooLarge', 'The source is too large', { limit: bytesText(BYTES_LIMIT) });
  for (const path of tree.keys()) {
    const parts = path.split('/');
    const above = parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
    const file = above.find((folder) => tree.has(folder));
    if (file !== undefined) throw buildRejection('BuildSourceInvalid', `The source has ${file} both as a file and as a directory`);
  }
  return tree;
};
