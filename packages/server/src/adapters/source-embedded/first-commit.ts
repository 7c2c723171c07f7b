/** Makes a new bare repository whose default branch holds one commit. */
import fs from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import git from 'isomorphic-git';
import type { TreeEntry } from 'isomorphic-git';
import { hasCode } from '#kernel/caught.ts';
import { PortFailure } from '#ports/failure.ts';
import type { SourceFile } from '#ports/builder.ts';

export const defaultBranch = 'main';

interface Folder {
  readonly files: Map<string, SourceFile>;
  readonly folders: Map<string, Folder>;
}

const newFolder = (): Folder => ({ files: new Map(), folders: new Map() });

const invalid = (path: string, why: string): PortFailure =>
  new PortFailure('rejected', `${path}: ${why}`, { code: 'SourcePathInvalid', context: { path } });

function folderTree(files: readonly SourceFile[]): Folder {
  const root = newFolder();
  for (const file of files) {
    const parts = file.path.split('/');
    const name = parts.pop() ?? '';
    // Backslashes and control characters do not survive a checkout everywhere.
    // oxlint-disable-next-line no-control-regex -- control characters are what is refused
    if ([...parts, name].some((part) => /^\.{0,2}$|^\.git$|[\u0000-\u001f\\]/i.test(part)))
      throw invalid(file.path, 'not a path within a repository');
    let folder = root;
    for (const part of parts) {
      if (folder.files.has(part)) throw invalid(file.path, 'is below a file');
      const below = folder.folders.get(part) ?? newFolder();
      folder.folders.set(part, below);
      folder = below;
    }
    if (folder.files.has(name) || folder.folders.has(name)) throw invalid(file.path, 'is there twice');
    folder.files.set(name, file);
  }
  return root;
}

async function writeFolder(gitdir: string, folder: Folder): Promise<string> {
  const files = [...folder.files].map(async ([path, file]): Promise<TreeEntry> => ({
    mode: file.isExecutable ? '100755' : '100644',
    path,
    oid: await git.writeBlob({ fs, gitdir, blob: file.content }),
    type: 'blob',
  }));
  const folders = [...folder.folders].map(async ([path, below]): Promise<TreeEntry> => ({
    mode: '040000',
    path,
    oid: await writeFolder(gitdir, below),
    type: 'tree',
  }));
  return git.writeTree({ fs, gitdir, tree: await Promise.all([...files, ...folders]) });
}

export interface FirstCommit {
  readonly files: readonly SourceFile[];
  readonly message: string;
  readonly author: string;
  readonly email: string;
  readonly at: Date;
}

async function build(gitdir: string, first: FirstCommit): Promise<string> {
  const folder = folderTree(first.files);
  await git.init({ fs, gitdir, bare: true, defaultBranch });
  const tree = await writeFolder(gitdir, folder);
  // These characters would end the name within the commit.
  const plain = (text: string): string => text.replace(/[<>\n\0]/g, '').trim();
  const person = {
    name: plain(first.author),
    email: plain(first.email),
    timestamp: Math.floor(first.at.getTime() / 1000),
    timezoneOffset: 0,
  };
  const message = first.message.endsWith('\n') ? first.message : `${first.message}\n`;
  const commit = await git.writeCommit({ fs, gitdir, commit: { message, tree, parent: [], author: person, committer: person } });
  await git.writeRef({ fs, gitdir, ref: `refs/heads/${defaultBranch}`, value: commit, force: true });
  return tree;
}

async function moveInto(aside: string, gitDir: string): Promise<boolean> {
  for (;;) {
    await mkdir(dirname(gitDir), { recursive: true });
    try {
      await rename(aside, gitDir);
      return true;
    } catch (error) {
      if (hasCode(error, 'EEXIST', 'ENOTEMPTY')) return false;
      // A delete removed the owner's empty folder between the two calls.
      if (!hasCode(error, 'ENOENT')) throw error;
    }
  }
}

/**
 * Builds the repository in `aside` and renames it to `gitDir`, so that it is there whole or not at all. Answers `isMade: false`,
 * leaving everything as it is, when another one has the place; `tree` names the wanted content either way.
 * Rejected (SourcePathInvalid) when a path cannot be in a repository.
 */
export async function createWithFirstCommit(gitDir: string, aside: string, first: FirstCommit): Promise<{ isMade: boolean; tree: string }> {
  try {
    const tree = await build(aside, first);
    return { isMade: await moveInto(aside, gitDir), tree };
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}
