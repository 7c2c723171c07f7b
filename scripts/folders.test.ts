/** A folder that one can take in at a glance: at most 25 files of source lie flat in it. Holds for the console; other packages follow. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const filesAtMost = 25;
const root = resolve(import.meta.dirname, '..');

const crowded = (folder: string): string[] => {
  const entries = readdirSync(folder, { withFileTypes: true });
  const count = entries.filter((entry) => entry.isFile()).length;
  const below = entries.filter((entry) => entry.isDirectory()).flatMap(({ name }) => crowded(join(folder, name)));
  return count > filesAtMost ? [`${relative(root, folder)}: ${count}`, ...below] : below;
};

test('no folder of the console holds more than 25 files', () => {
  expect(crowded(join(root, 'packages/console/src'))).toEqual([]);
});

test('a folder with one file more would be seen', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-folders-'));
  for (let number = 0; number <= filesAtMost; number += 1) writeFileSync(join(folder, `${number}.ts`), '');
  expect(crowded(folder)).toHaveLength(1);
  rmSync(folder, { recursive: true });
});
