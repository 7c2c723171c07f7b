// Makes a backup, checks it, and then removes old ones. Arguments: the directory, the passphrase's file, the days to keep.
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const [directory, passphrase, days] = process.argv.slice(2);
const DAY_MS = 86_400_000;
const file = join(directory, `slipway-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.tar.zst`);
for (const options of [[], ['--check']]) {
  const args = ['packages/server/src/slipway.ts', 'backup', ...options, '--passphrase-file', passphrase, file];
  const { status } = spawnSync(process.execPath, args, { cwd: '/app', stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
const archives = readdirSync(directory).filter((name) => /^slipway-.*\.tar\.zst$/.test(name));
for (const name of archives) {
  const path = join(directory, name);
  if (path !== file && Date.now() - statSync(path).mtimeMs > Number(days) * DAY_MS) rmSync(path);
}
