/** Writes an archive's repositories, blobs and keys into a data directory. Each file is complete and synced before it gets its name. */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { mkdir, open, rename } from 'node:fs/promises';
import path from 'node:path';
import { BlobFiles } from '@slipway/registry/content/blob-files.ts';
import { makeRepositoryFrame } from '@slipway/git/repository-backup.ts';
import type { PartPlace } from './archive-format.ts';

export class FilesWriter {
  readonly #dataDir: string;
  readonly #blobs: BlobFiles;
  readonly #frames = new Map<string, string>();
  readonly #folders = new Set<string>();

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
    mkdirPrivate(path.join(dataDir, 'git'));
    this.#blobs = new BlobFiles(path.join(dataDir, 'registry'));
  }

  async blob({ algorithm, hex }: Extract<PartPlace, { kind: 'blob' }>, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#write(this.#blobs.pathOf(`${algorithm}:${hex}`), bytes, { file: 0o600, folder: 0o700 });
  }

  async repository({ owner, name, file }: Extract<PartPlace, { kind: 'repository' }>, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const key = `${owner}/${name}`;
    const gitDir = this.#frames.get(key) ?? (await makeRepositoryFrame(path.join(this.#dataDir, 'git'), { owner, name }));
    this.#frames.set(key, gitDir);
    await this.#write(path.join(gitDir, file), bytes, { file: file.startsWith('objects/') ? 0o444 : 0o644, folder: 0o755 });
  }

  async keys(files: Readonly<Record<string, string>>): Promise<void> {
    const directory = path.join(this.#dataDir, 'keys');
    mkdirPrivate(directory);
    for (const [name, text] of Object.entries(files))
      await this.#write(path.join(directory, name), [Buffer.from(text)], { file: 0o600, folder: 0o700 });
  }

  /** Syncs the folders, so that the names are on disk, too. */
  finish(): void {
    for (const folder of this.#folders) syncFolder(folder);
  }

  async #write(
    file: string,
    bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    mode: { file: number; folder: number },
  ): Promise<void> {
    const folder = path.dirname(file);
    await mkdir(folder, { recursive: true, mode: mode.folder });
    const draft = path.join(folder, `.${randomUUID()}`);
    const handle = await open(draft, 'wx', mode.file);
    try {
      for await (const chunk of bytes) await handle.writeFile(chunk);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
    this.#folders.add(folder).add(path.dirname(folder));
  }
}

const mkdirPrivate = (directory: string): void => void fs.mkdirSync(directory, { recursive: true, mode: 0o700 });

const syncFolder = (folder: string): void => {
  const descriptor = fs.openSync(folder, 'r');
  fs.fsyncSync(descriptor);
  fs.closeSync(descriptor);
};
