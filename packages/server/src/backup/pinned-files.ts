/**
 * Keeps the files of one moment while they are read: hard links beside them, which cost neither space nor time. So a deletion or garbage
 * collection waits for seconds and not for the whole backup. Only what is never written again is linked: blobs and git objects.
 */
import { randomUUID } from 'node:crypto';
import fs, { constants } from 'node:fs';
import { copyFile, link, mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';

export interface PinnedFile {
  readonly path: string;
  readonly size: number;
}

/** File systems without links, or where files belong to somebody else. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EXDEV', 'EMLINK', 'ENOSYS']);

export class PinnedFiles {
  readonly #folder: string;
  readonly #draft: string;
  /** Also when somebody ends the program. */
  readonly #remove = (): void => fs.rmSync(this.#folder, { recursive: true, force: true });

  private constructor(folder: string) {
    this.#folder = folder;
    this.#draft = path.join(folder, randomUUID());
    process.once('exit', this.#remove);
  }

  /** `folder` is this class's alone, on the disk of what is pinned. What a killed backup left there goes; call it under the backup's lock. */
  static async open(folder: string): Promise<PinnedFiles> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(folder)) await rm(path.join(folder, name), { recursive: true, force: true });
    const pinned = new PinnedFiles(folder);
    await mkdir(pinned.#draft, { mode: 0o700 });
    return pinned;
  }

  /** Rejected with ENOENT when the file is not there. */
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
