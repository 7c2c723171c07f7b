/**
 * What of a log is known to be whole, in a small file beside its segments: from there on the last segment is checked batch by batch when the
 * log is opened again. It also keeps what no segment says: from which offset on records may be read, and what is known of producers.
 */
import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

const Written = z.object({ first: z.int(), last: z.int(), baseOffset: z.int() });
const Checkpoint = z.object({
  /** Of the last segment, even where it has no file yet. */
  base: z.int(),
  /** How much of it was whole, and the offset that came next. */
  position: z.int(),
  endOffset: z.int(),
  startOffset: z.int(),
  /** Segments below it were compacted together. */
  cleanedTo: z.int(),
  producers: z.array(z.tuple([z.int(), z.int(), z.number(), z.array(Written).readonly()]).readonly()).readonly(),
});
export type Checkpoint = z.output<typeof Checkpoint>;

const NAME = 'checkpoint.json';

/** Undefined where there is none or it makes no sense: then the last segment is checked from its beginning. */
export const readCheckpoint = (directory: string): Checkpoint | undefined => {
  try {
    return Checkpoint.safeParse(JSON.parse(fs.readFileSync(path.join(directory, NAME), 'utf8'))).data;
  } catch {
    return undefined;
  }
};

/** Written in one turn: nothing of the log may change in between. It is a few hundred bytes, once in 16 MiB. */
export const writeCheckpoint = (directory: string, checkpoint: Checkpoint): void => {
  const file = path.join(directory, NAME);
  fs.writeFileSync(`${file}.new`, JSON.stringify(checkpoint), { mode: 0o600 });
  fs.renameSync(`${file}.new`, file);
};
