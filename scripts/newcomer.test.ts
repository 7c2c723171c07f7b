// @long: starts, ends and kills programs
/**
 * Somebody adds an entity: the files of scripts/newcomer are put into a copy of the source, `gen` runs, and nothing else is edited. Its
 * own tests then find it over HTTP, in lists, palette, 404 text, permission table, hints, activity, OpenAPI and guide.
 */
import fs from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { houseCopy, typesHold, type HouseCopy } from './house-copy.ts';

const newcomer = resolve(import.meta.dirname, 'newcomer');
/** Named `….txt` here, so that no gate takes them for the product's. */
const files = new Map(
  fs
    .globSync('**/*.txt', { cwd: newcomer })
    .toSorted()
    .map((file) => [file.slice(0, -'.txt'.length), fs.readFileSync(join(newcomer, file), 'utf8')]),
);
let copy: HouseCopy;
beforeAll(() => {
  copy = houseCopy(files);
});
afterAll(() => copy?.remove());

test('an entity needs at most twelve files, and 500 lines', () => {
  const product = [...files.keys()].filter((file) => !file.includes('.test.'));
  const lines = [...files.values()].map((text) => text.split('\n').length - 1);
  expect(product.length).toBeGreaterThan(5);
  expect(files.size).toBeLessThanOrEqual(12);
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(500);
});

test('nothing of it stands anywhere else', () => {
  const declared = ['packages/console/src/app/declared-screens.ts', 'packages/contract/src/declared-resources.ts'];
  expect(copy.filesWith('bargeResource').filter((file) => !files.has(file) && !declared.includes(file))).toEqual([]);
});

test('it is found wherever an entity is found', { timeout: 300_000 }, () => {
  expect(copy.node('scripts/gen-declared.ts')).toMatchObject({ status: 0 });
  const own = copy.vitest('barges');
  expect(own.output).toMatch(/Test Files.*2 passed/s);
  expect(own.status, own.output).toBe(0);
  const table = copy.vitest('testing/permissions', 'guide/guide', '-t', 'barge|row|handler');
  expect(table.output).toMatch(/Test Files.*2 passed/s);
  expect(table.status, table.output).toBe(0);
});

test('types hold', { timeout: 300_000 }, () => {
  for (const verdict of typesHold(copy)) expect(verdict).toEqual({ status: 0, output: '' });
});
