/** Builds the smallest root file system that runs Node: the test's own Node, the libraries it needs, and one program. */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, linkSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const NODE = '/usr/local/bin/node';

export function makeNodeRoot(rootfs: string, program: string): void {
  for (const directory of ['app', 'etc', 'tmp', 'proc', 'dev']) mkdirSync(join(rootfs, directory), { recursive: true });
  chmodSync(rootfs, 0o755);
  place(rootfs, NODE, process.execPath);
  for (const library of libraries()) place(rootfs, library, library);
  writeFileSync(join(rootfs, 'app/main.js'), program);
  // Without this file Node would look in parent directories, and the data directory may be inside a project of another module type.
  writeFileSync(join(rootfs, 'app/package.json'), '{}');
  writeFileSync(join(rootfs, 'package.json'), '{}');
}

function libraries(): readonly string[] {
  const lines = execFileSync('/usr/bin/ldd', [process.execPath], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line) => (/=> (\S+) \(/.exec(line) ?? /^\s*(\/\S+) \(/.exec(line))?.[1] ?? []);
}

function place(rootfs: string, target: string, source: string): void {
  const path = join(rootfs, target);
  mkdirSync(dirname(path), { recursive: true });
  if (existsSync(path)) return;
  const real = realpathSync(source);
  try {
    linkSync(real, path);
  } catch {
    copyFileSync(real, path);
  }
}
