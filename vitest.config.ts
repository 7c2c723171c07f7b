/** The unit and module tests of every package, as projects: `npx vitest run <file>`, or `--project server`. */
import { defineConfig } from 'vitest/config';

const node = { environment: 'node' } as const;

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
          globalSetup: ['src/testing/global-setup.ts'],
          // The first file that asks for a database waits until its server is made.
          hookTimeout: 60_000,
        },
      },
      { root: 'packages/contract', test: { ...node, name: 'contract', include: ['src/**/*.test.ts'] } },
      { root: 'packages/ui', test: { ...node, name: 'ui', include: ['src/**/*.test.{ts,tsx}'], exclude: ['**/*.dom.test.tsx'] } },
      { root: 'packages/ui', test: { environment: 'happy-dom', name: 'ui-dom', include: ['src/**/*.dom.test.tsx'] } },
      {
        root: 'packages/console',
        test: { ...node, name: 'console', include: ['{src,build}/**/*.test.{ts,tsx}'], exclude: ['**/*.dom.test.tsx'] },
      },
      { root: 'packages/console', test: { environment: 'happy-dom', name: 'console-dom', include: ['src/**/*.dom.test.tsx'] } },
      { root: '.', test: { ...node, name: 'scripts', include: ['scripts/**/*.test.ts', 'bench/**/*.test.ts'] } },
    ],
  },
});
