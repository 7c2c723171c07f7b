/** Reads single objects out of a pack by its index, without loading the pack: one may be 200 MB. */
import { open, readFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { hasCode } from '#kernel/caught.ts';
import { MalformedObject } from './git-object.ts';
import { inflateExactly, maxHeaderBytes, parseEntryHeader } from './pack-entry.ts';
import type { EntryHeader } from './pack-entry.ts';

const fanoutAt = 8;
const namesAt = fanoutAt + 256 * 4;

export interface PackEntry extends EntryHeader {
  readonly offset: number;
}

/** A small pack is read at once: most of them are, and a disk read for each link of a delta chain would take most of the time. */
const wholeBytes = 8 * 1024 * 1024;

export class PackFile {
  readonly #path: string;
  readonly #index: Buffer;
  readonly #file: FileHandle;
  readonly #size: number;
  readonly #count: number;
  #whole: Promise<Buffer> | undefined;

  private constructor(path: string, index: Buffer, file: FileHandle, size: number) {
    this.#path = path;
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
    return new PackFile(path, index, file, (await file.stat()).size);
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

  /** Names an entry among those of all packs. */
  keyOf(offset: number): string {
    return `${this.#path}:${offset}`;
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
      if (!hasCode(error, 'Z_BUF_ERROR') || start + likely >= this.#size) throw error;
      return inflateExactly(await this.#bytes(start, this.#size - start), entry.size);
    }
  }

  async #bytes(offset: number, length: number): Promise<Buffer> {
    if (offset < 0 || offset >= this.#size) throw new MalformedObject('pack entry out of bounds');
    const taken = Math.min(length, this.#size - offset);
    if (this.#size > wholeBytes) return this.#read(offset, taken);
    this.#whole ??= this.#read(0, this.#size);
    return (await this.#whole).subarray(offset, offset + taken);
  }

  async #read(offset: number, length: number): Promise<Buffer> {
    const { buffer, bytesRead } = await this.#file.read(Buffer.allocUnsafe(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
