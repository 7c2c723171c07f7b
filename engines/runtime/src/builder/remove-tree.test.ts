import { chmodSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { emptyTrash, removeTree } from './remove-tree.ts';

let work = '';
beforeEach(async () => {
  work = await mkdtemp(join(tmpdir(), 'remove-tree-'));
});
afterEach(() => rm(work, { recursive: true, force: true }));

/** Creates a tree deeper than the longest possible path, one level at a time. */
const goDown = (root: string, levels: number): void => {
  const home = process.cwd();
  process.chdir(root);
  try {
    for (let level = 0; level < levels; level++) {
      mkdirSync('d'.repeat(200));
      process.chdir('d'.repeat(200));
    }
    writeFileSync('bottom', 'x');
  } finally {
    process.chdir(home);
  }
};

test('nothing stays of paths longer than the system takes, names that are no text, and directories nobody may enter', async () => {
  const root = join(work, 'build');
  await mkdir(join(root, 'locked/inner'), { recursive: true });
  goDown(root, 40);
  openSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0xfe])]), 'w');
  await writeFile(join(root, 'locked/inner/file'), 'x');
  for (const folder of ['locked/inner', 'locked']) chmodSync(join(root, folder), 0);
  await removeTree(root);
  expect(await readdir(work)).toEqual([]);
});

test('what links lead to stays, and removing nothing is no failure', async () => {
  await mkdir(join(work, 'kept'));
  await writeFile(join(work, 'kept/file'), 'x');
  await mkdir(join(work, 'build'));
  await symlink('../kept', join(work, 'build/link'));
  await removeTree(join(work, 'build'));
  await removeTree(join(work, 'build'));
  await symlink('kept', join(work, 'link'));
  await removeTree(join(work, 'link'));
  expect(await readdir(work)).toEqual(['kept']);
  expect(await readdir(join(work, 'kept'))).toEqual(['file']);
});

test('an earlier try is gone on with', async () => {
  for (const name of ['3/a', '12/b']) await mkdir(join(work, '.gone-x', name), { recursive: true });
  await emptyTrash(join(work, '.gone-x'));
  expect(await readdir(work)).toEqual([]);
});
