/** What readers of package lists have in common: what they are given, what they find, and which texts are taken for names. */
import type { FoundPackage } from '#ports/scanner.ts';

/** A package before it is known where its file stands. */
export type ReadPackage = Pick<FoundPackage, 'ecosystem' | 'name' | 'version' | 'source' | 'purl'>;

/** Which system an image is of, by its os-release. */
export interface Distribution {
  /** `debian`, `alpine`: the namespace of its packages' addresses. */
  readonly id: string;
  readonly version: string;
  /** As OSV names it: `Debian:12`. */
  readonly ecosystem: string;
}

export const LONGEST_NAME = 256;
export const LONGEST_VERSION = 128;

// Control characters have no business in names, and PostgreSQL takes no NUL.
// oxlint-disable-next-line no-control-regex
const isPlain = (text: string): boolean => text.isWellFormed() && !/[\u0000-\u001f\u007f]/.test(text);
export const isName = (text: unknown): text is string =>
  typeof text === 'string' && text !== '' && text.length <= LONGEST_NAME && isPlain(text);
export const isVersion = (text: unknown): text is string =>
  typeof text === 'string' && text !== '' && text.length <= LONGEST_VERSION && isPlain(text);

/** A file that is not what its place says, or not all of it; the message is shown. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
  readonly found: readonly ReadPackage[];

  constructor(message: string, found: readonly ReadPackage[] = []) {
    super(message);
    this.found = found;
  }
}
/** Ends the reading of a list. Entries without a name or a version must not be missing from it without a word. */
export const wholeList = (
  text: string,
  found: ReadPackage[],
  { entries, damaged }: { entries: number; damaged: number },
): ReadPackage[] => {
  if (damaged > 0) throw new Unreadable(`${damaged} of its entries name no package and version`, found);
  if (entries === 0 && text.trim() !== '') throw new Unreadable('it is no list of packages');
  return found;
};
