/** Writes an archive to a temporary file, flushes it to disk and renames it when complete. Never uses the disk's last free space. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import { pack as createPack, type Pack } from 'tar-stream';
import { errorMessage } from '#kernel/caught.ts';
import { aboveFloor, type Floor } from '#kernel/disk-floor.ts';
import { StartError } from '#kernel/start-error.ts';
import { CONTENTS, type Part } from './archive-parts.ts';

/** Most of an archive is already compressed. This is the fastest level that still compresses rows well. */
const LEVEL = 3;

export class ArchiveWriter {
  readonly parts: Part[] = [];
  readonly #file: string;
  readonly #draft: string;
  readonly #pack: Pack = createPack();
  readonly #written: Promise<void>;
  /** Rejects when writing fails. Otherwise callers that wait for space in the pack would wait forever. */
  readonly #failed: Promise<never>;
  readonly #stopping = new AbortController();
  readonly #removeDraft: () => void;

  private constructor(file: string, draft: string, output: fs.WriteStream, floor: Floor, removeDraft: () => void) {
    this.#file = file;
    this.#draft = draft;
    this.#removeDraft = removeDraft;
    const params = { [constants.ZSTD_c_compressionLevel]: LEVEL, [constants.ZSTD_c_checksumFlag]: 1 };
    const compress = createZstdCompress({ params });
    const { signal } = this.#stopping;
    this.#written = pipeline(this.#pack, compress, (bytes: AsyncIterable<Uint8Array>) => aboveFloor(bytes, floor), output, { signal });
    this.#failed = new Promise((_, reject) => this.#written.catch(reject));
    this.#failed.catch(() => undefined);
  }

  static create(file: string, floor: Floor): ArchiveWriter {
    if (fs.existsSync(file)) throw new StartError(`${file} is there already: choose another name`);
    const draft = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}.part`);
    const removeDraft = (): void => fs.rmSync(draft, { force: true });
    try {
      // Registered immediately, so that no draft remains whenever the program exits.
      const output = fs.createWriteStream(draft, { fd: fs.openSync(draft, 'wx', 0o600), flush: true });
      process.once('exit', removeDraft);
      return new ArchiveWriter(file, draft, output, floor, removeDraft);
    } catch (cause) {
      throw new StartError(`${file} cannot be written: ${errorMessage(cause)}`, { cause });
    }
  }

  /** `source` must yield exactly `size` bytes. */
  async add(name: string, size: number, source: AsyncIterable<Uint8Array>): Promise<void> {
    const hash = createHash('sha256');
    let count = 0;
    const metered = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of source) {
        hash.update(chunk);
        count += chunk.length;
        if (count > size) throw changed(name);
        yield chunk;
      }
      if (count !== size) throw changed(name);
    };
    try {
      const added = pipeline(metered, this.#pack.entry({ name, size, mode: 0o600, mtime: new Date() }));
      added.catch(() => undefined);
      await Promise.race([added, this.#failed]);
    } catch (error) {
      throw await this.#whyOf(error);
    }
    this.parts.push({ name, size, sha256: hash.digest('hex') });
  }

  /** Finds the cause of a write failure, such as a full disk. The pack itself only knows that it was closed. */
  async #whyOf(error: unknown): Promise<unknown> {
    this.#stopping.abort();
    const reason: unknown = await this.#written.then(
      () => undefined,
      (failure: unknown) => failure,
    );
    const isOwn = error instanceof StartError || reason === undefined || (reason instanceof Error && reason.name === 'AbortError');
    return isOwn ? error : reason;
  }

  addBytes(name: string, bytes: Uint8Array): Promise<void> {
    return this.add(name, bytes.length, single(bytes));
  }

  /** Returns the size of the archive in bytes. */
  async finish(contents: Uint8Array): Promise<number> {
    await this.addBytes(CONTENTS, contents);
    this.#pack.finalize();
    await this.#written;
    // Unlike a rename, a link fails if the file was created in the meantime.
    fs.linkSync(this.#draft, this.#file);
    this.#forgetDraft();
    const directory = fs.openSync(path.dirname(this.#file), 'r');
    fs.fsyncSync(directory);
    fs.closeSync(directory);
    return fs.statSync(this.#file).size;
  }

  async abandon(): Promise<void> {
    this.#stopping.abort();
    await this.#written.catch(() => undefined);
    this.#forgetDraft();
  }

  #forgetDraft(): void {
    this.#removeDraft();
    process.off('exit', this.#removeDraft);
  }
}

const changed = (name: string): StartError =>
  new StartError(`${name} changed while it was read: is another program at work in the data directory?`);

async function* single(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}
