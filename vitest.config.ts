/** The unit and module tests of every package, as projects: `npx vitest run <file>`, or `--project server`. */
import { basename, resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { PATIENCE_MS } from './packages/foundation/src/testing/patience.ts';
import { longTests } from './scripts/test-runs/long-tags.ts';
import { engines } from './scripts/workspaces.ts';

/** The deadlines of every test, in one place: a test or hook may wait for several things in turn. */
const patient = { testTimeout: 2 * PATIENCE_MS, hookTimeout: 2 * PATIENCE_MS, expect: { poll: { timeout: PATIENCE_MS } } };
const node = { environment: 'node', ...patient } as const;
/** Their files touch nothing but what they import, so they share a process: starting one takes longer than most of them. */
const shared = { isolate: false } as const;
/** One PostgreSQL for the tests of a package, started by the first that asks for a database. */
const globalSetup = [resolve(import.meta.dirname, 'engines/postgres/src/testing/global-setup.ts')];
/** Set by `npm test`; a file that is named on the command line always runs. */
const isShort = Boolean(process.env['SLIPWAY_TEST_SHORT']);
const left = isShort
  ? longTests()
      .filter(({ isAlsoShort }) => !isAlsoShort)
      .map(({ file }) => file)
  : [];
/** Relative to the project's root. */
const leftIn = (project: string): string[] => left.filter((file) => file.startsWith(project)).map((file) => file.slice(project.length));
/** Loading the server anew for each of 300 files would take a tenth of the time. Those that kill programs keep a process each. */
const isolate = !isShort && !process.env['SLIPWAY_TEST_SHARED'];

export default defineConfig({
  test: {
    // Two cores is what a laptop and the build machine can spare; each server test file also keeps PostgreSQL busy.
    maxWorkers: 2,
    projects: [
      {
        root: 'packages/server',
        test: {
          ...node,
          name: 'server',
          include: ['src/**/*.test.ts'],
          exclude: leftIn('packages/server/'),
          isolate,
          globalSetup,
        },
      },
      ...engines.map((root) => ({
        root,
        test: { ...node, name: basename(root), include: ['src/**/*.test.ts'], exclude: leftIn(`${root}/`), isolate, globalSetup },
      })),
      { root: 'packages/foundation', test: { ...node, name: 'foundation', include: ['src/**/*.test.ts'] } },
      { root: 'packages/contract', test: { ...node, ...shared, name: 'contract', include: ['src/**/*.test.ts'] } },
      {
        root: 'packages/ui',
        test: { ...node, ...shared, name: 'ui', include: ['src/**/*.test.{ts,tsx}'], exclude: ['**/*.dom.test.tsx'] },
      },
      { root: 'packages/ui', test: { ...patient, environment: 'happy-dom', name: 'ui-dom', include: ['src/**/*.dom.test.tsx'] } },
      {
        root: 'packages/console',
        test: { ...node, ...shared, name: 'console', include: ['{src,build}/**/*.test.{ts,tsx}'], exclude: ['**/*.dom.test.tsx'] },
      },
      { root: 'packages/console', test: { ...patient, environment: 'happy-dom', name: 'console-dom', include: ['src/**/*.dom.test.tsx'] } },
      { root: '.', test: { ...node, name: 'scripts', include: ['scripts/**/*.test.ts', 'bench/**/*.test.ts'], exclude: leftIn('') } },
    ],
  },
});
