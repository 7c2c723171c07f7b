/** Repositories as directories: `{dataDir}/{owner}/{name}.git`, bare, as created by git. */
import { randomUUID } from 'node:crypto';
import { access, mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode } from '@slipway/foundation/caught.ts';
import { PortFailure } from '@slipway/foundation/ports/failure.ts';
import type { RepositoryRef } from '@slipway/foundation/ports/source.ts';
import { createWithFirstCommit, type FirstCommit } from './new-repository.ts';
import type { GitProgram } from './git-program.ts';
import { gitDirOf, isRepositoryRef } from './repository-path.ts';

/** Folder for repositories being created or deleted, on the same file system. No owner can have this name. */
const asideFolder = '.aside';
const leftoverMs = 60 * 60_000;

/** Returns undefined while a backup or another deletion holds the lock. */
export type TryHold = () => { release(): void } | undefined;

const holdPollMs = 20;
const holdPatienceMs = 60_000;

export class RepositoryStore {
  readonly #git: GitProgram;
  readonly #dataDir: string;
  readonly #tryHold: TryHold;

  constructor(git: GitProgram, dataDir: string, tryHold: TryHold = () => ({ release: () => {} })) {
    this.#git = git;
    this.#dataDir = dataDir;
    this.#tryHold = tryHold;
  }

  /** Returns the repository's directory, or undefined if it does not exist. */
  async locate(ref: RepositoryRef): Promise<string | undefined> {
    if (!isRepositoryRef(ref)) return undefined;
    const gitDir = gitDirOf(this.#dataDir, ref);
    return access(join(gitDir, 'HEAD')).then(
      () => gitDir,
      () => undefined,
    );
  }

  /** Returns the directory. Rejects with notFound if the repository does not exist. */
  async require(ref: RepositoryRef): Promise<string> {
    const gitDir = await this.locate(ref);
    if (gitDir === undefined) throw new PortFailure('notFound', `there is no repository ${ref.owner}/${ref.name}`);
    return gitDir;
  }

  async list(owner: string): Promise<RepositoryRef[]> {
    if (!isRepositoryRef({ owner, name: owner })) return [];
    const folders = await readdir(join(this.#dataDir, owner)).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return [];
      throw error;
    });
    const refs = folders.filter((folder) => folder.endsWith('.git')).map((folder) => ({ owner, name: folder.slice(0, -'.git'.length) }));
    return refs.filter(isRepositoryRef).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Rejects with conflict if the repository exists and its default branch has other files. */
  async create(ref: RepositoryRef, first: FirstCommit): Promise<void> {
    const gitDir = gitDirOf(this.#dataDir, ref);
    if (await createWithFirstCommit(this.#git, gitDir, await this.#aside(), first)) return;
    throw new PortFailure('conflict', `the repository ${ref.owner}/${ref.name} exists with other content`, {
      code: 'RepositoryAlreadyExists',
      context: { repoName: ref.name },
    });
  }

  async delete(ref: RepositoryRef): Promise<void> {
    const gitDir = gitDirOf(this.#dataDir, ref);
    const aside = await this.#aside();
    // Renamed before deletion, so that requests see it completely or not at all.
    const hold = await this.#hold();
    const isThere = await rename(gitDir, aside)
      .then(
        () => true,
        (error: unknown) => {
          if (hasCode(error, 'ENOENT')) return false;
          throw error;
        },
      )
      .finally(() => hold.release());
    if (isThere) await rm(aside, { recursive: true, force: true });
    await rmdir(dirname(gitDir)).catch(() => undefined);
  }

  async #hold(): Promise<{ release(): void }> {
    for (const end = Date.now() + holdPatienceMs; ; await delay(holdPollMs)) {
      const hold = this.#tryHold();
      if (hold) return hold;
      if (Date.now() > end) throw new PortFailure('unavailable', 'a backup holds the repositories: try again');
    }
  }

  /** Returns an unused path to build or delete in. Also removes leftovers of killed servers. */
  async #aside(): Promise<string> {
    const folder = join(this.#dataDir, asideFolder);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      const found = await stat(path).catch(() => undefined);
      if (found !== undefined && Date.now() - found.mtimeMs > leftoverMs) await rm(path, { recursive: true, force: true });
    }
    return join(folder, randomUUID());
  }
}
