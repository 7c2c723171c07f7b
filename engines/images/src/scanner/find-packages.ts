/** Walks the file tree of an image, reads package lists, and reports what it could not read. */
import { open, readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { scanNote, type ScanNote } from '@slipway/contract/registry/scan-notes.ts';
import { shown } from '../oci/image-limits.ts';
import type { DirectoryNode, FileNode } from '../oci/merge-layers.ts';
import { readApk } from './readers/apk.ts';
import { readDpkg } from './readers/dpkg.ts';
import { Pieces } from './readers/elf.ts';
import { readGoBuildInfo } from './readers/go-build-info.ts';
import { readNpm } from './readers/npm.ts';
import { listedByApk, listedByDpkg, listedByPip, mergedPath } from './readers/listed-files.ts';
import { readNode } from './readers/node.ts';
import { isKnownSystem, readOsRelease, unknownSystem } from './readers/os-release.ts';
import { readPyPI, readWheelName } from './readers/pypi.ts';
import { Unreadable, type Distribution, type ReadPackage } from './readers/reading.ts';
import { PLAIN_PROGRAMS, unreadKindOf, unreadProgramKind, UnreadFiles } from './readers/unread.ts';

export interface FindLimits {
  /** Maximum number of files that describe packages, without programs. */
  readonly files: number;
  readonly packages: number;
  readonly readMs: number;
}
export const defaultFindLimits: FindLimits = { files: 50_000, packages: 50_000, readMs: 120_000 };

export interface PlacedPackage extends ReadPackage {
  readonly path: string;
  /** File in the layer's directory that it was read from. */
  readonly file: string;
}
export interface Found {
  readonly packages: readonly PlacedPackage[];
  readonly notes: readonly ScanNote[];
}

/** Size limits for the list of a whole system and of a single package. */
const LIST_BYTES = 16 << 20;
const ONE_BYTES = 4 << 20;
/** Total size limit for the lists that map files to packages. */
const LISTED_BYTES = 64 << 20;
/** Notes per kind: the first of many damaged files are enough. */
const NOTES = 20;

type Kind = 'system' | 'dpkg' | 'dpkg-files' | 'apk' | 'npm' | 'pypi' | 'pypi-files' | 'wheel' | 'program' | 'unread';
interface Candidate {
  readonly kind: Kind;
  readonly path: string;
  readonly node: FileNode;
}

const systemFiles = new Set(['etc/os-release', 'usr/lib/os-release']);
const apkLists = new Set(['lib/apk/db/installed', 'usr/lib/apk/db/installed']);

const isNpm = (parts: readonly string[]): boolean => {
  if (parts.at(-1) !== 'package.json') return false;
  return parts.at(-3) === 'node_modules' || (parts.at(-4) === 'node_modules' && (parts.at(-3)?.startsWith('@') ?? false));
};
const isPython = (parts: readonly string[]): boolean => {
  const [folder = '', file = ''] = parts.slice(-2);
  if (file === 'METADATA') return folder.endsWith('.dist-info');
  return file === 'PKG-INFO' ? folder === 'EGG-INFO' || folder.endsWith('.egg-info') : file.endsWith('.egg-info');
};

const dpkgKindOf = (path: string): Kind | undefined => {
  if (path === 'var/lib/dpkg/status') return 'dpkg';
  if (path.startsWith('var/lib/dpkg/status.d/')) return path.endsWith('.md5sums') ? 'dpkg-files' : 'dpkg';
  return path.startsWith('var/lib/dpkg/info/') && path.endsWith('.list') ? 'dpkg-files' : undefined;
};

/** Returns the kind of a file by its path alone, so that only relevant files are opened. */
const kindOf = (parts: readonly string[], { isExecutable }: FileNode): Kind | undefined => {
  const path = parts.join('/');
  if (systemFiles.has(path)) return 'system';
  const dpkg = dpkgKindOf(path);
  if (dpkg) return dpkg;
  if (apkLists.has(path)) return 'apk';
  if (isNpm(parts)) return 'npm';
  if (isPython(parts)) return 'pypi';
  if (path.endsWith('.dist-info/RECORD')) return 'pypi-files';
  if (path.endsWith('.whl')) return 'wheel';
  if (unreadKindOf(path) !== undefined) return 'unread';
  return isExecutable || /\.so(\.\d+)*$/.test(path) ? 'program' : undefined;
};

function* candidates(directory: DirectoryNode, above: readonly string[] = []): Generator<Candidate> {
  for (const [name, node] of directory.children) {
    const parts = [...above, name];
    if (node.kind === 'directory') yield* candidates(node, parts);
    else if (node.kind === 'file') {
      const kind = kindOf(parts, node);
      if (kind) yield { kind, path: parts.join('/'), node };
    }
  }
}

/** Node.js of a system package is compared as that package. */
const nodePackages = async (path: string, file: Pieces, unread: Unread): Promise<ReadPackage[] | undefined> =>
  /(^|\/)node$/.test(path) && !(await unread.isListed(path)) ? readNode(file) : undefined;

const programPackages = async ({ node, path }: Candidate, unread: Unread): Promise<ReadPackage[]> => {
  const file = await open(node.source);
  try {
    const pieces = new Pieces(file, node.size);
    const kind = await unreadProgramKind(pieces);
    if (kind === undefined) return [];
    const found = (await readGoBuildInfo(pieces)) ?? (await nodePackages(path, pieces, unread));
    if (!found && !(await unread.isListed(path)) && !(kind === PLAIN_PROGRAMS && (await unread.isPackaged(path))))
      unread.files.add(kind, path);
    return found ?? [];
  } finally {
    await file.close();
  }
};

class TooLarge extends Error {}

const textOf = async ({ kind, node }: Candidate): Promise<string> => {
  if (node.size > (kind === 'dpkg' || kind === 'dpkg-files' || kind === 'apk' ? LIST_BYTES : ONE_BYTES)) throw new TooLarge();
  return readFile(node.source, 'utf8');
};

/** Files that were found but not read. Excludes files that belong to system packages, which the system's advisories cover. */
class Unread {
  readonly files = new UnreadFiles();
  readonly #system: readonly Candidate[];
  readonly #python: readonly Candidate[];
  readonly #npm: ReadonlySet<string>;
  #listed: Promise<ReadonlySet<string>> | undefined;
  #packaged: Promise<ReadonlySet<string>> | undefined;

  constructor(all: ReadonlyMap<Kind, readonly Candidate[]>) {
    this.#system = [...(all.get('apk') ?? []), ...(all.get('dpkg-files') ?? [])];
    this.#python = all.get('pypi-files') ?? [];
    this.#npm = new Set((all.get('npm') ?? []).map(({ path }) => posix.dirname(path)));
  }

  async isListed(path: string): Promise<boolean> {
    this.#listed ??= pathsOf(this.#system);
    return (await this.#listed).has(mergedPath(path));
  }

  /** Returns whether an npm or Python package installed the file. Its advisories include the libraries that it comes with. */
  async isPackaged(path: string): Promise<boolean> {
    for (let at = posix.dirname(path); at !== '.'; at = posix.dirname(at)) if (this.#npm.has(at)) return true;
    this.#packaged ??= pathsOf(this.#python);
    return (await this.#packaged).has(mergedPath(path));
  }
}

const listedIn = (text: string, { kind, path }: Candidate): Iterable<string> => {
  if (kind === 'apk') return listedByApk(text);
  return kind === 'pypi-files' ? listedByPip(text, path) : listedByDpkg(text);
};

const pathsOf = async (lists: readonly Candidate[]): Promise<ReadonlySet<string>> => {
  const paths = new Set<string>();
  let bytesLeft = LISTED_BYTES;
  for (const list of lists) {
    // Files of a skipped list stay among the unread ones.
    if ((bytesLeft -= list.node.size) < 0) break;
    const text = await textOf(list).catch(() => '');
    for (const path of listedIn(text, list)) paths.add(mergedPath(path));
  }
  return paths;
};

const packagesOf = async (candidate: Candidate, system: Distribution, unread: Unread): Promise<ReadPackage[]> => {
  if (candidate.kind === 'program') return programPackages(candidate, unread);
  if (candidate.kind === 'wheel') return readWheelName(candidate.path);
  if (candidate.kind === 'dpkg') return readDpkg(await textOf(candidate), system);
  if (candidate.kind === 'apk') return readApk(await textOf(candidate), system);
  return candidate.kind === 'npm' ? readNpm(await textOf(candidate)) : readPyPI(await textOf(candidate));
};

const systemOf = async (found: readonly Candidate[]): Promise<Distribution> => {
  const own = found.find(({ path }) => path === 'etc/os-release') ?? found[0];
  const text = own && (await textOf(own).catch(() => undefined));
  return (text !== undefined && readOsRelease(text)) || unknownSystem;
};

/** Notes about the operating system. Its packages are read from a list and compared only with that system's advisories. */
const systemNotes = (system: Distribution, isNamed: boolean, hasList: boolean): ScanNote[] => {
  if ((isNamed || hasList) && !isKnownSystem(system)) return [scanNote('SystemUnknown', { system: shown(system.ecosystem) })];
  return isNamed && !hasList ? [scanNote('SystemPackagesMissing', { system: system.ecosystem })] : [];
};

/** Returns the note for a damaged or oversized file. Rethrows all other errors, which end the scan. */
const noteOf = (error: unknown, given: string): ScanNote => {
  const path = shown(given);
  if (error instanceof TooLarge) return scanNote('FileTooLarge', { path });
  if (error instanceof Unreadable) return scanNote('FileUnreadable', { path, reason: error.message });
  throw error;
};

export const findPackages = async (root: DirectoryNode, limits: FindLimits): Promise<Found> => {
  const all = Map.groupBy(candidates(root), ({ kind }) => kind);
  const system = await systemOf(all.get('system') ?? []);
  const lists = (['dpkg', 'apk', 'npm', 'pypi', 'wheel'] as const).flatMap((kind) => all.get(kind) ?? []);
  const unread = new Unread(all);
  const notes = systemNotes(system, all.has('system'), all.has('dpkg') || all.has('apk'));
  for (const { path } of all.get('unread') ?? []) {
    const kind = unreadKindOf(path);
    if (kind !== undefined && !(await unread.isListed(path))) unread.files.add(kind, path);
  }
  if (lists.length > limits.files) notes.push(scanNote('TooManyFiles', { read: String(limits.files), files: String(lists.length) }));
  const packages: PlacedPackage[] = [];
  const endsAt = performance.now() + limits.readMs;
  for (const candidate of [...lists.slice(0, limits.files), ...(all.get('program') ?? [])]) {
    if (performance.now() > endsAt) {
      notes.push(scanNote('OutOfTime', { seconds: String(limits.readMs / 1000) }));
      break;
    }
    const placed = { path: candidate.path, file: candidate.node.source };
    try {
      for (const one of await packagesOf(candidate, system, unread)) packages.push({ ...one, ...placed });
    } catch (error) {
      const note = noteOf(error, candidate.path);
      if (notes.length < NOTES) notes.push(note);
      if (error instanceof Unreadable) for (const one of error.found) packages.push({ ...one, ...placed });
    }
    if (packages.length <= limits.packages) continue;
    packages.length = limits.packages;
    notes.push(scanNote('TooManyPackages', { read: String(limits.packages) }));
    break;
  }
  return { packages, notes: [...notes, ...unread.files.notes()] };
};
