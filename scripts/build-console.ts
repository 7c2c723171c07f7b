/** The program does not start without a built console. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Builds it where it is missing. */
export const buildConsole = (): void => {
  const root = resolve(import.meta.dirname, '..');
  if (existsSync(join(root, 'packages/console/dist/index.html'))) return;
  const { status } = spawnSync(process.execPath, ['node_modules/vite/bin/vite.js', 'build', 'packages/console', '--logLevel=warn'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('The console could not be built');
};
