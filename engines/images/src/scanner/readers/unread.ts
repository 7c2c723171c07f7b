/**
 * Detects content that this scanner can't read: other package databases, archives and manifests of packages, and programs with statically
 * linked libraries. The scan reports each kind as unread, so that "nothing found" never covers it.
 */
import { scanNote, type ScanNote } from '@slipway/contract/registry/scan-notes.ts';
import { shown } from '../../oci/image-limits.ts';
import { openExecutable, Pieces, sectionOffset } from './elf.ts';

/** Lowercase path patterns without a leading slash. The first match counts. */
const kinds: readonly (readonly [kind: string, path: RegExp])[] = [
  ['RPM package databases', /^(var\/lib|usr\/lib\/sysimage|usr\/share)\/rpm\/(packages(\.db)?|rpmdb\.sqlite)$/],
  ['RPM package databases', /^var\/lib\/rpmmanifest\/container-manifest-\d+$/],
  ['Pacman package databases', /^(var|usr)\/lib\/pacman\/local\/[^/]+\/desc$/],
  ['Portage package databases', /^var\/db\/pkg\/[^/]+\/[^/]+\/pf$/],
  ['Nix store databases', /^nix\/var\/nix\/db\/db\.sqlite$/],
  ['XBPS package databases', /^var\/db\/xbps\/pkgdb-[^/]*\.plist$/],
  ['opkg package databases', /^(usr|var)\/lib\/opkg\/status$/],
  ['Chisel manifests', /^var\/lib\/chisel\/manifest\.wall$/],
  ['Conda packages', /(^|\/)conda-meta\/[^/]+\.json$/],
  ['Java archives', /\.(jar|war|ear|rar|par|jpi|hpi|jmod)$/],
  ['Ruby gems', /(^|\/)specifications\/(default\/)?[^/]+\.gemspec$|\.gem$/],
  ['Python archives', /\.(egg|pyz|pex)$/],
  ['PHP Composer packages', /(^|\/)vendor\/composer\/installed\.json$/],
  ['.NET packages', /\.(deps\.json|nupkg)$/],
  ['Conan packages', /(^|\/)(conaninfo\.txt|conan\.lock)$/],
  ['R packages', /(^|\/)library\/[^/]+\/meta\/package\.rds$/],
  ['Erlang and Elixir applications', /(^|\/)ebin\/[^/]+\.app$/],
  ['Lua rocks', /\.rockspec$/],
  ['Yarn archives', /(^|\/)(\.pnp\.c?js|\.yarn\/cache\/[^/]+\.zip)$/],
  ['Electron archives', /\.asar$/],
];

export const unreadKindOf = (path: string): string | undefined => {
  const lower = path.toLowerCase();
  return kinds.find(([, pattern]) => pattern.test(lower))?.[0];
};

/** Marks of `rustc`: its version, and source paths in panic messages. */
const RUST_MARKS = [
  ['.comment', Buffer.from('rustc version')],
  ['.rodata', Buffer.from('/rustc/')],
] as const;
const SEARCHED_BYTES = 4 << 20;

/** Programs and shared libraries that only a package list could describe, e.g. those of C and C++. */
export const PLAIN_PROGRAMS = 'Programs and libraries that no package lists';

/** Returns the kind of a program without readable build information. Undefined if the file is no program. */
export const unreadProgramKind = async (file: Pieces): Promise<string | undefined> => {
  const elf = await openExecutable(file);
  if (!elf) return undefined;
  if ((await sectionOffset(file, elf, '.note.go.buildid')) !== undefined) return 'Go programs without build information';
  if ((await sectionOffset(file, elf, '.dep-v0')) !== undefined) return 'Rust programs';
  for (const [section, mark] of RUST_MARKS) {
    const at = await sectionOffset(file, elf, section);
    if (at !== undefined && (await file.upTo(at, SEARCHED_BYTES)).includes(mark)) return 'Rust programs';
  }
  return PLAIN_PROGRAMS;
};

/** Counts unread files by kind, for one note per kind. */
export class UnreadFiles {
  readonly #found = new Map<string, { count: number; readonly path: string }>();

  add(kind: string, path: string): void {
    const known = this.#found.get(kind);
    if (known) known.count += 1;
    else this.#found.set(kind, { count: 1, path });
  }

  notes(): ScanNote[] {
    return [...this.#found].map(([what, { count, path }]) => scanNote('PackagesUnread', { what, count: String(count), path: shown(path) }));
  }
}
