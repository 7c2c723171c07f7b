/** Limits of one image across all of its layers, and the errors for exceeding them. */
import { PortFailure } from '@slipway/foundation/ports/failure.ts';

/** Remaining budget of an image, or the part that one layer used. */
export interface ImageAmounts {
  /** Size of the uncompressed archives, so that the headers of a million empty files count too. */
  readonly bytes: number;
  /** Entries in the archives, plus directories that occur only in the path of another entry. */
  readonly entries: number;
  /** Size of the serialized entry list. Limits very long names and link targets. */
  readonly listBytes: number;
}
export const defaultImageAmounts: ImageAmounts = { bytes: 4 * 2 ** 30, entries: 300_000, listBytes: 64 * 2 ** 20 };

export const PATH_BYTES = 1024;
export const NAME_BYTES = 255;
export const DEPTH = 200;
const SHOWN = 200;

export const badImage = (reason: string, code = 'ImageContentInvalid', cause?: unknown): PortFailure =>
  new PortFailure('rejected', reason, { code, context: { reason }, cause });

const MESSAGES: Readonly<Record<keyof ImageAmounts, (limit: number) => string>> = {
  bytes: (limit) => `the image is larger than ${limit} bytes unpacked`,
  entries: (limit) => `the image holds more than ${limit} files, links and directories`,
  listBytes: (limit) => `the names in the image take more than ${limit} bytes`,
};
/** Reports the limits of the whole image: its owner can't know how much the earlier layers left over. */
export const tooLarge = (what: keyof ImageAmounts, limits: ImageAmounts): PortFailure =>
  badImage(MESSAGES[what](limits[what]), 'ImageTooLarge');

/** Returns the budget left after `taken`. Throws if it is negative. */
export const leftAfter = (left: ImageAmounts, taken: ImageAmounts, limits: ImageAmounts): ImageAmounts => {
  const rest = { bytes: left.bytes - taken.bytes, entries: left.entries - taken.entries, listBytes: left.listBytes - taken.listBytes };
  for (const what of ['bytes', 'entries', 'listBytes'] as const) if (rest[what] < 0) throw tooLarge(what, limits);
  return rest;
};

/** A name from an image, short enough for a message. */
export const shown = (name: string): string => (name.length > SHOWN ? `${name.slice(0, SHOWN)}…` : name);

/** Returns whether the path is too long or too deep for a file system or a reader. */
export const isPathTooLong = (names: readonly string[]): boolean =>
  names.length > DEPTH ||
  names.some((name) => name.length > NAME_BYTES || Buffer.byteLength(name) > NAME_BYTES) ||
  names.reduce((sum, name) => sum + Buffer.byteLength(name) + 1, -1) > PATH_BYTES;
