/**
 * Repositories as they are at one moment, for a backup: first the refs, then the objects. Nothing here ever repacks or prunes, and a ref
 * moves only when its objects are there, so that what is listed second holds all that the first names. And what a restore writes them into.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { RepositoryRef } from '#ports/source.ts';
import { initRepository } from './new-repository.ts';
import { GitProgram } from './git-program.ts';
import { headRef, readRefs } from './refs.ts';
import { gitDirOf, isRepositoryRef } from './repository-path.ts';

export interface RepositoryFiles {
  readonly ref: RepositoryRef;
  /** `HEAD` and `packed-refs`, as they are to be written. */
  readonly texts: Readonly<Record<string, string>>;
  /** Paths below the repository, `objects/…`: files that never change. */
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

/** All of the owners that `isOwner` knows. */
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
  // The index comes last: a pack without one belongs to a push that nothing refers to yet.
  const whole = new Set(packs.filter((one) => one.endsWith('.idx')).map((one) => one.slice(0, -'.idx'.length)));
  const isWhole = (one: string): boolean => whole.has(PACK.exec(one)?.[1] ?? '');
  return [...files, ...packs.filter(isWhole).map((one) => `objects/pack/${one}`)].sort();
}

/**
 * Makes the frame of a repository whose refs and objects come from a backup: what a new one has, and nothing that a backup could choose. The
 * configuration is ours: git runs programs that one names. Answers its directory.
 */
export async function makeRepositoryFrame(dataDir: string, ref: RepositoryRef): Promise<string> {
  const gitDir = gitDirOf(dataDir, ref);
  await initRepository(new GitProgram(), gitDir);
  return gitDir;
}
