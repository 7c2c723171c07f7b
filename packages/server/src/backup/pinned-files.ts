/**
 * Pins files at a point in time with hard links, which cost neither space nor time. Deletions and garbage collection are blocked only for
 * seconds, not for the whole backup. Links only immutable files: blobs and git objects.
 */
import { randomUUID } from 'node:crypto';
import fs, { constants } from 'node:fs';
import { copyFile, link, mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';

export interface PinnedFile {
  readonly path: string;
  readonly size: number;
}

/** Error codes of file systems without hard links, and of files with another owner. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EXDEV', 'EMLINK', 'ENOSYS']);

export class PinnedFiles {
  readonly #folder: string;
  readonly #draft: string;
  /** Also runs when the process is terminated. */
  readonly #remove = (): void => fs.rmSync(this.#folder, { recursive: true, force: true });

  private constructor(folder: string) {
    this.#folder = folder;
    this.#draft = path.join(folder, randomUUID());
    process.once('exit', this.#remove);
  }

  /** `folder` is only for this class, on the disk of the pinned files. Empties it first. Call it while holding the backup lock. */
  static async open(folder: string): Promise<PinnedFiles> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(folder)) await rm(path.join(folder, name), { recursive: true, force: true });
    const pinned = new PinnedFiles(folder);
    await mkdir(pinned.#draft, { mode: 0o700 });
    return pinned;
  }

  /** Rejects with ENOENT if the file does not exist. */
  async pin(file: string, name: string): Promise<PinnedFile> {
    const target = path.join(this.#draft, name);
    await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
    await link(file, target).catch(async (error: NodeJS.ErrnoException) => {
      if (!NO_LINKS.has(error.code ?? '')) throw error;
      await copyFile(file, target, constants.COPYFILE_FICLONE);
    });
    return { path: target, size: (await stat(target)).size };
  }

  async release(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
    process.off('exit', this.#remove);
  }
}
