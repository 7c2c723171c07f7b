/**
 * Shows crun and bubblewrap to a program and its children, without installing them: root on Debian downloads the packages that are missing,
 * and the program runs in a mount namespace of its own with the packages' files above `/usr`. Otherwise the machine would choose another tier.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Program of each tier that needs one. */
const PROGRAMS = { oci: 'crun', bubblewrap: 'bwrap' } as const;
const folder = resolve(import.meta.dirname, '../../node_modules/.slipway/sandbox-tools');
const files = join(folder, 'root/usr');

const isGood = (command: string, args: readonly string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore', timeout: 300_000 }).status === 0;
const areThere = (prefix: readonly string[]): boolean =>
  Object.values(PROGRAMS).every((program) => isGood('env', [...prefix, program, '--version']));

/** Downloads the packages with the dependencies that this machine lacks, and unpacks them into the folder. */
const download = (): boolean => {
  mkdirSync(join(folder, 'partial'), { recursive: true });
  const options = ['-y', '-qq', '--no-install-recommends', '--download-only', '-o', `Dir::Cache::archives=${folder}`];
  const get = (): boolean => isGood('apt-get', ['install', ...options, 'crun', 'bubblewrap']);
  if (!get() && !(isGood('apt-get', ['update', '-qq']) && get())) return false;
  return globSync(join(folder, '*.deb')).every((file) => isGood('dpkg-deb', ['-x', file, join(folder, 'root')]));
};

/** Returns the words to put before a command. They are empty if nothing needs to be shown, or nothing can be. */
export const sandboxTools = (): readonly string[] => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || areThere([])) return [];
  const mount = `mount -t overlay slipway -o lowerdir=${files}:/usr /usr && exec "$@"`;
  const shown = ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', mount, 'sandbox-tools'];
  return [() => existsSync(files), download].some((isReady) => isReady() && areThere(shown)) ? shown : [];
};

/** Returns the tiers that have no program, so that the caller can say what is not attacked. */
export const missingTiers = (prefix: readonly string[]): readonly string[] =>
  Object.entries(PROGRAMS).flatMap(([tier, program]) => (isGood('env', [...prefix, program, '--version']) ? [] : [tier]));
