// @long: starts, ends and kills programs
/**
 * The example of docs/recipes/add-an-entity.md is built from the document alone: its code blocks become files of a copy of the source, `gen`
 * runs, and nothing else is edited. The example's own tests then run against a real PostgreSQL.
 */
import fs from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { houseCopy, typesHold, type HouseCopy } from './house-copy.ts';

const recipe = fs.readFileSync(resolve(import.meta.dirname, '../docs/recipes/add-an-entity.md'), 'utf8');
const blocks = recipe.matchAll(/^### (\S+)\n\n```\w+\n(.*?)^```$/gms);
const files = new Map([...blocks].map(([, path = '', text = '']) => [path, text]));
let copy: HouseCopy;
beforeAll(() => {
  copy = houseCopy(files);
});
afterAll(() => copy?.remove());

test('an entity with an engine needs at most 16 files, and 900 lines', () => {
  const lines = [...files.values()].map((text) => text.split('\n').length - 1);
  expect(files.size).toBeGreaterThan(12);
  expect(files.size).toBeLessThanOrEqual(16);
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(900);
});

test('it is formatted like the rest', () => {
  const code = [...files.keys()].filter((file) => /\.tsx?$/.test(file));
  expect(copy.node('node_modules/oxfmt/bin/oxfmt', '--check', ...code)).toMatchObject({ status: 0 });
});

test('its tests hold: pipelines, drift, credential and pages', { timeout: 300_000 }, () => {
  expect(copy.node('scripts/gen-declared.ts')).toMatchObject({ status: 0 });
  const own = copy.vitest('queues');
  expect(own.output).toMatch(/Test Files.*2 passed/s);
  expect(own.status, own.output).toBe(0);
  const table = copy.vitest('testing/permissions', 'guide/guide', '-t', 'queue|row|handler');
  expect(table.output).toMatch(/Test Files.*2 passed/s);
  expect(table.status, table.output).toBe(0);
});

test('types hold', { timeout: 300_000 }, () => {
  for (const verdict of typesHold(copy)) expect(verdict).toEqual({ status: 0, output: '' });
});
