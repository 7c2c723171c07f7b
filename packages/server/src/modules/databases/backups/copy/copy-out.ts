/** Copies a consistent snapshot of a database while it stays in use. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { MANIFEST } from '#kernel/archive/archive-parts.ts';
import { ArchiveWriter } from '#kernel/archive/archive-writer.ts';
import type { Floor } from '#kernel/disk-floor.ts';
import { copyFormat, copyStatement, REST, rowsPart, SCHEMA, type CopyFacts } from './copy-format.ts';
import { CopyFailure, failureOf } from './copy-failure.ts';
import { readSchema, sequenceValues, tablesOf, type CopiedTable } from './schema-objects.ts';
import { openSession, type CopySession } from './session.ts';
import { uncopied } from './uncopied.ts';

export interface CopyOptions {
  /** Must not exist yet. The file is complete when the promise resolves. */
  readonly file: string;
  /** Display name of the database. */
  readonly database: string;
  /** Platform version. */
  readonly version: string;
  readonly floor: Floor;
  readonly signal: AbortSignal;
}

const PIECE_BYTES = 4 << 20;
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

export async function copyOut(source: CopySession, options: CopyOptions): Promise<CopyFacts> {
  const { file, floor, signal } = options;
  try {
    await floor.require();
    const client = await openSession(source, { purpose: 'backup', signal });
    try {
      const writer = ArchiveWriter.create(file, floor);
      try {
        return await write(client, writer, options);
      } catch (error) {
        await writer.abandon();
        throw error;
      }
    } finally {
      await client.end().catch(() => {});
    }
  } catch (error) {
    signal.throwIfAborted();
    throw failureOf(error, 'CopyFailed');
  }
}

async function write(client: pg.Client, writer: ArchiveWriter, { database, version, file }: CopyOptions): Promise<CopyFacts> {
  const { takenAt, serverVersion } = await begin(client);
  const objects = await uncopied(client);
  if (objects.length > 0) throw new CopyFailure('NotCopied', { objects: objects.join(', ') });
  const schema = await readSchema(client);
  const { product, format } = copyFormat;
  await writer.addBytes(MANIFEST, json({ product, format, version, database, serverVersion, takenAt: takenAt.toISOString() }));
  await writer.addBytes(SCHEMA, json({ before: schema.before, tables: schema.tables }));
  const rows: number[] = [];
  for (const [number, table] of schema.tables.entries()) rows.push(await writeRows(client, writer, table, number));
  const sequences = await sequenceValues(client, schema.sequences);
  await writer.addBytes(REST, json({ rows, sequences, after: schema.after }));
  await client.query('commit');
  const sizeBytes = await writer.finish(json({ parts: writer.parts }));
  const total = rows.reduce((sum, count) => sum + count, 0);
  return { takenAt, serverVersion, sizeBytes, tables: rows.length, rows: total, sha256: await sha256Of(file) };
}

/** Like pg_dump, locks all tables before reading the schema, so that nobody can alter a table before it is copied. */
async function begin(client: pg.Client): Promise<{ takenAt: Date; serverVersion: string }> {
  await client.query('begin isolation level repeatable read, read only');
  const { rows } = await client.query<{ at: Date; version: string }>(`select now() as at, current_setting('server_version') as version`);
  const tables = await tablesOf(client);
  if (tables.length > 0) await client.query(`lock table ${tables.map(({ name }) => name).join(', ')} in access share mode`);
  const [first] = rows;
  if (!first) throw new Error('The server says neither its time nor its version');
  return { takenAt: first.at, serverVersion: first.version.split(' ')[0] ?? '' };
}

async function writeRows(client: pg.Client, writer: ArchiveWriter, table: CopiedTable, number: number): Promise<number> {
  const stream = client.query(copyTo(copyStatement(table, 'to stdout')));
  let piece = 0;
  for await (const bytes of pieces(stream)) {
    await writer.addBytes(rowsPart(number, piece), bytes);
    piece += 1;
  }
  return stream.rowCount;
}

async function* pieces(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
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

export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest('hex');
}
