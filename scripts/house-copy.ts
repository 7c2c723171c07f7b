/** A copy of the source with further files, for tests in which somebody adds an entity. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const parts = [
  'packages',
  'engines',
  'scripts',
  'docs',
  'package.json',
  'tsconfig.base.json',
  'tsconfig.json',
  'vitest.config.ts',
  '.oxfmtrc.json',
];

export interface HouseCopy {
  /** Runs `node` in the copy. */
  node(...args: string[]): { status: number | null; output: string };
  vitest(...args: string[]): { status: number | null; output: string };
  /** Files below `packages` that contain the word. */
  filesWith(word: string): string[];
  remove(): void;
}

/** `added`: texts by path. */
export const houseCopy = (added: ReadonlyMap<string, string>): HouseCopy => {
  const copy = fs.mkdtempSync(join(os.tmpdir(), 'slipway-newcomer-'));
  for (const part of parts)
    fs.cpSync(join(root, part), join(copy, part), { recursive: true, filter: (path) => !/\/(dist|node_modules)$/.test(path) });
  // The packages of others as they are; those of the workspace are the copy's.
  fs.mkdirSync(join(copy, 'node_modules'));
  for (const name of fs.readdirSync(join(root, 'node_modules')))
    if (name === '@slipway')
      fs.cpSync(join(root, 'node_modules', name), join(copy, 'node_modules', name), { recursive: true, verbatimSymlinks: true });
    else fs.symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name));
  // Packages that npm could not place at the root.
  for (const folder of fs.globSync('{packages,engines}/*/node_modules', { cwd: root }))
    fs.symlinkSync(join(root, folder), join(copy, folder));
  for (const [file, text] of added) {
    fs.mkdirSync(join(copy, file, '..'), { recursive: true });
    fs.writeFileSync(join(copy, file), text);
  }
  const run = (command: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(command, args, {
      cwd: copy,
      encoding: 'utf8',
      env: { ...process.env, VITEST: '', VITEST_WORKER_ID: '' },
    });
    return { status, output: `${stdout}${stderr}` };
  };
  const node = (...args: string[]) => run(process.execPath, ...args);
  return {
    node,
    vitest: (...args) => node(join(copy, 'node_modules/vitest/vitest.mjs'), 'run', ...args),
    filesWith: (word) => run('git', 'grep', '--no-index', '-il', word, '--', 'packages').output.trim().split('\n'),
    remove: () => fs.rmSync(copy, { recursive: true, force: true }),
  };
};

/** Packages whose types an entity takes part in, with the compiler's verdict on each. */
export const typesHold = ({ node }: HouseCopy) =>
  ['contract', 'server', 'console'].map((name) => node('node_modules/typescript/bin/tsc', '-p', `packages/${name}/tsconfig.json`));
