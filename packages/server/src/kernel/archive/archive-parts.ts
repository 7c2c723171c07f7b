/**
 * What an archive is: a tar, compressed with zstd, of `manifest.json`, parts, and last `contents.json` with the size and SHA-256 of each part
 * before it. Without its end it is no archive, as a zip without its directory.
 */
import * as z from 'zod/mini';

export const MANIFEST = 'manifest.json';
export const CONTENTS = 'contents.json';

const count = z.int().check(z.minimum(0));
const Part = z.object({ name: z.string(), size: count, sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)) });
export type Part = z.infer<typeof Part>;

export const Contents = z.object({
  parts: z.array(Part),
  /** HMAC of the parts with a key that lies sealed among the keys: who has no passphrase cannot change anything. */
  seal: z.optional(z.string()),
});
export type Contents = z.infer<typeof Contents>;
