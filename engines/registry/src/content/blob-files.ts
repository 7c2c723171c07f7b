// The content-addressed store. Finished files are in `blobs/<algorithm>/<xx>/<hex>`, incoming files in `incoming/<uuid>`.
// Only one request writes a file, and a rename moves the file into place, so a reader never sees half of it.
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, mkdirSync, type ReadStream } from 'node:fs';
import { lstat, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from '@slipway/foundation/caught.ts';
import { aboveFloor, noFloor, type Floor } from '@slipway/foundation/disk-floor.ts';
import { algorithmOf, isDigest, isUploadId, type Algorithm } from '../grammar.ts';
import { isMissing, RegistryError } from '../registry-error.ts';

export interface ReceivedFile {
  readonly file: string;
  readonly sizeBytes: number;
  readonly digest: string;
}

/** Bytes per read. Small chunks of a large layer would keep the thread busy with overhead. */
const READ_BYTES = 1024 * 1024;

export class BlobFiles {
  readonly #blobs: string;
  readonly #incoming: string;
  readonly #floor: Floor;

  constructor(dataDir: string, floor: Floor = noFloor) {
    this.#floor = floor;
    this.#blobs = path.join(dataDir, 'blobs');
    this.#incoming = path.join(dataDir, 'incoming');
    for (const directory of [this.#blobs, this.#incoming]) mkdirSync(directory, { recursive: true, mode: 0o700 });
  }

  /** Returns the path of the digest's file, whether or not the file exists. */
  pathOf(digest: string): string {
    // Callers have already checked the digest. This is the last check before the file system.
    if (!isDigest(digest)) throw new RegistryError(400, 'DIGEST_INVALID', 'not a digest');
    const hex = digest.slice(digest.indexOf(':') + 1);
    return path.join(this.#blobs, algorithmOf(digest), hex.slice(0, 2), hex);
  }

  #part(file: string): string {
    if (!isUploadId(file)) throw new Error(`not the name of an incoming file: ${file}`);
    return path.join(this.#incoming, file);
  }

  /** Writes the source durably to disk. Leaves no file if the source fails, exceeds `maxBytes` or the disk runs short of space. */
  async receive(source: AsyncIterable<Uint8Array>, algorithm: Algorithm, maxBytes: number): Promise<ReceivedFile> {
    const file = randomUUID();
    const hash = createHash(algorithm);
    let sizeBytes = 0;
    const handle = await open(this.#part(file), 'wx', 0o600);
    try {
      for await (const chunk of aboveFloor(source, this.#floor)) {
        sizeBytes += chunk.length;
        if (sizeBytes > maxBytes) throw new RegistryError(413, 'SIZE_INVALID', `larger than the limit of ${maxBytes} bytes`);
        hash.update(chunk);
        await handle.writeFile(chunk);
      }
      await handle.datasync();
      await handle.close();
    } catch (error) {
      await handle.close().catch(() => undefined);
      await this.discard([file]);
      throw error;
    }
    return { file, sizeBytes, digest: `${algorithm}:${hash.digest('hex')}` };
  }

  /**
   * Moves in a file from elsewhere on the same disk and makes it as durable as a received file. Returns undefined if the file is on
   * another disk, and leaves it there.
   */
  async take(from: string, sizeBytes: number): Promise<string | undefined> {
    const found = await lstat(from);
    // A hard link would allow writes to the file under another name.
    if (!found.isFile() || found.nlink !== 1 || found.size !== sizeBytes)
      throw new RegistryError(400, 'SIZE_INVALID', `not a file of its own of ${sizeBytes} bytes`);
    const file = randomUUID();
    try {
      await rename(from, this.#part(file));
    } catch (error) {
      if (hasCode(error, 'EXDEV')) return undefined;
      throw error;
    }
    try {
      await settle(this.#part(file));
    } catch (error) {
      await this.discard([file]);
      throw error;
    }
    return file;
  }

  /** Throws if this many bytes would leave the disk short of space. For callers that know the size in advance. */
  require(bytes: number): Promise<void> {
    return this.#floor.require(bytes);
  }

  /** Joins several incoming files into a new one, in order. */
  join(files: readonly string[], algorithm: Algorithm): Promise<ReceivedFile> {
    const paths = files.map((file) => this.#part(file));
    return this.receive(readAll(paths), algorithm, Number.MAX_SAFE_INTEGER);
  }

  /** Moves an incoming file to its digest's path. The caller must have verified the digest. */
  async keep(file: string, digest: string): Promise<void> {
    const target = this.pathOf(digest);
    const directory = path.dirname(target);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await rename(this.#part(file), target);
    // Without this sync, a power failure could keep the database row but lose the directory entry.
    const handle = await open(directory);
    await handle.sync().finally(() => handle.close());
  }

  async discard(files: readonly string[]): Promise<void> {
    for (const file of files) await rm(this.#part(file), { force: true });
  }

  read(digest: string): Promise<Buffer> {
    return readFile(this.pathOf(digest));
  }

  /** Returns undefined if the file is missing or larger than `maxBytes`. */
  async readSmall(digest: string, maxBytes: number): Promise<Buffer | undefined> {
    try {
      const file = this.pathOf(digest);
      return (await stat(file)).size > maxBytes ? undefined : await readFile(file);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** Streams the bytes from `start` to `end`, both inclusive. */
  stream(digest: string, start: number, end: number): ReadStream {
    return createReadStream(this.pathOf(digest), { start, end, highWaterMark: READ_BYTES });
  }

  async has(digest: string): Promise<boolean> {
    return (await modifiedAt(this.pathOf(digest))) !== undefined;
  }

  async remove(digest: string): Promise<void> {
    await rm(this.pathOf(digest), { force: true });
  }

  /** Returns incoming files without a write since `before`. */
  async incomingBefore(before: Date): Promise<string[]> {
    const names = (await readdir(this.#incoming)).filter(isUploadId);
    return filterByAge(names, (name) => this.#part(name), before);
  }

  /** Yields digests of stored files written before `before`, one directory at a time. */
  async *storedBefore(before: Date): AsyncIterable<string[]> {
    for (const algorithm of ['sha256', 'sha512']) {
      for (const prefix of await list(path.join(this.#blobs, algorithm))) {
        const names = await list(path.join(this.#blobs, algorithm, prefix));
        const digests = names.map((hex) => `${algorithm}:${hex}`).filter(isDigest);
        yield await filterByAge(digests, (digest) => this.pathOf(digest), before);
      }
    }
  }
}

async function* readAll(paths: readonly string[]): AsyncIterable<Uint8Array> {
  for (const file of paths) yield* createReadStream(file, { highWaterMark: READ_BYTES }) as AsyncIterable<Uint8Array>;
}

async function settle(file: string): Promise<void> {
  const handle = await open(file);
  try {
    await handle.chmod(0o600);
    // The file's age starts now, because garbage collection uses it.
    const now = new Date();
    await handle.utimes(now, now);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

async function modifiedAt(file: string): Promise<Date | undefined> {
  try {
    return (await stat(file)).mtime;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function filterByAge(names: readonly string[], toPath: (name: string) => string, before: Date): Promise<string[]> {
  const old: string[] = [];
  for (const name of names) {
    const modified = await modifiedAt(toPath(name));
    if (modified !== undefined && modified < before) old.push(name);
  }
  return old;
}

async function list(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
