/**
 * The second way of a backup: pg_dump writes what our own copy cannot, such as aggregates and large objects. Its output is kept in parts of
 * the same archive, and pg_restore restores it with the rights of the new database's own login.
 */
import { once } from 'node:events';
import type pg from 'pg';
import type { ArchiveWriter } from '#kernel/archive/archive-writer.ts';
import { CopyFailure } from './copy-failure.ts';
import { dumpPart, pieces } from './copy-format.ts';
import { findProgram, majorOf, startProgram, type RunningProgram } from './pg-programs.ts';
import type { CopiedTable } from './schema-objects.ts';
import { LOCK_SECONDS, type CopySession } from './session.ts';
import { uncopied, undumped } from './uncopied.ts';

const omitted = ['--no-owner', '--no-privileges', '--no-tablespaces', '--no-subscriptions', '--no-security-labels'];

/** Returns pg_dump if our own copy cannot hold everything. Throws `NotCopied` if that is so and pg_dump cannot help. */
export const neededDump = async (client: pg.ClientBase, serverVersion: string): Promise<string | undefined> => {
  const objects = await uncopied(client);
  if (objects.length === 0) return undefined;
  const major = majorOf(serverVersion);
  // A dump that nothing here can restore is no backup.
  const program = (await findProgram('pg_restore', major)) === undefined ? undefined : await findProgram('pg_dump', major);
  const left = program === undefined ? objects : await undumped(client);
  if (left.length > 0) throw new CopyFailure('NotCopied', { objects: left.join(', ') });
  return program;
};

export interface DumpOptions {
  readonly program: string;
  readonly source: CopySession;
  readonly tables: readonly CopiedTable[];
  readonly signal: AbortSignal;
}
/** Writes the dump of the client's snapshot, and returns the row count of each table in that snapshot. */
export async function writeDump(client: pg.ClientBase, writer: ArchiveWriter, options: DumpOptions): Promise<number[]> {
  const { program, source, tables, signal } = options;
  const { rows } = await client.query<{ id: string }>('select pg_export_snapshot() as id');
  const snapshot = [`--snapshot=${rows[0]?.id ?? ''}`, `--lock-wait-timeout=${LOCK_SECONDS * 1000}`];
  const dumping = startProgram(program, source, { args: ['--format=custom', '--compress=none', ...snapshot, ...omitted], signal });
  try {
    let piece = 0;
    for await (const bytes of pieces(dumping.output)) await writer.addBytes(dumpPart(piece++), bytes);
    await dumping.ended;
  } finally {
    dumping.stop();
  }
  const counts: number[] = [];
  for (const { name } of tables) counts.push(await countOf(client, name));
  return counts;
}

export const countOf = async (client: pg.ClientBase, table: string): Promise<number> => {
  const { rows } = await client.query<{ count: string }>(`select count(*) from only ${table}`);
  return Number(rows[0]?.count);
};

/** Passes the parts of a dump to pg_restore, which restores them in one transaction of its own. */
export class DumpRestore {
  readonly #running: RunningProgram;

  private constructor(running: RunningProgram) {
    this.#running = running;
  }

  static async start(target: CopySession, serverVersion: string, signal: AbortSignal): Promise<DumpRestore> {
    const program = await findProgram('pg_restore', majorOf(serverVersion));
    if (program === undefined) throw new CopyFailure('RestoreProgramMissing', { version: String(majorOf(serverVersion)) });
    const args = ['--single-transaction', '--exit-on-error', ...omitted, '--dbname', target.database];
    return new DumpRestore(startProgram(program, target, { args, signal }));
  }

  async write(bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const { input, ended } = this.#running;
    for await (const chunk of bytes) {
      if (input.write(chunk)) continue;
      // A program that ended closed its input. Its own error says why.
      await Promise.race([once(input, 'drain'), ended]).catch(() => ended);
    }
  }

  async finish(): Promise<void> {
    this.#running.input.end();
    await this.#running.ended;
  }

  stop(): void {
    this.#running.stop();
  }
}
