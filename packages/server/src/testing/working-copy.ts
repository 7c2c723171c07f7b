/** A person's clone of an app's repository, by a real git client. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commitFiles, git, runGit, type GitRun } from '@slipway/git/git-client.fixture.ts';
import type { TestApp } from './app.ts';

export interface WorkingCopy {
  /** Commits the files; answers the commit's sha. */
  commit(files: Readonly<Record<string, string>>, message?: string): Promise<string>;
  push(refspec?: string): Promise<GitRun>;
  remove(): Promise<void>;
}

const remoteOf = ({ url }: Pick<TestApp, 'url'>, repository: string, token: string): string =>
  `${url.replace('http://', `http://anyone:${token}@`)}/git/${repository}.git`;

/** Rejected when git may not read. `repository` is `{app}/{name}`. */
export const workingCopy = async (app: Pick<TestApp, 'url'>, repository: string, token: string): Promise<WorkingCopy> => {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-clone-'));
  await git(folder, 'clone', '--quiet', remoteOf(app, repository, token), '.');
  return {
    commit: (files, message) => commitFiles(folder, files, message),
    push: (refspec = 'HEAD') => runGit(folder, 'push', '--quiet', 'origin', refspec),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
};
