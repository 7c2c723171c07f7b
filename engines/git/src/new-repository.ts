/** Creates a bare repository whose default branch has one commit. */
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode } from '@slipway/foundation/caught.ts';
import type { SourceFile } from '@slipway/foundation/ports/builder.ts';
import { PortFailure } from '@slipway/foundation/ports/failure.ts';
import type { GitProgram } from './git-program.ts';
import { readObject } from './read-objects.ts';

export const defaultBranch = 'main';

export interface FirstCommit {
  readonly files: readonly SourceFile[];
  readonly message: string;
  readonly author: string;
  readonly email: string;
  readonly at: Date;
}

const invalid = (path: string, why: string): PortFailure =>
  new PortFailure('rejected', `${path}: ${why}`, { code: 'SourcePathInvalid', context: { path } });

function checkPaths(files: readonly SourceFile[]): void {
  const paths = new Set<string>();
  const folders = new Set<string>();
  for (const { path } of files) {
    const parts = path.split('/');
    // Not every system can check out backslashes and control characters.
    // oxlint-disable-next-line no-control-regex -- control characters are what is refused
    if (parts.some((part) => /^\.{0,2}$|^\.git$|[\u0000-\u001f\\]/i.test(part))) throw invalid(path, 'not a path within a repository');
    if (paths.has(path)) throw invalid(path, 'is there twice');
    paths.add(path);
    for (let end = 1; end < parts.length; end++) folders.add(parts.slice(0, end).join('/'));
  }
  const both = [...paths].find((path) => folders.has(path));
  if (both !== undefined) throw invalid(both, 'is a file and a folder');
}

/** Creates an empty bare repository without hooks and descriptions. */
export async function initRepository(git: GitProgram, gitDir: string): Promise<void> {
  await mkdir(dirname(gitDir), { recursive: true });
  await git.run(gitDir, ['init', '--quiet', '--bare', '--template=', `--initial-branch=${defaultBranch}`]);
}

/** Returns the commit in the format of `git fast-import`. */
function* importStream({ files, at, ...first }: FirstCommit): Generator<Buffer> {
  // These characters would end the name in the commit.
  const plain = (text: string): string => text.replace(/[<>\n\0]/g, '').trim();
  const person = `${plain(first.author)} <${plain(first.email)}> ${Math.floor(at.getTime() / 1000)} +0000`;
  const message = Buffer.from(first.message.endsWith('\n') ? first.message : `${first.message}\n`);
  yield Buffer.from(`commit refs/heads/${defaultBranch}\nauthor ${person}\ncommitter ${person}\ndata ${message.length}\n`);
  yield message;
  for (const { path, content, isExecutable } of files) {
    const mode = isExecutable ? '100755' : '100644';
    yield Buffer.from(`\nM ${mode} inline "${path.replaceAll('"', '\\"')}"\ndata ${content.length}\n`);
    yield Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  }
  yield Buffer.from('\ndone\n');
}

async function moveInto(aside: string, gitDir: string): Promise<boolean> {
  for (;;) {
    await mkdir(dirname(gitDir), { recursive: true });
    try {
      await rename(aside, gitDir);
      return true;
    } catch (error) {
      if (hasCode(error, 'EEXIST', 'ENOTEMPTY')) return false;
      // A deletion removed the owner's empty folder between the two calls.
      if (!hasCode(error, 'ENOENT')) throw error;
    }
  }
}

/**
 * Builds the repository in `aside` and renames it to `gitDir`, so that it appears atomically. An existing repository is not changed.
 * Returns whether the default branch contains these files. Rejects with SourcePathInvalid if a path is invalid.
 */
export async function createWithFirstCommit(git: GitProgram, gitDir: string, aside: string, first: FirstCommit): Promise<boolean> {
  checkPaths(first.files);
  const treeOf = async (repository: string): Promise<string | undefined> =>
    (await readObject(git, repository, 'HEAD^{tree}', Number.POSITIVE_INFINITY))?.oid;
  try {
    await initRepository(git, aside);
    await git.run(aside, ['fast-import', '--quiet', '--done', '--date-format=raw'], importStream(first));
    return (await moveInto(aside, gitDir)) || (await treeOf(aside)) === (await treeOf(gitDir));
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}
