/** Lists the packages of this repository, so that a new package cannot escape a gate or its tests. */
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const foldersIn = (folder: string): string[] =>
  readdirSync(join(root, folder))
    .filter((name) => existsSync(join(root, folder, name, 'package.json')))
    .map((name) => `${folder}/${name}`);

/** The embedded engines, each a package of its own: `engines/kafka`. */
export const engines: readonly string[] = foldersIn('engines');
/** All packages with TypeScript sources in `src`. */
export const packages: readonly string[] = [...foldersIn('packages'), ...engines];
