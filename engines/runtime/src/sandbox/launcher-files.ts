/**
 * The launcher as a directory that every user of the machine may read, whatever the rights of the installation: its modules with types
 * stripped, which would cost Node a third of each start, and the library they use. Built once per content.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { textAt } from '@slipway/foundation/text-at.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const MODULES = ['launcher', 'libc', 'kernel-view'] as const;
const STRIP = `process.stdout.write(require('node:module').stripTypeScriptTypes(require('node:fs').readFileSync(0, 'utf8')))`;
const OTHERS_MAY_RUN = 0o005;

const source = (name: string): string => readFileSync(fileURLToPath(new URL(`./${name}.ts`, import.meta.url)), 'utf8');
/** Folders of the koffi library and of its platform-specific part. */
const library = dirname(fileURLToPath(import.meta.resolve('koffi')));
const platform = join(library, '../@koromix', `koffi-linux-${process.arch}`);

let made: string | undefined;

/** Returns the path of the directory: `launcher.js`, and `node` if others may not run the server's own. */
export function launcherFiles(): string {
  return (made ??= make());
}

/** Returns the Node that runs the launcher, readable by every user. */
export const launcherNode = (): string => {
  const copy = join(launcherFiles(), 'node');
  return existsSync(copy) ? copy : process.execPath;
};

function make(): string {
  const version = textAt(JSON.parse(readFileSync(join(library, 'package.json'), 'utf8')), 'version') ?? '';
  const texts = MODULES.map(source);
  const key = createHash('sha256')
    .update([process.execPath, process.version, version, ...texts].join('\0'))
    .digest('hex')
    .slice(0, 32);
  const base = temporaryDirectory('slipway-launcher', 0o755);
  const directory = join(base, key);
  if (existsSync(directory)) return directory;
  const partial = mkdtempSync(`${directory}-`);
  for (const [index, name] of MODULES.entries()) writeFileSync(join(partial, `${name}.js`), withoutTypes(texts[index] ?? ''));
  writeFileSync(join(partial, 'package.json'), '{"type":"module"}');
  // Skips koffi's C++ sources.
  const filter = (path: string): boolean => statSync(path).isDirectory() || /\.(?:c?js|json)$/.test(path);
  cpSync(library, join(partial, 'node_modules/koffi'), { recursive: true, filter });
  cpSync(platform, join(partial, 'node_modules/@koromix', `koffi-linux-${process.arch}`), { recursive: true });
  if (!isOthersToRun(process.execPath)) copyFileSync(process.execPath, join(partial, 'node'));
  openUp(partial);
  try {
    renameSync(partial, directory);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    // Another server built it first.
    if (!existsSync(directory)) throw error;
  }
  return directory;
}

/** Strips types in a separate process, since Node warns that the function is experimental. */
function withoutTypes(text: string): string {
  const { status, stderr, stdout } = spawnSync(process.execPath, ['--no-warnings', '-e', STRIP], { input: text, encoding: 'utf8' });
  if (status !== 0) throw new Error(`The launcher could not be made: ${stderr}`);
  return stdout.replaceAll(/'\.\/([\w-]+)\.ts'/g, `'./$1.js'`);
}

const isOthersToRun = (file: string): boolean => (statSync(file).mode & OTHERS_MAY_RUN) === OTHERS_MAY_RUN;

function openUp(path: string): void {
  const isDirectory = statSync(path).isDirectory();
  chmodSync(path, isDirectory || path.endsWith('/node') ? 0o755 : 0o644);
  if (isDirectory) for (const name of readdirSync(path)) openUp(join(path, name));
}
