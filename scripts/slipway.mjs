#!/usr/bin/env node
// The command `slipway`, on whatever Node the machine has: prepares the clone as `npm start` does, then runs the program on the pinned Node.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { status } = spawnSync(process.execPath, [join(root, 'scripts/setup.mjs'), 'slipway'], { stdio: 'inherit' });
if (status !== 0) process.exit(1);

const pinned = join(root, 'node_modules/.bin/node');
// Paths are the caller's; `./data` is below the clone, as it is for `npm start`.
const child = spawn(
  existsSync(pinned) ? pinned : process.execPath,
  [join(root, 'packages/server/src/slipway.ts'), ...process.argv.slice(2)],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, INIT_CWD: process.env.INIT_CWD ?? process.cwd() },
  },
);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => process.exit(code ?? 1));
