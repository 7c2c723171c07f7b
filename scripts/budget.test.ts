/** The byte gate sees what it is for: a build with too many files, or too many bytes, before the list. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, expect, test } from 'vitest';

let folder = '';
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const judge = (files: Readonly<Record<string, string>>): { status: number | null; output: string } => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-budget-'));
  mkdirSync(join(folder, 'assets'));
  const page = '<script type="module" crossorigin src="/assets/index-AAAAAAAA.js"></script><link rel="stylesheet" href="/layers.css">';
  for (const [name, text] of Object.entries({ 'index.html': page, 'layers.css': '', ...files })) writeFileSync(join(folder, name), text);
  const { status, stdout } = spawnSync(process.execPath, [resolve(import.meta.dirname, 'budget.ts'), folder], { encoding: 'utf8' });
  return { status, output: stdout };
};
const start = { 'assets/index-AAAAAAAA.js': 'export const a = 1;' };
const list = (...imports: string[]) => ({ 'assets/AppsPage-AAAAAAAA.js': imports.map((name) => `import"./${name}";`).join('') });

test('a small build passes', () => {
  expect(judge({ ...start, ...list('index-AAAAAAAA.js') }).status).toBe(0);
});

test('too many files before the list are seen', () => {
  const names = Array.from({ length: 20 }, (_, index) => `part${index}-AAAAAAAA.js`);
  const parts = Object.fromEntries(names.map((name) => [`assets/${name}`, 'export {};']));
  const { status, output } = judge({ ...start, ...parts, ...list(...names) });
  expect(status).toBe(1);
  expect(output).toMatch(/files before the list: .* FAIL/);
});

test('too many bytes before the list are seen, also behind another chunk', () => {
  const large = `export const x = "${randomBytes(180 * 1024).toString('base64')}";`;
  const { status, output } = judge({
    ...start,
    'assets/between-AAAAAAAA.js': 'import"./large-AAAAAAAA.js";',
    'assets/large-AAAAAAAA.js': large,
    ...list('between-AAAAAAAA.js'),
  });
  expect(status).toBe(1);
  expect(output).toMatch(/JavaScript before the list: .* FAIL/);
});
