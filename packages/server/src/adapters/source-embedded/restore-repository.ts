/** Makes the frame of a repository whose refs and objects come from a backup: what a new one has, and nothing that a backup could choose. */
import fs from 'node:fs';
import git from 'isomorphic-git';
import type { RepositoryRef } from '#ports/source.ts';
import { defaultBranch } from './first-commit.ts';
import { gitDirOf } from './repository-path.ts';

/** Answers its directory. The configuration is ours: git runs programs that one names. */
export async function makeRepositoryFrame(dataDir: string, ref: RepositoryRef): Promise<string> {
  const gitdir = gitDirOf(dataDir, ref);
  await git.init({ fs, gitdir, bare: true, defaultBranch });
  return gitdir;
}
