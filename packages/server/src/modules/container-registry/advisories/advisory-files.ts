/**
 * Where advisories are read from: a zip as osv.dev publishes them, a directory, or one file. A zip is a stranger's: how many files it holds
 * and how large they get is limited, and nothing of it is written to the disk.
 */
import { Buffer } from 'node:buffer';
import { glob, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import yauzl from 'yauzl';
import { errorMessage } from '#kernel/caught.ts';

export interface FileLimits {
  readonly files: number;
  /** Of one record. */
  readonly fileBytes: number;
  /** Of all together, unpacked. */
  readonly bytes: number;
}
export const defaultFileLimits: FileLimits = { files: 1_000_000, fileBytes: 8 << 20, bytes: 16 * 2 ** 30 };

export interface AdvisoryFile {
  readonly name: string;
  /** Undefined for one that is larger than any record. */
  readonly text: string | undefined;
}
/** What is wrong with the whole, as a sentence. */
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

  /** Whether a file of this size is read. */
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
      // What the archive says of a size is checked while it is unpacked: one that says too little breaks off.
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

/** Of a request's body. */
export async function* filesOfBytes(bytes: Buffer, name: string, limits: FileLimits): AsyncGenerator<AdvisoryFile> {
  if (isZip(bytes)) yield* zipFiles(await opened(yauzl.fromBufferPromise(bytes, options)), limits);
  else yield { name, text: bytes.toString('utf8') };
}

/** Of a file or directory on this machine. */
export async function* filesAt(place: string, limits: FileLimits = defaultFileLimits): AsyncGenerator<AdvisoryFile> {
  const info = await stat(place);
  if (info.isDirectory()) yield* directoryFiles(place, limits);
  else if (place.endsWith('.zip')) yield* zipFiles(await opened(yauzl.openPromise(place, options)), limits);
  else yield { name: path.basename(place), text: await readFile(place, 'utf8') };
}
