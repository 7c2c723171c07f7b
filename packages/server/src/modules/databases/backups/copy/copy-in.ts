/**
 * Restores a copy into an empty database in a single transaction. The session uses the database's own login, which has only the owner's
 * rights: the copy's statements and functions were written by the team, and some run during the restore.
 */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type * as z from 'zod/mini';
import { readParts, readWhole, type ReadPart } from '#kernel/archive/archive-reader.ts';
import { errorCode } from '#kernel/caught.ts';
import { StartError } from '#kernel/start-error.ts';
import { CopyFailure, failureOf } from './copy-failure.ts';
import { copyFormat, copyStatement, CopyRest, CopySchema, isDumpPart, REST, SCHEMA, tableOfPart } from './copy-format.ts';
import { sha256Of } from './copy-out.ts';
import { countOf, DumpRestore } from './dump.ts';
import { tablesOf } from './schema-objects.ts';
import { openSession, type CopySession } from './session.ts';

export interface RestoreSource {
  readonly file: string;
  /** Checksum of the file when the copy was made. */
  readonly sha256: string;
}
export interface RestoredRows {
  readonly tables: number;
  readonly rows: number;
}
/** Upper limit: no backup writes a larger schema. */
const SCHEMA_BYTES = 256 << 20;

/** Verifies the whole file before anything is written. */
async function checkFile({ file, sha256 }: RestoreSource): Promise<void> {
  const found = await sha256Of(file).catch((cause: unknown) => {
    throw errorCode(cause) === 'ENOENT' ? new CopyFailure('FileMissing', {}, { cause }) : cause;
  });
  if (found !== sha256) throw new CopyFailure('FileDamaged');
  // Also verifies the checksums of the archive's parts before any part is used.
  await readParts(file, copyFormat);
}

export async function copyIn(target: CopySession, source: RestoreSource, signal: AbortSignal): Promise<RestoredRows> {
  try {
    await checkFile(source);
    const client = await openSession(target, { purpose: 'restore', signal });
    try {
      return await restore(client, source, (serverVersion) => DumpRestore.start(target, serverVersion, signal));
    } finally {
      await client.end().catch(() => {});
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof StartError ? new CopyFailure('FileDamaged', {}, { cause: error }) : failureOf(error, 'RestoreFailed');
  }
}

type StartDump = (serverVersion: string) => Promise<DumpRestore>;

async function restore(client: pg.Client, { file }: RestoreSource, startDump: StartDump): Promise<RestoredRows> {
  // An earlier attempt was killed after its commit, so the restore is complete.
  if ((await tablesOf(client)).length > 0) return sumOf(await readRest(file));
  await client.query('begin');
  const writer = new PartsWriter(client, startDump);
  const rest = await readParts(file, copyFormat, {
    onManifest: ({ serverVersion }) => writer.begin(serverVersion),
    onPart: (part) => writer.add(part),
  })
    .then(() => writer.finish())
    .finally(() => writer.close());
  await client.query('commit');
  await client.query('analyze');
  return sumOf(rest);
}

type Rest = z.infer<typeof CopyRest>;

const parsed = async <Value>({ part, bytes }: ReadPart, schema: z.ZodMiniType<Value>): Promise<Value> => {
  const text = (await readWhole(bytes, part.size, SCHEMA_BYTES)).toString('utf8');
  return schema.parse(JSON.parse(text));
};

async function readRest(file: string): Promise<Rest> {
  let rest: Rest | undefined;
  await readParts(file, copyFormat, {
    onPart: async (part) => {
      if (part.part.name === REST) rest = await parsed(part, CopyRest);
    },
  });
  if (!rest) throw new CopyFailure('FileDamaged');
  return rest;
}

const sumOf = ({ rows }: Rest): RestoredRows => ({ tables: rows.length, rows: rows.reduce((sum, count) => sum + count, 0) });

class PartsWriter {
  readonly #client: pg.Client;
  readonly #startDump: StartDump;
  #serverVersion = '';
  #dump: DumpRestore | undefined;
  #tables: z.infer<typeof CopySchema>['tables'] = [];
  #rest: Rest | undefined;
  #copy: { readonly table: number; readonly stream: Writable; readonly done: Promise<void> } | undefined;

  constructor(client: pg.Client, startDump: StartDump) {
    this.#client = client;
    this.#startDump = startDump;
  }

  begin(serverVersion: string): void {
    this.#serverVersion = serverVersion;
  }

  async add(part: ReadPart): Promise<void> {
    const { name } = part.part;
    const table = tableOfPart(name);
    if (table !== undefined) return this.#rows(table, part.bytes);
    if (isDumpPart(name)) return (this.#dump ??= await this.#startDump(this.#serverVersion)).write(part.bytes);
    if (name === SCHEMA) {
      const { before, tables } = await parsed(part, CopySchema);
      this.#tables = tables;
      await this.#run(before);
    } else if (name === REST) this.#rest = await parsed(part, CopyRest);
    else throw new StartError(`The backup holds ${JSON.stringify(name.slice(0, 200))}, which none holds`);
  }

  /** Runs after the rows: indexes and keys build faster then, and triggers would change rows. */
  async finish(): Promise<Rest> {
    await this.#endCopy();
    await this.#dump?.finish();
    const rest = this.#rest;
    if (!rest) throw new CopyFailure('FileDamaged');
    await this.#count(rest);
    await this.#run(rest.sequences);
    await this.#run(rest.after);
    return rest;
  }

  /** Counts the restored rows with a query, before row-level security policies hide some. */
  async #count({ rows: expected }: Rest): Promise<void> {
    for (const [index, { name }] of this.#tables.entries()) {
      const [found, there = 0] = [await countOf(this.#client, name), expected[index]];
      if (found !== there) throw new CopyFailure('RowsDiffer', { table: name, expected: String(there), found: String(found) });
    }
  }

  async #run(statements: readonly string[]): Promise<void> {
    for (const statement of statements) await this.#client.query(statement);
  }

  async #rows(table: number, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    if (this.#copy?.table !== table) {
      await this.#endCopy();
      const known = this.#tables[table];
      if (!known) throw new StartError(`The backup holds rows of a table that its schema does not name`);
      const stream = this.#client.query(copyFrom(copyStatement(known, 'from stdin')));
      // The stream does not end by itself and would keep writing to a failed connection.
      stream.on('error', () => stream.destroy());
      const done = finished(stream);
      done.catch(() => undefined);
      this.#copy = { table, stream, done };
    }
    const { stream, done } = this.#copy;
    for await (const chunk of bytes) if (!stream.write(chunk)) await Promise.race([once(stream, 'drain'), done]);
  }

  /** Ends a `COPY` or a program that a failure left open. */
  close(): void {
    this.#dump?.stop();
    this.#copy?.stream.destroy();
  }

  async #endCopy(): Promise<void> {
    this.#copy?.stream.end();
    await this.#copy?.done;
    this.#copy = undefined;
  }
}
