/** The files of backups: one for each, named after it, below the data directory. */
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Floor } from '#kernel/disk-floor.ts';

export interface BackupPlace {
  readonly directory: string;
  readonly floor: Floor;
}

export class BackupFiles {
  readonly floor: Floor;
  readonly #directory: string;

  constructor({ directory, floor }: BackupPlace) {
    this.#directory = directory;
    this.floor = floor;
  }

  /** Of a backup's id, which the platform made. */
  fileOf(id: string): string {
    return path.join(this.#directory, `${id}.tar.zst`);
  }

  /** For a new one; what a killed attempt left is gone. */
  async fresh(id: string): Promise<string> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    await this.remove(id);
    return this.fileOf(id);
  }

  async remove(id: string): Promise<void> {
    await rm(this.fileOf(id), { force: true });
  }

  /** Removes what belongs to no backup: of apps that are gone, and what a kill left half written. */
  async keepOnly(ids: ReadonlySet<string>): Promise<void> {
    const names = await readdir(this.#directory).catch(() => []);
    const kept = new Set([...ids].map((id) => path.basename(this.fileOf(id))));
    for (const name of names) if (!kept.has(name)) await rm(path.join(this.#directory, name), { force: true, recursive: true });
  }
}
