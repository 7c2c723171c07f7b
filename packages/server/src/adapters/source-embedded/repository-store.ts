/** The repositories as directories: `{dataDir}/{owner}/{name}.git`, bare, as git makes them. */
import { randomUUID } from 'node:crypto';
import { access, mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode } from '#kernel/caught.ts';
import { PortFailure } from '#ports/failure.ts';
import type { RepositoryRef } from '#ports/source.ts';
import { createWithFirstCommit, type FirstCommit } from './new-repository.ts';
import type { GitProgram } from './git-program.ts';
import { gitDirOf, isRepositoryRef } from './repository-path.ts';

/** What is being made or thrown away lies here, on the same file system; no owner can have this name. */
const asideFolder = '.aside';
const leftoverMs = 60 * 60_000;

/** Undefined while somebody else has it: a backup that pins what is there, or another deletion. */
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

  /** The repository's directory, undefined when there is none. */
  async locate(ref: RepositoryRef): Promise<string | undefined> {
    if (!isRepositoryRef(ref)) return undefined;
    const gitDir = gitDirOf(this.#dataDir, ref);
    return access(join(gitDir, 'HEAD')).then(
      () => gitDir,
      () => undefined,
    );
  }

  /** The directory; rejected (notFound) when there is no such repository. */
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

  /** Rejected (conflict) when the repository exists and its default branch holds other files. */
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
    // Renamed first: a request sees it whole or not at all.
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

  /** A free path to build or to delete in. Also clears what killed servers left there. */
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
