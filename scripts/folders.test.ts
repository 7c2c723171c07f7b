/** A folder that one can take in at a glance: at most 25 files of source lie flat in it; in the console, of files at all. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const filesAtMost = 25;
const root = resolve(import.meta.dirname, '..');
const isSource = (file: string): boolean => /\.tsx?$/.test(file) && !/\.(test|suite|fixture|trial|holder)\b/.test(file);

const crowded = (folder: string, counts: (file: string) => boolean = () => true): string[] => {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => name !== 'node_modules');
  const count = entries.filter((entry) => entry.isFile() && counts(entry.name)).length;
  const below = entries.filter((entry) => entry.isDirectory()).flatMap(({ name }) => crowded(join(folder, name), counts));
  return count > filesAtMost ? [relative(root, folder), ...below] : below;
};

test('no folder of the console holds more than 25 files', () => {
  expect(crowded(join(root, 'packages/console/src'))).toEqual([]);
});

test('no folder holds more than 25 files of source', () => {
  const found = ['packages', 'engines', 'scripts', 'bench', 'e2e'].flatMap((folder) => crowded(join(root, folder), isSource));
  expect(found).toEqual([]);
});

test('a folder with one file more would be seen, and tests do not count', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-folders-'));
  for (let number = 0; number < filesAtMost; number += 1) writeFileSync(join(folder, `${number}.ts`), '');
  for (const name of ['a.test.ts', 'b.suite-edge.ts', 'c.module.css']) writeFileSync(join(folder, name), '');
  expect(crowded(folder, isSource)).toEqual([]);
  writeFileSync(join(folder, 'more.tsx'), '');
  expect(crowded(folder, isSource)).toHaveLength(1);
  rmSync(folder, { recursive: true });
});
