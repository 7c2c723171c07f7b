/** The last version that landed, unpacked beside this checkout with the same packages: the version that an upgrade replaces. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import type { OtherVersion } from '../other-version.ts';

/**
 * The commit of the last landed version, which has no tag. It is the last one without version records and before migration 0039. When a
 * version is tagged, its tag replaces this commit.
 */
export const LANDED = 'decf7503';

const root = resolve(import.meta.dirname, '../../../../..');
const git = (...args: string[]): string => execFileSync('git', ['-C', root, ...args], { encoding: 'utf8', stdio: 'pipe' });

/** Lists the packages of the landed version, without the page: tests do not compare it, and building it takes a minute. */
const landedPackages = (): string[] =>
  git('ls-tree', '--name-only', LANDED, 'packages/', 'engines/')
    .trim()
    .split('\n')
    .filter((folder) => folder !== 'packages/console');

/** False in a shallow clone that lacks the commit, and in a folder that is no clone. */
export const isLandedKnown = (): boolean => {
  try {
    git('cat-file', '-e', `${LANDED}^{commit}`);
    return true;
  } catch {
    return false;
  }
};

/** Its own `node_modules` links to every package here, except for the platform's packages, which are its own. */
export function unpackLanded(): OtherVersion {
  const copy = mkdtempSync(join(tmpdir(), 'slipway-landed-'));
  // The broker and the databases run as other users.
  chmodSync(copy, 0o755);
  const folders = landedPackages();
  const archive = join(copy, 'landed.tar');
  git('archive', '--output', archive, LANDED, 'package.json', 'docs/guide', ...folders);
  execFileSync('tar', ['-xf', archive, '-C', copy]);
  rmSync(archive);
  symlinkSync(join(root, 'packages/console'), join(copy, 'packages/console'));
  const modules = join(copy, 'node_modules');
  mkdirSync(join(modules, '@slipway'), { recursive: true });
  for (const folder of folders) symlinkSync(join(copy, folder), join(modules, '@slipway', basename(folder)));
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@slipway' && name !== '.cache') symlinkSync(join(root, 'node_modules', name), join(modules, name));
  return { entry: join(copy, 'packages/server/src/start.ts'), remove: () => rmSync(copy, { recursive: true, force: true }) };
}
