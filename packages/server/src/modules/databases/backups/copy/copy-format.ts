/**
 * What a backup of a database is: an archive of its schema as statements and of its rows as `COPY` writes them, in pieces of some megabytes.
 * It can be read with `tar --zstd`; nothing in it is a program's own.
 */
import * as z from 'zod/mini';
import type { ArchiveFormat } from '#kernel/archive/archive-reader.ts';

const count = z.int().check(z.minimum(0));
const Statements = z.array(z.string());
const CopyManifest = z.object({
  product: z.literal('slipway-database'),
  format: z.literal(1),
  /** Of the platform. */
  version: z.string(),
  database: z.string(),
  serverVersion: z.string(),
  takenAt: z.iso.datetime(),
});
export type CopyManifest = z.infer<typeof CopyManifest>;
export const copyFormat: ArchiveFormat<CopyManifest> = {
  manifest: CopyManifest,
  product: 'slipway-database',
  format: 1,
  madeBy: 'a Slipway database',
};

/** What stands before the rows. */
export const SCHEMA = 'schema.json';
export const CopySchema = z.object({
  before: Statements,
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
});
/** What stands behind them, with the rows that each table had. */
export const REST = 'rest.json';
export const CopyRest = z.object({ rows: z.array(count), sequences: Statements, after: Statements });

/** Of the table of that number, in order; several together are one `COPY`. */
export const rowsPart = (table: number, piece: number): string =>
  `rows/${String(table).padStart(5, '0')}/${String(piece).padStart(8, '0')}`;
const ROWS = /^rows\/(\d{5,})\/\d{8,}$/;
export const tableOfPart = (name: string): number | undefined => {
  const [, table] = ROWS.exec(name) ?? [];
  return table === undefined ? undefined : Number(table);
};

export const copyStatement = (
  { name, columns }: { name: string; columns: readonly string[] },
  direction: 'to stdout' | 'from stdin',
): string => `copy ${name}${columns.length > 0 ? ` (${columns.join(', ')})` : ''} ${direction}`;

/** What a copy holds, as it was counted while it was made. */
export interface CopyFacts {
  readonly takenAt: Date;
  readonly serverVersion: string;
  readonly sizeBytes: number;
  readonly tables: number;
  readonly rows: number;
  /** Of the whole file. */
  readonly sha256: string;
}
