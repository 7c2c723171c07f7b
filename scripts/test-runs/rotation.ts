/**
 * Decides how much of each grid of faults a long run tries: all of a grid whose code changed since every grid last passed, otherwise a third,
 * chosen by the commit, so that three runs try all of it.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** The newest commit at which every grid passed. After a green `npm run test:all`, put that commit here. */
const ALL_PASSED_AT = '7f8d2f45dc852e3cba6c0e51211b15a2b7dff982';

const root = resolve(import.meta.dirname, '../..');
const server = 'packages/server/src';
/** Code that a grid tries outside of its own folder: below `packages/server/src`, or a package of an engine. */
const triedBy: Readonly<Record<string, readonly string[]>> = {
  'testing/backup.test.ts': ['backup/'],
  'testing/broker-kills.test.ts': ['modules/streaming/', 'engines/kafka/', 'adapters/streaming-'],
  'testing/database-kills.test.ts': ['modules/databases/', 'adapters/databases-', 'engines/postgres/'],
  'testing/outliving.test.ts': ['modules/runtime/', 'engines/runtime/'],
  'testing/replicas.test.ts': ['modules/runtime/', 'engines/runtime/'],
  'testing/rollout-kills.test.ts': ['modules/services/pipelines/', 'modules/runtime/', 'engines/runtime/'],
  'testing/streaming-kills.test.ts': ['modules/streaming/', 'engines/kafka/', 'engines/schemas/'],
};
/** Code that every grid tries. */
const shared = ['modules/pipelines/', 'testing/faults/'];

const git = (...args: readonly string[]): string | undefined => {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 });
  return status === 0 ? stdout : undefined;
};
/** Returns true for a file of which some runs try only a share. */
export const isGrid = (file: string): boolean =>
  /\b(?:shareOf|rareTest|roundsOf|faultSuite)[(<]/.test(readFileSync(join(root, file), 'utf8'));

/** Drops the comments, which the house writes in lines of their own. */
const codeOf = (text: string): string => text.replaceAll(/^\s*(?:\/\/|\/\*|\*).*\n/gm, '');
const isCodeChanged = (path: string): boolean => {
  const before = git('show', `${ALL_PASSED_AT}:${path}`);
  const after = git('show', `HEAD:${path}`);
  return before === undefined || after === undefined || codeOf(before) !== codeOf(after);
};

export interface Rotation {
  /** Grids to try as a whole. */
  readonly whole: readonly string[];
  /** All other files. */
  readonly others: readonly string[];
  /** `third:0` to `third:2`, for the others. */
  readonly third: string;
}

/** Paths are relative to the repository. Without the history, every grid is tried as a whole. */
export const rotate = (files: readonly string[]): Rotation => {
  const commit = git('rev-parse', 'HEAD') ?? '0';
  const third = `third:${Number.parseInt(commit.slice(0, 8), 16) % 3}`;
  const names = git('diff', '--name-only', ALL_PASSED_AT, 'HEAD', '--', server, 'engines')?.split('\n');
  const changed = names?.filter((name) => /(?<!\.test|\.suite)\.ts$/.test(name)).filter(isCodeChanged);
  const isChanged = (file: string): boolean => {
    const ofServer = (folder: string): string => (folder.startsWith('engines/') ? folder : `${server}/${folder}`);
    const tried = triedBy[relative(server, file)]?.map(ofServer) ?? [`${dirname(file)}/`];
    const folders = [...tried, ...shared.map(ofServer)];
    return changed?.some((name) => folders.some((folder) => name.startsWith(folder))) ?? true;
  };
  const whole = files.filter((file) => isGrid(file) && isChanged(file));
  return { whole, others: files.filter((file) => !whole.includes(file)), third };
};
