/** Reads single objects out of a pack by its index, without loading the pack: one may be 200 MB. */
import { open, readFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { MalformedObject } from './git-object.ts';
import { inflateExactly, maxHeaderBytes, parseEntryHeader } from './pack-entry.ts';
import type { EntryHeader } from './pack-entry.ts';

const fanoutAt = 8;
const namesAt = fanoutAt + 256 * 4;

export interface PackEntry extends EntryHeader {
  readonly offset: number;
}

export class PackFile {
  readonly #index: Buffer;
  readonly #file: FileHandle;
  readonly #size: number;
  readonly #count: number;

  private constructor(index: Buffer, file: FileHandle, size: number) {
    this.#index = index;
    this.#file = file;
    this.#size = size;
    this.#count = index.readUInt32BE(fanoutAt + 255 * 4);
  }

  /** `path` without its suffix. */
  static async open(path: string): Promise<PackFile> {
    const index = await readFile(`${path}.idx`);
    if (index.length < namesAt || index.readUInt32BE(0) !== 0xff744f63 || index.readUInt32BE(4) !== 2) {
      throw new MalformedObject('pack index of an unknown version');
    }
    const file = await open(`${path}.pack`, 'r');
    return new PackFile(index, file, (await file.stat()).size);
  }

  /** Where the object's entry starts in the pack, undefined when it is not in it. */
  offsetOf(oid: string): number | undefined {
    const wanted = Buffer.from(oid, 'hex');
    const first = wanted[0] ?? 0;
    let low = first === 0 ? 0 : this.#index.readUInt32BE(fanoutAt + (first - 1) * 4);
    let high = this.#index.readUInt32BE(fanoutAt + first * 4);
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = wanted.compare(this.#index, namesAt + middle * 20, namesAt + middle * 20 + 20);
      if (order === 0) return this.#offsetAt(middle);
      if (order < 0) high = middle;
      else low = middle + 1;
    }
    return undefined;
  }

  #offsetAt(position: number): number {
    const offsetsAt = namesAt + this.#count * 24;
    const offset = this.#index.readUInt32BE(offsetsAt + position * 4);
    if (offset < 0x80000000) return offset;
    return Number(this.#index.readBigUInt64BE(offsetsAt + this.#count * 4 + (offset - 0x80000000) * 8));
  }

  async entry(offset: number): Promise<PackEntry> {
    return { ...parseEntryHeader(await this.#bytes(offset, maxHeaderBytes)), offset };
  }

  async body(entry: PackEntry): Promise<Buffer> {
    const start = entry.offset + entry.bodyAt;
    // The index knows no lengths. Deflate never grows its input by more than this, unless a writer does so on purpose;
    // then the whole rest of the pack is read.
    const likely = entry.size + Math.ceil(entry.size / 1000) + 64;
    try {
      return await inflateExactly(await this.#bytes(start, likely), entry.size);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'Z_BUF_ERROR' || start + likely >= this.#size) throw error;
      return inflateExactly(await this.#bytes(start, this.#size - start), entry.size);
    }
  }

  async #bytes(offset: number, length: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, this.#size - offset)));
    const { bytesRead } = await this.#file.read(bytes, 0, bytes.length, offset);
    return bytes.subarray(0, bytesRead);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
