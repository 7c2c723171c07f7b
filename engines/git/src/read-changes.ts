/** Reads the difference between two commits: the commits, the files, and a unified diff. */
import { mapLimited } from '@slipway/foundation/map-limited.ts';
import type { SourceChanges } from '@slipway/foundation/ports/source.ts';
import type { GitProgram } from './git-program.ts';
import { parseCommit } from './parse-commit.ts';
import { readObject, readObjects } from './read-objects.ts';

const maxCommits = 20;
const maxFiles = 100;
const maxPatchBytes = 64 * 1024;
/** Limit for names and counts, since a push may change any number of files. */
const maxListBytes = 1024 * 1024;
const isCommitName = (text: string): boolean => /^[0-9a-f]{7,40}$/.test(text);

/** Returns a command's output, up to `maxBytes`. */
const printed = async (
  git: GitProgram,
  gitDir: string,
  args: readonly string[],
  maxBytes: number,
): Promise<{ text: string; isCut: boolean }> => {
  const { stdin, stdout, stop } = git.spawn(gitDir, args);
  stdin.on('error', () => undefined).end();
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stdout) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) break;
    }
  } finally {
    stop();
  }
  return { text: Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8'), isCut: size > maxBytes };
};

const count = (text: string | undefined): number | null => (text === undefined || text === '-' ? null : Number(text));

const fileOf = (line: string): SourceChanges['files'][number][] => {
  const [added, removed, path] = line.split('\t');
  return path === undefined ? [] : [{ path, added: count(added), removed: count(removed) }];
};

/** Undefined if the repository lacks one of the commits. */
export const readChanges = async (
  git: GitProgram,
  gitDir: string,
  from: string,
  to: string,
  maxObjectBytes: number,
): Promise<SourceChanges | undefined> => {
  if (!isCommitName(from) || !isCommitName(to)) return undefined;
  const ends = await mapLimited([from, to], (name) => readObject(git, gitDir, name, maxObjectBytes));
  const [first, last] = ends.map((object) => (object?.type === 'commit' ? object.oid : undefined));
  if (first === undefined || last === undefined) return undefined;
  const diff = ['-c', 'core.quotePath=false', 'diff', '--no-color', '--no-ext-diff', '--no-textconv', '--no-renames'];
  const [names, counts, patch] = await Promise.all([
    printed(git, gitDir, ['rev-list', `${first}..${last}`], maxListBytes),
    printed(git, gitDir, [...diff, '--numstat', first, last], maxListBytes),
    printed(git, gitDir, [...diff, first, last], maxPatchBytes),
  ]);
  const shas = names.text.split('\n').filter((line) => line !== '');
  const commits: SourceChanges['commits'][number][] = [];
  for await (const object of readObjects(git, gitDir, shas.slice(0, maxCommits), maxObjectBytes)) {
    const commit = object && parseCommit(object.content);
    if (commit) commits.push({ ...commit, sha: object.oid, message: commit.message.trimEnd() });
  }
  const files = counts.text.split('\n').flatMap(fileOf);
  return {
    commits,
    commitCount: shas.length,
    files: files.slice(0, maxFiles),
    patch: patch.isCut ? patch.text.slice(0, patch.text.lastIndexOf('\n') + 1) : patch.text,
    isCut: counts.isCut || patch.isCut || files.length > maxFiles,
  };
};
