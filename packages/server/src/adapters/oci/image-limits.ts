/** How much one image may ask for, all its layers together, and the one way to say that it asks for more. */
import { PortFailure } from '#ports/failure.ts';

/** What is left for an image, or what a layer took of it. */
export interface ImageAmounts {
  /** Of the uncompressed archives, so that the headers of a million empty files count as well. */
  readonly bytes: number;
  /** Named in the archives, or directories that only stand in the path of something else. */
  readonly entries: number;
  /** Of the list of entries as it is written down: names and targets of links without end. */
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
/** `limits` are the whole image's, which its owner can act on; what the layers before left over he cannot know. */
export const tooLarge = (what: keyof ImageAmounts, limits: ImageAmounts): PortFailure =>
  badImage(MESSAGES[what](limits[what]), 'ImageTooLarge');

/** What is left after `taken`; rejected when that is less than nothing. */
export const leftAfter = (left: ImageAmounts, taken: ImageAmounts, limits: ImageAmounts): ImageAmounts => {
  const rest = { bytes: left.bytes - taken.bytes, entries: left.entries - taken.entries, listBytes: left.listBytes - taken.listBytes };
  for (const what of ['bytes', 'entries', 'listBytes'] as const) if (rest[what] < 0) throw tooLarge(what, limits);
  return rest;
};

/** A name from an image, short enough for a message. */
export const shown = (name: string): string => (name.length > SHOWN ? `${name.slice(0, SHOWN)}…` : name);

/** Whether a file system takes a path of these names, and a person could find his way. */
export const isPathTooLong = (names: readonly string[]): boolean =>
  names.length > DEPTH ||
  names.some((name) => name.length > NAME_BYTES || Buffer.byteLength(name) > NAME_BYTES) ||
  names.reduce((sum, name) => sum + Buffer.byteLength(name) + 1, -1) > PATH_BYTES;
