/**
 * A small file beside a log's segments. It records how much of the log is known to be whole: when the log is opened again, the last segment
 * is checked batch by batch from there on. It also keeps what no segment contains: the first readable offset, and the state of producers.
 */
import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

const Written = z.object({ first: z.int(), last: z.int(), baseOffset: z.int() });
const Checkpoint = z.object({
  /** Base offset of the last segment, which may not have a file yet. */
  base: z.int(),
  /** The segment's verified size, and the next offset. */
  position: z.int(),
  endOffset: z.int(),
  startOffset: z.int(),
  /** Segments below this offset were compacted together. */
  cleanedTo: z.int(),
  producers: z.array(z.tuple([z.int(), z.int(), z.number(), z.array(Written).readonly()]).readonly()).readonly(),
});
export type Checkpoint = z.output<typeof Checkpoint>;

const NAME = 'checkpoint.json';

/** Returns undefined if the checkpoint is missing or invalid. The last segment is then checked from its beginning. */
export const readCheckpoint = (directory: string): Checkpoint | undefined => {
  try {
    return Checkpoint.safeParse(JSON.parse(fs.readFileSync(path.join(directory, NAME), 'utf8'))).data;
  } catch {
    return undefined;
  }
};

/** Writes synchronously, because the log must not change meanwhile. It is a few hundred bytes, once in 16 MiB. */
export const writeCheckpoint = (directory: string, checkpoint: Checkpoint): void => {
  const file = path.join(directory, NAME);
  fs.writeFileSync(`${file}.new`, JSON.stringify(checkpoint), { mode: 0o600 });
  fs.renameSync(`${file}.new`, file);
};
