import { expect, test } from 'vitest';

import { sourceTree } from './source-tree.ts';

const files = (...paths: string[]) => paths.map((path) => ({ path, content: Buffer.from('x'), isExecutable: false }));

test('installed packages and git’s own files are left out, at any depth', () => {
  const tree = sourceTree(files('a.js', 'node_modules/x/a.js', 'lib/node_modules/y.js', '.git/config', '.gitignore', 'sub/.git'));
  expect([...tree.keys()]).toEqual(['a.js', '.gitignore']);
});

test.each(['/etc/passwd', '../x', 'a/../../x', 'a//b', './a', 'a/', '', 'a\0b', 'a\\b'])('the path %j is refused', (path) => {
  expect(() => sourceTree(files(path))).toThrow(expect.objectContaining({ kind: 'rejected', code: 'BuildSourceInvalid' }));
});

test('a path cannot be both a file and a directory', () => {
  expect(() => sourceTree(files('a', 'a/b/c'))).toThrow(expect.objectContaining({ code: 'BuildSourceInvalid' }));
});

test('a tree that is too large is refused', () => {
  const large = { path: 'x', content: Buffer.alloc(200_000_001), isExecutable: false };
  expect(() => sourceTree([large])).toThrow(expect.objectContaining({ code: 'BuildTooLarge' }));
});
