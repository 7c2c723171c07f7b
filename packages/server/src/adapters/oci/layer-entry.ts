/** What one layer does to a file tree, as a list: the contents lie beside it, under numbers, so no name can lead anywhere. */
import { z } from 'zod';

const path = z.string();

/** Paths are normal: relative, POSIX, no `.`, `..` or empty part. */
export const LayerEntry = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('directory'), path }),
  /** `content` names the file that holds the bytes in the layer's own directory. */
  z.object({ kind: z.literal('file'), path, content: z.string().regex(/^\d+$/), size: z.number(), isExecutable: z.boolean() }),
  z.object({ kind: z.literal('symlink'), path, target: z.string() }),
  z.object({ kind: z.literal('hardlink'), path, target: z.string() }),
  /** Removes what the layers below have at the path. */
  z.object({ kind: z.literal('whiteout'), path }),
  /** Empties what the layers below have in the directory. */
  z.object({ kind: z.literal('opaque'), path }),
]);
export type LayerEntry = z.infer<typeof LayerEntry>;
