/**
 * Somebody adds an entity: the files of scripts/newcomer are put into a copy of the source, `gen` runs, and nothing else is edited. Its
 * own tests then find it over HTTP, in lists, palette, 404 text, permission table, hints, activity, OpenAPI and guide.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const newcomer = resolve(import.meta.dirname, 'newcomer');
let copy = '';

/** Named `….txt` here, so that no gate takes them for the product's. */
const files = fs
  .globSync('**/*.txt', { cwd: newcomer })
  .map((file) => file.slice(0, -'.txt'.length))
  .toSorted();

beforeAll(() => {
  copy = fs.mkdtempSync(join(os.tmpdir(), 'slipway-newcomer-'));
  for (const part of ['packages', 'scripts', 'docs', 'package.json', 'tsconfig.base.json', 'tsconfig.json', 'vitest.config.ts'])
    fs.cpSync(join(root, part), join(copy, part), { recursive: true, filter: (path) => !/\/(dist|node_modules)$/.test(path) });
  // The packages of others as they are; those of the workspace are the copy's.
  fs.mkdirSync(join(copy, 'node_modules'));
  for (const name of fs.readdirSync(join(root, 'node_modules')))
    if (name === '@slipway')
      fs.cpSync(join(root, 'node_modules', name), join(copy, 'node_modules', name), { recursive: true, verbatimSymlinks: true });
    else fs.symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name));
  for (const file of files) {
    fs.mkdirSync(join(copy, file, '..'), { recursive: true });
    fs.copyFileSync(join(newcomer, `${file}.txt`), join(copy, file));
  }
});
afterAll(() => fs.rmSync(copy, { recursive: true, force: true }));

const run = (command: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: copy,
    encoding: 'utf8',
    env: { ...process.env, VITEST: '', VITEST_WORKER_ID: '' },
  });
  return { status, output: `${stdout}${stderr}` };
};

test('an entity needs at most twelve files, and 500 lines', () => {
  const product = files.filter((file) => !file.includes('.test.'));
  const lines = files.map((file) => fs.readFileSync(join(newcomer, `${file}.txt`), 'utf8').split('\n').length - 1);
  expect(product.length).toBeGreaterThan(5);
  expect(files.length).toBeLessThanOrEqual(12);
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(500);
});

test('nothing of it stands anywhere else', () => {
  const { output } = run('git', 'grep', '--no-index', '-il', 'bargeResource', '--', 'packages');
  const declared = ['packages/console/src/app/declared-screens.ts', 'packages/contract/src/declared-resources.ts'];
  expect(
    output
      .trim()
      .split('\n')
      .filter((file) => !files.includes(file) && !declared.includes(file)),
  ).toEqual([]);
});

test('it is found wherever an entity is found', { timeout: 300_000 }, () => {
  expect(run(process.execPath, 'scripts/gen-declared.ts')).toMatchObject({ status: 0 });
  const own = run(process.execPath, join(copy, 'node_modules/vitest/vitest.mjs'), 'run', 'barges');
  expect(own.output).toMatch(/Test Files.*2 passed/s);
  expect(own.status, own.output).toBe(0);
  const table = run(
    process.execPath,
    join(copy, 'node_modules/vitest/vitest.mjs'),
    'run',
    'testing/permissions',
    'guide/guide',
    '-t',
    'barge|row|handler',
  );
  expect(table.output).toMatch(/Test Files.*2 passed/s);
  expect(table.status, table.output).toBe(0);
});

test('types hold', { timeout: 300_000 }, () => {
  for (const name of ['contract', 'server', 'console'])
    expect(run(process.execPath, join(copy, 'node_modules/typescript/bin/tsc'), '-p', `packages/${name}/tsconfig.json`)).toEqual({
      status: 0,
      output: '',
    });
});
