/**
 * Decides how much of each grid of faults a long run tries: all of a grid whose code changed since all of it last passed, otherwise a third,
 * chosen by the commit, so that three runs try all of it. passed-grids.json holds the commit of each grid, and long runs update it.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Count } from './test-count.ts';

const root = resolve(import.meta.dirname, '../..');
const passedFile = join(import.meta.dirname, 'passed-grids.json');
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
const isCodeChanged = (since: string, path: string): boolean => {
  const before = git('show', `${since}:${path}`);
  const after = git('show', `HEAD:${path}`);
  return before === undefined || after === undefined || codeOf(before) !== codeOf(after);
};
/** Returns the source files that changed since a commit; undefined without the history. */
const changedSince = (commit: string): readonly string[] | undefined =>
  git('diff', '--name-only', commit, 'HEAD', '--', server, 'engines')
    ?.split('\n')
    .filter((name) => /(?<!\.test|\.suite)\.ts$/.test(name));

/** Commits by grid. */
type Passed = Readonly<Record<string, string>>;
const readPassed = (): Passed => JSON.parse(readFileSync(passedFile, 'utf8')) as Passed;

/** Returns what is to be remembered after a run that tried every fault of `whole`. A failure without a file fails all of them. */
export const passedAfter = (
  before: Passed,
  run: { readonly whole: readonly string[]; readonly counts: readonly Count[]; readonly commit: string },
): Passed => {
  const failures = run.counts.flatMap(({ failures: found = [] }) => found);
  const isOf = (failure: string, file: string): boolean => failure === file || failure.startsWith(`${file}: `);
  if (failures.some((failure) => !/\.test\.ts(?:: |$)/.test(failure))) return before;
  const good = run.whole.filter((file) => !failures.some((failure) => isOf(failure, file)));
  return { ...before, ...Object.fromEntries(good.map((file) => [file, run.commit])) };
};

/** Remembers the grids that passed as a whole, to be committed with the next change. Does nothing if the run tried uncommitted code. */
export const notePassed = (whole: readonly string[], counts: readonly Count[]): void => {
  const commit = git('rev-parse', 'HEAD')?.trim();
  if (commit === undefined || git('status', '--porcelain', '--untracked-files=no') !== '') return;
  const passed = passedAfter(readPassed(), { whole: whole.filter(isGrid), counts, commit });
  const lines = Object.entries(passed).toSorted(([a], [b]) => a.localeCompare(b));
  writeFileSync(passedFile, `${JSON.stringify(Object.fromEntries(lines), undefined, 2)}\n`);
};

export interface Rotation {
  /** Grids to try as a whole. */
  readonly whole: readonly string[];
  /** All other files. */
  readonly others: readonly string[];
  /** `third:0` to `third:2`, for the others. */
  readonly third: string;
}

/** Returns whose turn it is at this commit, from 0. */
export const turnOf = (turns: number): number => Number.parseInt((git('rev-parse', 'HEAD') ?? '0').slice(0, 8), 16) % turns;

/** Paths are relative to the repository. Without the history, every grid is tried as a whole. */
export const rotate = (files: readonly string[]): Rotation => {
  const third = `third:${turnOf(3)}`;
  const passed = readPassed();
  const changes = new Map([...new Set(Object.values(passed))].map((since) => [since, changedSince(since)]));
  const isChanged = (file: string): boolean => {
    const ofServer = (folder: string): string => (folder.startsWith('engines/') ? folder : `${server}/${folder}`);
    const tried = triedBy[relative(server, file)]?.map(ofServer) ?? [`${dirname(file)}/`];
    const folders = [...tried, ...shared.map(ofServer)];
    const since = passed[file] ?? '';
    const names = changes.get(since)?.filter((name) => folders.some((folder) => name.startsWith(folder)));
    return names?.some((name) => isCodeChanged(since, name)) ?? true;
  };
  const whole = files.filter((file) => isGrid(file) && isChanged(file));
  return { whole, others: files.filter((file) => !whole.includes(file)), third };
};
