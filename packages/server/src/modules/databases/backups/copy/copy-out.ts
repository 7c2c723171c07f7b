/** Copies a consistent snapshot of a database while it stays in use. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { MANIFEST } from '#kernel/archive/archive-parts.ts';
import { ArchiveWriter } from '#kernel/archive/archive-writer.ts';
import type { Floor } from '#kernel/disk-floor.ts';
import { copyFormat, copyStatement, pieces, REST, rowsPart, SCHEMA, type CopyFacts } from './copy-format.ts';
import { failureOf } from './copy-failure.ts';
import { neededDump, writeDump } from './dump.ts';
import { readSchema, sequenceValues, tablesOf, type CopiedTable } from './schema-objects.ts';
import { openSession, type CopySession } from './session.ts';

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

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

export async function copyOut(source: CopySession, options: CopyOptions): Promise<CopyFacts> {
  const { file, floor, signal } = options;
  try {
    await floor.require();
    const client = await openSession(source, { purpose: 'backup', signal });
    try {
      const writer = ArchiveWriter.create(file, floor);
      try {
        return await write(client, writer, { ...options, source });
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

type WriteOptions = CopyOptions & { readonly source: CopySession };

async function write(client: pg.Client, writer: ArchiveWriter, options: WriteOptions): Promise<CopyFacts> {
  const { database, version, file } = options;
  const { takenAt, serverVersion } = await begin(client);
  const program = await neededDump(client, serverVersion);
  const { product } = copyFormat;
  const format = program === undefined ? 1 : 2;
  await writer.addBytes(MANIFEST, json({ product, format, version, database, serverVersion, takenAt: takenAt.toISOString() }));
  const rows = program === undefined ? await writeCopy(client, writer) : await writeDumped(client, writer, { ...options, program });
  await client.query('commit');
  const sizeBytes = await writer.finish(json({ parts: writer.parts }));
  const total = rows.reduce((sum, count) => sum + count, 0);
  return { takenAt, serverVersion, sizeBytes, tables: rows.length, rows: total, sha256: await sha256Of(file) };
}

async function writeCopy(client: pg.Client, writer: ArchiveWriter): Promise<number[]> {
  const schema = await readSchema(client);
  await writer.addBytes(SCHEMA, json({ before: schema.before, tables: schema.tables }));
  const rows: number[] = [];
  for (const [number, table] of schema.tables.entries()) rows.push(await writeRows(client, writer, table, number));
  const sequences = await sequenceValues(client, schema.sequences);
  await writer.addBytes(REST, json({ rows, sequences, after: schema.after }));
  return rows;
}

async function writeDumped(client: pg.Client, writer: ArchiveWriter, options: WriteOptions & { program: string }): Promise<number[]> {
  const tables = await tablesOf(client);
  await writer.addBytes(SCHEMA, json({ before: [], tables }));
  const rows = await writeDump(client, writer, { ...options, tables });
  await writer.addBytes(REST, json({ rows, sequences: [], after: [] }));
  return rows;
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

export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest('hex');
}
