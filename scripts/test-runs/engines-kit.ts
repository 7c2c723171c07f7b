/**
 * Real engines for suites and benches: a kit that stands beside the checkout (`../shared/engines-kit`) starts each on ports and with data of
 * its own.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

const kit = resolve(import.meta.dirname, '../../../shared/engines-kit');
/** Directory of downloads that all runs share. The kit fetches engines into it, and the tests of clients fetch the clients. */
export const engineCache = process.env['ENGINES_CACHE'] ?? join(homedir(), '.cache/slipway-engines');
const fetched = join(engineCache, 'dist');
const START_MS = 10 * 60_000;

/** Fetches the engines' jars. */
const fetcher = 'mvn';

/** As the kit looks for it. */
const hasJava = (oldest: number): boolean => {
  const installed = existsSync('/usr/lib/jvm') ? readdirSync('/usr/lib/jvm').map((name) => join('/usr/lib/jvm', name)) : [];
  return [process.env['ENGINES_JAVA_HOME'], process.env['JAVA_HOME'], ...installed].some((home) => {
    const { stderr } = spawnSync(join(home ?? '', 'bin/java'), ['-version'], { encoding: 'utf8' });
    return Number(/version "(\d+)/.exec(stderr ?? '')?.[1] ?? 0) >= oldest;
  });
};

/** Why an engine cannot be started on this machine; undefined where it can. */
export const missingFor = (name: string, java?: number): string | undefined => {
  if (!existsSync(join(kit, name, 'up'))) return `there is no ${join(kit, name)}`;
  if (java === undefined) return undefined;
  if (spawnSync(fetcher, ['-version'], { stdio: 'ignore' }).status !== 0) return `there is no ${fetcher}`;
  return hasJava(java) ? undefined : `there is no Java ${java} or newer`;
};

export interface Engine {
  /** The kit's commands, for a test that restarts the engine: `down` keeps its data. */
  readonly restart: { readonly down: string; readonly up: string; readonly env: NodeJS.ProcessEnv };
  /** False where it did not start. */
  up(): boolean;
  /** With its data. */
  down(): void;
}
/** `env`: the kit's own variables, as the one for its port. */
export const engineIn = (folder: string, name: string, env: NodeJS.ProcessEnv): Engine => {
  mkdirSync(fetched, { recursive: true });
  symlinkSync(fetched, join(folder, 'dist'));
  const own = { ...env, ENGINES_CACHE: folder };
  const run = (command: string, ...args: string[]): boolean =>
    spawnSync(join(kit, name, command), args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, ...own },
      timeout: START_MS,
    }).status === 0;
  const restart = { down: join(kit, name, 'down'), up: join(kit, name, 'up'), env: own };
  return { restart, up: () => run('up'), down: () => void run('down', '--wipe') };
};
