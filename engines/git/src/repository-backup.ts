/**
 * Consistent snapshots of repositories for a backup: first the refs, then the objects. Nothing is ever repacked or pruned, and a ref moves
 * only after its objects are stored, so the objects listed later include everything that the refs need. Also creates repositories for a
 * restore.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { RepositoryRef } from '@slipway/foundation/ports/source.ts';
import { initRepository } from './new-repository.ts';
import { GitProgram } from './git-program.ts';
import { headRef, readRefs } from './refs.ts';
import { gitDirOf, isRepositoryRef } from './repository-path.ts';

export interface RepositoryFiles {
  readonly ref: RepositoryRef;
  /** `HEAD` and `packed-refs`, as a restore writes them. */
  readonly texts: Readonly<Record<string, string>>;
  /** Paths below the repository, `objects/…`: immutable files. */
  readonly objects: readonly string[];
}

const LOOSE_FOLDER = /^[0-9a-f]{2}$/;
const LOOSE = /^[0-9a-f]{38}$/;
const PACK = /^(pack-[0-9a-f]{40})\.(pack|idx|rev)$/;

const folder = (path: string): Promise<string[]> =>
  readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });

/** Yields the repositories of all owners accepted by `isOwner`. */
export async function* repositoriesIn(
  dataDir: string,
  isOwner: (owner: string) => boolean,
): AsyncGenerator<RepositoryRef & { gitDir: string }> {
  for (const owner of (await folder(dataDir)).filter(isOwner).sort())
    for (const entry of (await folder(join(dataDir, owner))).sort()) {
      const ref = { owner, name: entry.slice(0, -'.git'.length) };
      if (entry.endsWith('.git') && isRepositoryRef(ref)) yield { ...ref, gitDir: join(dataDir, owner, entry) };
    }
}

export async function repositoryFiles({ owner, name, gitDir }: RepositoryRef & { gitDir: string }): Promise<RepositoryFiles> {
  const head = (await headRef(gitDir)) ?? 'refs/heads/main';
  const refs = [...(await readRefs(gitDir))].map(([ref, oid]) => `${oid} ${ref}\n`).join('');
  return { ref: { owner, name }, texts: { HEAD: `ref: ${head}\n`, 'packed-refs': refs }, objects: await objectFiles(gitDir) };
}

async function objectFiles(gitDir: string): Promise<string[]> {
  const files: string[] = [];
  for (const prefix of (await folder(join(gitDir, 'objects'))).filter((one) => LOOSE_FOLDER.test(one)))
    for (const rest of await folder(join(gitDir, 'objects', prefix))) if (LOOSE.test(rest)) files.push(`objects/${prefix}/${rest}`);
  const packs = await folder(join(gitDir, 'objects/pack'));
  // The index is written last: a pack without one belongs to an unfinished push, and nothing refers to it yet.
  const whole = new Set(packs.filter((one) => one.endsWith('.idx')).map((one) => one.slice(0, -'.idx'.length)));
  const isWhole = (one: string): boolean => whole.has(PACK.exec(one)?.[1] ?? '');
  return [...files, ...packs.filter(isWhole).map((one) => `objects/pack/${one}`)].sort();
}

/**
 * Creates a repository for refs and objects from a backup. The configuration is ours and not the backup's, since a configuration can make
 * git run programs. Returns its directory.
 */
export async function makeRepositoryFrame(dataDir: string, ref: RepositoryRef): Promise<string> {
  const gitDir = gitDirOf(dataDir, ref);
  await initRepository(new GitProgram(), gitDir);
  return gitDir;
}
