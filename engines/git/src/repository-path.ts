/**
 * Paths of repositories, and which names are valid in a path. Names are lower case, so that a case-insensitive file system cannot map two
 * repositories to one directory.
 */
import { join } from 'node:path';
import { PortFailure } from '@slipway/foundation/ports/failure.ts';
import type { RepositoryRef } from '@slipway/foundation/ports/source.ts';

const namePattern = '[a-z0-9](?:[a-z0-9._-]{0,98}[a-z0-9_-])?';
const name = new RegExp(`^${namePattern}$`);
const route = new RegExp(`^/git/(${namePattern})/(${namePattern})\\.git/(info/refs|git-upload-pack|git-receive-pack)$`);

export interface GitRoute {
  readonly ref: RepositoryRef;
  readonly action: 'info/refs' | 'git-upload-pack' | 'git-receive-pack';
}

const isName = (text: string): boolean => name.test(text) && !text.includes('..') && !text.endsWith('.git') && !text.endsWith('.lock');

export const isRepositoryRef = (ref: RepositoryRef): boolean => isName(ref.owner) && isName(ref.name);

/** Parses the raw path of the request. Nothing is decoded or normalized, so an escape does not match. */
export function parseGitRoute(path: string): GitRoute | undefined {
  const [, owner, repository, action] = route.exec(path) ?? [];
  if (owner === undefined || repository === undefined) return undefined;
  const ref = { owner, name: repository };
  return isRepositoryRef(ref) ? { ref, action: action as GitRoute['action'] } : undefined;
}

/** Returns the directory of a repository. Throws RepositoryNameInvalid for a name that is invalid in a path. */
export function gitDirOf(dataDir: string, ref: RepositoryRef): string {
  if (isRepositoryRef(ref)) return join(dataDir, ref.owner, `${ref.name}.git`);
  throw new PortFailure('rejected', 'the repository name is not valid', {
    code: 'RepositoryNameInvalid',
    context: { repository: `${ref.owner}/${ref.name}` },
  });
}

export const cloneUrlOf = (publicUrl: string, ref: RepositoryRef): string =>
  `${publicUrl.replace(/\/+$/, '')}/git/${ref.owner}/${ref.name}.git`;
