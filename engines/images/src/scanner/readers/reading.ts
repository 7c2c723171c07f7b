/** Shared by readers of package lists: input, results, and validation of names. */
import type { FoundPackage } from '@slipway/foundation/ports/scanner.ts';

/** A package without the location of its file. */
export type ReadPackage = Pick<FoundPackage, 'ecosystem' | 'name' | 'version' | 'source' | 'purl'>;

/** The operating system of an image, from its os-release. */
export interface Distribution {
  /** `debian`, `alpine`: the namespace of its package URLs. */
  readonly id: string;
  readonly version: string;
  /** Ecosystem in OSV: `Debian:12`. */
  readonly ecosystem: string;
}

export const LONGEST_NAME = 256;
export const LONGEST_VERSION = 128;

// Names contain no control characters, and PostgreSQL rejects NUL.
// oxlint-disable-next-line no-control-regex
const isPlain = (text: string): boolean => text.isWellFormed() && !/[\u0000-\u001f\u007f]/.test(text);
export const isName = (text: unknown): text is string =>
  typeof text === 'string' && text !== '' && text.length <= LONGEST_NAME && isPlain(text);
export const isVersion = (text: unknown): text is string =>
  typeof text === 'string' && text !== '' && text.length <= LONGEST_VERSION && isPlain(text);

/** A file with unexpected or incomplete content. The message is shown to users. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
  readonly found: readonly ReadPackage[];

  constructor(message: string, found: readonly ReadPackage[] = []) {
    super(message);
    this.found = found;
  }
}
/** Finishes reading a list. Throws if entries lacked a name or version, so that they are not skipped silently. */
export const wholeList = (
  text: string,
  found: ReadPackage[],
  { entries, damaged }: { entries: number; damaged: number },
): ReadPackage[] => {
  if (damaged > 0) throw new Unreadable(`${damaged} of its entries name no package and version`, found);
  if (entries === 0 && text.trim() !== '') throw new Unreadable('it is no list of packages');
  return found;
};
