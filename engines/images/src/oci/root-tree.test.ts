import { linkSync } from 'node:fs';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';
import { hasCode } from '@slipway/foundation/caught.ts';

import { emptyDirectory } from './merge-layers.ts';
import type { DirectoryNode, FileNode } from './merge-layers.ts';
import { placeRoot } from './root-tree.ts';

const SIZE = 1_000_000;
const named = (node: FileNode, names: readonly string[]): DirectoryNode => ({
  ...emptyDirectory(),
  children: new Map(names.map((name) => [name, node])),
});
/** Gives a file all the names that the file system allows. False where it allows more than anybody would count. */
const linkFully = (source: string, folder: string): boolean => {
  for (let index = 0; index < 66_000; index++) {
    try {
      linkSync(source, join(folder, String(index)));
    } catch (error) {
      return hasCode(error, 'EMLINK');
    }
  }
  return false;
};

test('a file with more names than the file system allows is copied within the limit, and its other names are links to the copy', async (context) => {
  const work = await mkdtemp(join(tmpdir(), 'root-tree-'));
  try {
    const source = join(work, 'source');
    await writeFile(source, Buffer.alloc(SIZE));
    await mkdir(join(work, 'names'));
    if (!linkFully(source, join(work, 'names'))) return context.skip();
    const node = (): FileNode => ({ kind: 'file', source, size: SIZE, isExecutable: false });
    await expect(placeRoot(named(node(), ['a']), join(work, 'refused'), SIZE - 1)).rejects.toMatchObject({ code: 'ImageTooLarge' });
    const names = Array.from({ length: 200 }, (_, index) => `n${index}`);
    // As many as work at once may each have made a copy before they saw the first one's.
    await placeRoot(named(node(), names), join(work, 'root'), SIZE * 16);
    const inodes = await Promise.all(names.map(async (name) => (await stat(join(work, 'root', name))).ino));
    expect(new Set(inodes).size).toBeLessThanOrEqual(16);
  } finally {
    await rm(work, { recursive: true });
  }
});
