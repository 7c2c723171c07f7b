/** Minimal ELF files with one section, such as the build information that the Go linker writes. */

const MARK = Buffer.from('\xff Go buildinf:', 'latin1');
const SENTINEL = Buffer.alloc(16, 0x30);
const AT = 0x400;

const withLength = (bytes: Buffer): Buffer => {
  const length: number[] = [];
  let rest = bytes.length;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) length.push((rest % 0x80) | 0x80);
  return Buffer.concat([Buffer.from([...length, rest]), bytes]);
};

export const goModules = (lines: readonly string[]): Buffer => Buffer.concat([SENTINEL, Buffer.from(lines.join('\n')), SENTINEL]);

/** Returns an ELF file with one section of this name and content. `hasSections: false` imitates a stripped program. */
export const elfProgram = (name: string, contents: Buffer, hasSections = true): Buffer => {
  const names = Buffer.from(`\0${name}\0.shstrtab\0`);
  const namesAt = AT + contents.length;
  const sectionsAt = namesAt + names.length;
  const header = Buffer.alloc(AT);
  header.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  header.writeBigUInt64LE(64n, 32);
  header.writeBigUInt64LE(BigInt(hasSections ? sectionsAt : 0), 40);
  for (const [at, value] of [56, 1, 64, hasSections ? 3 : 0, 2].entries()) header.writeUInt16LE(value, 54 + 2 * at);
  // One segment, loaded and writable.
  header.writeUInt32LE(1, 64);
  header.writeUInt32LE(6, 68);
  header.writeBigUInt64LE(BigInt(AT), 72);
  const section = (nameAt: number, offset: number, size: number): Buffer => {
    const bytes = Buffer.alloc(64);
    bytes.writeUInt32LE(nameAt, 0);
    bytes.writeBigUInt64LE(BigInt(offset), 24);
    bytes.writeBigUInt64LE(BigInt(size), 32);
    return bytes;
  };
  const sections = [Buffer.alloc(64), section(1, AT, contents.length), section(name.length + 2, namesAt, names.length)];
  return Buffer.concat([header, contents, names, ...(hasSections ? sections : [])]);
};

export const goProgram = (go: string, modules: Buffer, { hasSections = true, flags = 2 } = {}): Buffer => {
  const info = Buffer.concat([MARK, Buffer.from([8, flags]), Buffer.alloc(16), withLength(Buffer.from(go)), withLength(modules)]);
  return elfProgram('.go.buildinfo', info, hasSections);
};
