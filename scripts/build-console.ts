/** Builds the console where it was not built yet: the server does not start without it. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const buildConsole = (): void => {
  const root = resolve(import.meta.dirname, '..');
  if (existsSync(join(root, 'packages/console/dist/index.html'))) return;
  const { status } = spawnSync(process.execPath, ['node_modules/vite/bin/vite.js', 'build', 'packages/console', '--logLevel=warn'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('The console could not be built');
};
