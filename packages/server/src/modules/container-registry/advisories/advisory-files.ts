/**
 * Reads advisories from a zip as published by osv.dev, a directory or a single file. Zips are untrusted: the number and size of their
 * files are limited, and nothing is written to disk.
 */
import { Buffer } from 'node:buffer';
import { glob, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import yauzl from 'yauzl';
import { errorMessage } from '#kernel/caught.ts';

export interface FileLimits {
  readonly files: number;
  /** Maximum size of one record. */
  readonly fileBytes: number;
  /** Maximum unpacked size of all files together. */
  readonly bytes: number;
}
export const defaultFileLimits: FileLimits = { files: 1_000_000, fileBytes: 8 << 20, bytes: 16 * 2 ** 30 };

export interface AdvisoryFile {
  readonly name: string;
  /** Undefined if the file exceeds `fileBytes`. */
  readonly text: string | undefined;
}
/** Thrown when the source as a whole cannot be read. */
export class NoAdvisories extends Error {
  override readonly name = 'NoAdvisories';
}
export class TooManyAdvisories extends Error {
  override readonly name = 'TooManyAdvisories';
}

class Amounts {
  readonly #limits: FileLimits;
  #files = 0;
  #bytes = 0;

  constructor(limits: FileLimits) {
    this.#limits = limits;
  }

  /** Counts a file and returns whether to read it. Throws when the totals are exceeded. */
  take(size: number): boolean {
    this.#files += 1;
    if (this.#files > this.#limits.files) throw new TooManyAdvisories(`it holds more than ${this.#limits.files} files`);
    if (size > this.#limits.fileBytes) return false;
    this.#bytes += size;
    if (this.#bytes > this.#limits.bytes) throw new TooManyAdvisories(`it is larger than ${this.#limits.bytes} bytes unpacked`);
    return true;
  }
}

const isRecord = (name: string): boolean => name.endsWith('.json');

async function* zipFiles(zip: yauzl.ZipFile, limits: FileLimits): AsyncGenerator<AdvisoryFile> {
  const amounts = new Amounts(limits);
  try {
    if (zip.entryCount > limits.files) throw new TooManyAdvisories(`it holds more than ${limits.files} files`);
    for await (const entry of zip.eachEntry()) {
      if (!isRecord(entry.fileName)) continue;
      // yauzl validates the declared size while unpacking, and fails if the data is larger.
      const isRead = amounts.take(entry.uncompressedSize);
      yield { name: entry.fileName, text: isRead ? await text(await zip.openReadStreamPromise(entry)) : undefined };
    }
  } catch (error) {
    if (error instanceof TooManyAdvisories) throw error;
    throw new NoAdvisories(`the zip cannot be read: ${errorMessage(error)}`);
  } finally {
    zip.close();
  }
}

const opened = async (opening: Promise<yauzl.ZipFile>): Promise<yauzl.ZipFile> => {
  try {
    return await opening;
  } catch (error) {
    throw new NoAdvisories(`the zip cannot be read: ${errorMessage(error)}`);
  }
};

async function* directoryFiles(directory: string, limits: FileLimits): AsyncGenerator<AdvisoryFile> {
  const amounts = new Amounts(limits);
  for await (const name of glob('**/*.json', { cwd: directory })) {
    const file = path.join(directory, name);
    const isRead = amounts.take((await stat(file)).size);
    yield { name, text: isRead ? await readFile(file, 'utf8') : undefined };
  }
}

const isZip = (bytes: Uint8Array): boolean => bytes[0] === 0x50 && bytes[1] === 0x4b;
const options = { lazyEntries: true, autoClose: false, strictFileNames: false, validateEntrySizes: true } as const;

/** Yields the files in a request body. */
export async function* filesOfBytes(bytes: Buffer, name: string, limits: FileLimits): AsyncGenerator<AdvisoryFile> {
  if (isZip(bytes)) yield* zipFiles(await opened(yauzl.fromBufferPromise(bytes, options)), limits);
  else yield { name, text: bytes.toString('utf8') };
}

/** Yields the files of a local file or directory. */
export async function* filesAt(place: string, limits: FileLimits = defaultFileLimits): AsyncGenerator<AdvisoryFile> {
  const info = await stat(place);
  if (info.isDirectory()) yield* directoryFiles(place, limits);
  else if (place.endsWith('.zip')) yield* zipFiles(await opened(yauzl.openPromise(place, options)), limits);
  else yield { name: path.basename(place), text: await readFile(place, 'utf8') };
}
