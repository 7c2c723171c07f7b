/** The format of a platform backup: the manifest, then rows, repositories, blobs and sealed keys, then the list of contents. */
import * as z from 'zod/mini';
import { CONTENTS, MANIFEST, type Part } from '#kernel/archive/archive-parts.ts';
import { StartError } from '#kernel/start-error.ts';

/** Increment it when older versions can no longer restore new archives. */
export const FORMAT = 1;
export const PRODUCT = 'slipway';

export const KEYS = 'keys.age';

const identifier = z.string().check(z.regex(/^[a-z_][a-z0-9_]{0,62}$/));

/** Data that a restore needs before it reads on. */
export const Manifest = z.object({
  product: z.literal(PRODUCT),
  format: z.literal(FORMAT),
  version: z.string(),
  createdAt: z.iso.datetime(),
  /** Migrations of the database. An older or newer version may have applied them. */
  migrations: z.array(z.object({ name: z.string().check(z.regex(/^\d{4}_[a-z0-9_]+$/)), checksum: z.string() })),
  tables: z.array(z.object({ name: identifier, columns: z.array(identifier) })),
  keys: z.object({
    /** `sealed`: in the archive, encrypted with a passphrase. `apart`: not in the archive. */
    kept: z.enum(['sealed', 'apart']),
    /** Key ids without which the platform does not start. */
    needed: z.array(z.string()),
  }),
});
export type Manifest = z.infer<typeof Manifest>;

/** Name of a chunk of a table's rows, in order; consecutive chunks form one `COPY`. */
export const rowsPart = (table: string, number: number): string => `rows/${table}/${String(number).padStart(8, '0')}`;
export const blobPart = (digest: string): string => `blobs/${digest.replace(':', '/')}`;
export const repositoryPart = (owner: string, name: string, file: string): string => `git/${owner}/${name}.git/${file}`;

export type PartPlace =
  | { readonly kind: 'manifest' | 'keys' | 'contents' }
  | { readonly kind: 'rows'; readonly table: string }
  | { readonly kind: 'blob'; readonly algorithm: 'sha256' | 'sha512'; readonly hex: string }
  | { readonly kind: 'repository'; readonly owner: string; readonly name: string; readonly file: string };

const single: Readonly<Record<string, PartPlace>> = {
  [MANIFEST]: { kind: 'manifest' },
  [KEYS]: { kind: 'keys' },
  [CONTENTS]: { kind: 'contents' },
};
const ROWS = /^rows\/([a-z_][a-z0-9_]{0,62})\/\d{8}$/;
const BLOB = /^blobs\/(sha256\/[0-9a-f]{64}|sha512\/[0-9a-f]{128})$/;
const REPOSITORY =
  /^git\/([a-z0-9._-]{1,100})\/([a-z0-9._-]{1,100})\.git\/(HEAD|packed-refs|objects\/[0-9a-f]{2}\/[0-9a-f]{38}|objects\/pack\/pack-[0-9a-f]{40}\.(?:pack|idx|rev))$/;

/** Returns where a part belongs. Rejects unknown names: an archive never chooses a path itself. */
export const placeOf = (name: string): PartPlace => {
  const known = single[name];
  if (known) return known;
  const table = ROWS.exec(name)?.[1];
  if (table !== undefined) return { kind: 'rows', table };
  const [algorithm, hex] = BLOB.exec(name)?.[1]?.split('/') ?? [];
  if (hex !== undefined) return { kind: 'blob', algorithm: algorithm as 'sha256' | 'sha512', hex };
  const [, owner, repository, file] = REPOSITORY.exec(name) ?? [];
  if (owner !== undefined && repository !== undefined && file !== undefined) return { kind: 'repository', owner, name: repository, file };
  throw new StartError(`The archive holds ${JSON.stringify(name.slice(0, 200))}, which no backup holds. Take another archive.`);
};

/** Returns the text that is signed. */
export const listingOf = (parts: readonly Part[]): string => parts.map(({ name, size, sha256 }) => `${sha256} ${size} ${name}\n`).join('');
