import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { existsInRoot, resolveInRoot } from './root-path.ts';

const root = mkdtempSync(join(tmpdir(), 'slipway-root-'));
mkdirSync(join(root, 'run/real'), { recursive: true });
writeFileSync(join(root, 'run/real/file'), '');
symlinkSync('/run', join(root, 'var'));
symlinkSync('real', join(root, 'run/here'));
symlinkSync('../../../../../etc', join(root, 'run/out'));
symlinkSync('loop', join(root, 'loop'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test.each([
  ['/a/b', '/a/b'],
  ['a/./b//c', '/a/b/c'],
  ['/../../etc', '/etc'],
  ['/var/here/file', '/run/real/file'],
  ['/run/out/passwd', '/etc/passwd'],
])('%s', (path, expected) => {
  expect(resolveInRoot(root, path)).toBe(expected);
});

test('circles end, files are found through links', () => {
  expect(() => resolveInRoot(root, '/loop')).toThrow('Too many links');
  expect(existsInRoot(root, '/var/here/file')).toBe(true);
  expect(existsInRoot(root, '/run/out/passwd')).toBe(false);
  expect(existsInRoot(root, '/loop')).toBe(false);
});
