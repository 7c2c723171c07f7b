/** The tags of long tests are well formed and in their place, and no run misses a code because it tries only a third of a grid. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { longJourneys, longTests, readTag, testFiles } from './long-tags.ts';
import { isGrid } from './rotation.ts';

const root = resolve(import.meta.dirname, '../..');
const source = join(root, 'packages/server/src');
const textOf = (file: string): string => readFileSync(resolve(root, file), 'utf8');

test('reads a tag with and without flags, and refuses others', () => {
  const reason = 'kills programs';
  expect(readTag(`// @long: ${reason}`)).toEqual({ isShared: false, isAlsoShort: false, reason });
  expect(readTag(`// @long (shared process): ${reason}`)).toEqual({ isShared: true, isAlsoShort: false, reason });
  expect(readTag(`// @long (shared process, also short): ${reason}`)).toEqual({ isShared: true, isAlsoShort: true, reason });
  expect(readTag('/** @long: no tag */')).toBeUndefined();
  for (const line of ['// @long', '// @long:', '// @long: ', '// @long (alone): x', '// @longer: x', '// @long kills']) {
    expect(() => readTag(line), line).toThrow('is no tag');
  }
});

test('every tag is in the first line of its file', () => {
  const tagged = longTests().map(({ file }) => file);
  const all = globSync(testFiles, { cwd: root, exclude: (name) => name === 'node_modules' });
  expect(all.filter((file) => /^\s*\/\/ ?@long/m.test(textOf(file))).toSorted()).toEqual(tagged);
  expect(tagged).toContain('packages/server/src/testing/broker-kills.test.ts');
  expect(new RegExp(longJourneys()).test('e2e/tests/screens.spec.ts screens')).toBe(true);
  expect(new RegExp(longJourneys()).test('e2e/tests/main-job.spec.ts main job')).toBe(false);
});

test('a file that shares its process starts and kills none itself', () => {
  const shared = longTests().filter(({ isShared }) => isShared);
  expect(shared.filter(({ file }) => /SIG(?:KILL|TERM|STOP)|process\.(?:kill|chdir)\(|\bspawn|Program\.start/.test(textOf(file)))).toEqual(
    [],
  );
  expect(shared.filter(({ file }) => !/^(?:packages|engines)\//.test(file))).toEqual([]);
});

/** Returns the files that a file imports, except for types alone. */
const importsOf = (file: string): string[] =>
  [...textOf(file).matchAll(/^(?:import|export)(?! type) [^;]*?from '((?:\.|#)[^']+\.ts)'/gm)]
    .map(([, name = '']) => (name.startsWith('#') ? join(source, name.slice(1)) : resolve(dirname(file), name)))
    .filter((path) => existsSync(path));
const reachedFrom = (file: string): Set<string> => {
  const found = new Set([resolve(root, file)]);
  for (const path of found) for (const next of importsOf(path)) found.add(next);
  return found;
};

/** Codes are judged after a run that tries a third of each grid (reached-codes.ts), so grids must not be what reaches a code. */
test('no grid notes codes that a test must reach', () => {
  const noting = join(source, 'testing/reached.ts');
  const grids = longTests().filter(({ file }) => isGrid(file));
  expect(grids.length).toBeGreaterThan(15);
  expect(grids.filter(({ file }) => reachedFrom(file).has(noting)).map(({ file }) => file)).toEqual([]);
  const notes = relative(root, join(source, 'modules/services/messages.test.ts'));
  expect(reachedFrom(notes).has(noting)).toBe(true);
});
