/**
 * Format of a database backup: an archive with the schema as SQL statements and the rows as `COPY` output, in chunks of a few megabytes, or
 * with the output of pg_dump in such chunks. `tar --zstd` can read it; no part is in a proprietary format.
 */
import * as z from 'zod/mini';
import type { ArchiveFormat } from '#kernel/archive/archive-reader.ts';

const count = z.int().check(z.minimum(0));
const Statements = z.array(z.string());
const CopyManifest = z.object({
  product: z.literal('slipway-database'),
  /** 2 if it holds the output of pg_dump. */
  format: z.literal([1, 2]),
  /** Platform version. */
  version: z.string(),
  database: z.string(),
  serverVersion: z.string(),
  takenAt: z.iso.datetime(),
});
export type CopyManifest = z.infer<typeof CopyManifest>;
export const copyFormat: ArchiveFormat<CopyManifest> = {
  manifest: CopyManifest,
  product: 'slipway-database',
  format: 2,
  madeBy: 'a Slipway database',
};

/** Archive entry before the rows. */
export const SCHEMA = 'schema.json';
export const CopySchema = z.object({
  before: Statements,
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
});
/** Archive entry after the rows, with each table's row count. */
export const REST = 'rest.json';
export const CopyRest = z.object({ rows: z.array(count), sequences: Statements, after: Statements });

/** Name of a chunk of the table with this index. Consecutive chunks of a table form one `COPY`. */
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

/** Name of a chunk of a dump, in place of the rows. */
const DUMP = 'dump/';
export const dumpPart = (piece: number): string => `${DUMP}${String(piece).padStart(8, '0')}`;
export const isDumpPart = (name: string): boolean => name.startsWith(DUMP);

const PIECE_BYTES = 4 << 20;
/** Joins chunks of a stream to parts of an archive. */
export async function* pieces(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    waiting.push(chunk);
    bytes += chunk.length;
    if (bytes < PIECE_BYTES) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}

/** Facts about a copy, collected while it was made. */
export interface CopyFacts {
  readonly takenAt: Date;
  readonly serverVersion: string;
  readonly sizeBytes: number;
  readonly tables: number;
  readonly rows: number;
  /** Checksum of the whole file. */
  readonly sha256: string;
}
