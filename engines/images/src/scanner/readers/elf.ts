/**
 * A partial ELF reader for Linux executables that finds a section by name, or the data. Offsets and sizes are untrusted: each is checked
 * against the file before reading, and every loop is bounded.
 */
import type { FileHandle } from 'node:fs/promises';
import { Unreadable } from './reading.ts';

const MAGIC = Buffer.from([0x7f, 0x45, 0x4c, 0x46]);
const HEADER_BYTES = 64;
const SECTIONS = 4096;
const SEGMENTS = 256;
const NAMES_BYTES = 1 << 20;
const LOADED = 1;
const WRITABLE = 2;

/** A file that is read in pieces. */
export class Pieces {
  readonly #file: FileHandle;
  readonly size: number;

  constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.size = size;
  }

  /** Returns the bytes from `at`, at most `length`; fewer at the end of the file. */
  async upTo(at: number, length: number): Promise<Buffer> {
    const count = Math.max(0, Math.min(length, this.size - at));
    const bytes = Buffer.alloc(count);
    const { bytesRead } = count > 0 ? await this.#file.read(bytes, 0, count, at) : { bytesRead: 0 };
    return bytes.subarray(0, bytesRead);
  }

  async exactly(at: number, length: number): Promise<Buffer> {
    const bytes = await this.upTo(at, length);
    if (bytes.length !== length) throw new Unreadable('it ends too early');
    return bytes;
  }
}

interface Layout {
  readonly is64: boolean;
  readonly isLittle: boolean;
}
interface Table {
  readonly offset: number;
  readonly entryBytes: number;
  readonly count: number;
}
export interface Executable extends Layout {
  readonly sections: Table & { readonly namesAt: number };
  readonly segments: Table;
}

const short = (bytes: Buffer, at: number, { isLittle }: Layout): number => (isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
const word = (bytes: Buffer, at: number, { isLittle }: Layout): number => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
/** Numbers above 2^53 lose precision, but no file is that large: such an offset stays beyond its end. */
const long = (bytes: Buffer, at: number, layout: Layout): number => {
  if (!layout.is64) return word(bytes, at, layout);
  return Number(layout.isLittle ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at));
};

/** Returns undefined if the file is no ELF file. */
export const openExecutable = async (file: Pieces): Promise<Executable | undefined> => {
  const bytes = await file.upTo(0, HEADER_BYTES);
  if (bytes.length < HEADER_BYTES || !bytes.subarray(0, 4).equals(MAGIC)) return undefined;
  const layout = { is64: bytes[4] === 2, isLittle: bytes[5] === 1 };
  const [segmentsAt, sectionsAt, sizesAt] = layout.is64 ? [32, 40, 54] : [28, 32, 42];
  const sizes = [0, 2, 4, 6, 8].map((at) => short(bytes, sizesAt + at, layout));
  const [segmentBytes = 0, segments = 0, sectionBytes = 0, sections = 0, namesAt = 0] = sizes;
  if (segments > SEGMENTS || sections > SECTIONS) throw new Unreadable('it has more parts than any honest one');
  return {
    ...layout,
    segments: { offset: long(bytes, segmentsAt, layout), entryBytes: segmentBytes, count: segments },
    sections: { offset: long(bytes, sectionsAt, layout), entryBytes: sectionBytes, count: sections, namesAt },
  };
};

const entriesOf = async (file: Pieces, { offset, entryBytes, count }: Table, smallest: number): Promise<Buffer[]> => {
  if (count === 0) return [];
  if (entryBytes < smallest || entryBytes > 256) throw new Unreadable('its table of parts is damaged');
  const bytes = await file.exactly(offset, entryBytes * count);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * entryBytes, (at + 1) * entryBytes));
};

/** Returns the offset of the named section. Undefined if it does not exist or the program was stripped. */
export const sectionOffset = async (file: Pieces, elf: Executable, name: string): Promise<number | undefined> => {
  const headers = await entriesOf(file, elf.sections, elf.is64 ? 64 : 40);
  const [offsetAt, sizeAt] = elf.is64 ? [24, 32] : [16, 20];
  const names = headers[elf.sections.namesAt];
  if (!names) return undefined;
  const text = await file.upTo(long(names, offsetAt, elf), Math.min(NAMES_BYTES, long(names, sizeAt, elf)));
  const wanted = Buffer.from(`${name}\0`);
  const found = headers.find((header) => {
    const at = word(header, 0, elf);
    return at + wanted.length <= text.length && text.subarray(at, at + wanted.length).equals(wanted);
  });
  return found && long(found, offsetAt, elf);
};

/** Returns the offsets of writable segments. */
export const dataOffsets = async (file: Pieces, elf: Executable): Promise<number[]> => {
  const headers = await entriesOf(file, elf.segments, elf.is64 ? 56 : 32);
  const [flagsAt, offsetAt] = elf.is64 ? [4, 8] : [24, 4];
  const isData = (header: Buffer): boolean => word(header, 0, elf) === LOADED && (word(header, flagsAt, elf) & WRITABLE) !== 0;
  return headers.filter(isData).map((header) => long(header, offsetAt, elf));
};
