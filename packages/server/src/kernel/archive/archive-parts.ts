/**
 * The archive format: a zstd-compressed tar of `manifest.json`, the parts, and finally `contents.json` with the size and SHA-256 of each
 * earlier part. An archive without `contents.json` is invalid.
 */
import * as z from 'zod/mini';

export const MANIFEST = 'manifest.json';
export const CONTENTS = 'contents.json';

const count = z.int().check(z.minimum(0));
const Part = z.object({ name: z.string(), size: count, sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)) });
export type Part = z.infer<typeof Part>;

export const Contents = z.object({
  parts: z.array(Part),
  /** HMAC of the parts with a key that is stored sealed among the keys. Nobody can modify the archive without the passphrase. */
  seal: z.optional(z.string()),
});
export type Contents = z.infer<typeof Contents>;
