/**
 * Modules of a Go program, which the Go linker writes into each executable since Go 1.18: a magic number, then Go's version and the module
 * list, each with a length prefix (format: `debug/buildinfo` of Go's library).
 */
import { dataOffsets, openExecutable, Pieces, sectionOffset } from './elf.ts';
import { purlOf } from './purl.ts';
import { isName, isVersion, Unreadable, type ReadPackage } from './reading.ts';

const MARK = Buffer.from('\xff Go buildinf:', 'latin1');
const MARK_ALIGN = 16;
const HEADER_BYTES = 32;
const FLAGS_AT = 15;
const INLINE = 2;
/** Without a section table, the magic number is at the beginning of the data. */
const SEARCHED_BYTES = 1 << 20;
const LIST_BYTES = 4 << 20;
const SENTINEL_BYTES = 16;
const MODULES = 5000;

/** Reads a text with a varint length prefix. */
const textAt = (bytes: Buffer, at: number): { text: string; end: number } => {
  let length = 0;
  for (let index = 0; index < 5; index++) {
    const byte = bytes[at + index];
    if (byte === undefined) break;
    length += (byte & 0x7f) * 2 ** (7 * index);
    if (byte >= 0x80) continue;
    const start = at + index + 1;
    if (start + length > bytes.length) break;
    return { text: bytes.toString('utf8', start, start + length), end: start + length };
  }
  throw new Unreadable('its build information is damaged');
};

const markOffset = async (file: Pieces): Promise<number | undefined> => {
  const elf = await openExecutable(file);
  if (!elf) return undefined;
  const section = await sectionOffset(file, elf, '.go.buildinfo');
  if (section !== undefined) return section;
  for (const offset of await dataOffsets(file, elf)) {
    const data = await file.upTo(offset, SEARCHED_BYTES);
    for (let at = data.indexOf(MARK); at >= 0; at = data.indexOf(MARK, at + 1)) if (at % MARK_ALIGN === 0) return offset + at;
  }
  return undefined;
};

/** Parses lines of `dep\tpath\tversion\tsum`. A line `=>` replaces the module of the line before. */
const modulesOf = (text: string): { path: string; version: string }[] => {
  const found: { path: string; version: string }[] = [];
  for (const line of text.split('\n')) {
    const [what, path = '', version = ''] = line.split('\t');
    if (what === '=>') found.pop();
    if (what === 'mod' || what === 'dep' || what === '=>') found.push({ path, version });
    if (found.length > MODULES) throw new Unreadable('it lists modules without end');
  }
  return found;
};

const packageOf = (path: string, version: string): ReadPackage => {
  const at = path.lastIndexOf('/');
  const [namespace, name] = at < 0 ? [undefined, path] : [path.slice(0, at), path.slice(at + 1)];
  return { ecosystem: 'Go', name: path, version, source: null, purl: purlOf({ type: 'golang', namespace, name, version }) };
};

/** Returns undefined if the file is no program or not written in Go. */
export const readGoBuildInfo = async (file: Pieces): Promise<ReadPackage[] | undefined> => {
  const at = await markOffset(file);
  if (at === undefined) return undefined;
  const bytes = await file.upTo(at, HEADER_BYTES + LIST_BYTES);
  if (bytes.length < HEADER_BYTES || !bytes.subarray(0, MARK.length).equals(MARK)) throw new Unreadable('its build information is damaged');
  if (((bytes[FLAGS_AT] ?? 0) & INLINE) === 0) throw new Unreadable('it was built by a Go before 1.18');
  const go = textAt(bytes, HEADER_BYTES);
  const list = textAt(bytes, go.end).text;
  const modules = list.length > 2 * SENTINEL_BYTES ? modulesOf(list.slice(SENTINEL_BYTES, -SENTINEL_BYTES)) : [];
  // In `go1.25.1 X:jsonv2` the first word is also the version of the standard library.
  const standard = { path: 'stdlib', version: /^go(\d[\w.-]*)/.exec(go.text)?.[1] ?? '' };
  return [standard, ...modules]
    .filter(({ path, version }) => isName(path) && !path.endsWith('/') && isVersion(version) && version !== '(devel)')
    .map(({ path, version }) => packageOf(path, version));
};
