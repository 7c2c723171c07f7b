/** Writes an archive's rows into empty tables: all in one transaction, or none. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { createClient } from '#db/connections.ts';
import { StartError } from '#kernel/start-error.ts';
import type { Manifest } from './archive-format.ts';
import { columnsOf, copyText, leftOut, plainSettings, tableNames } from './snapshot.ts';

interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

export class RowsWriter {
  readonly #client: pg.Client;
  readonly #tables: ReadonlyMap<string, Manifest['tables'][number]>;
  readonly #keys: readonly ForeignKey[];
  #copy: { readonly table: string; readonly stream: Writable; readonly done: Promise<void> } | undefined;

  private constructor(client: pg.Client, tables: Manifest['tables'], keys: readonly ForeignKey[]) {
    this.#client = client;
    this.#tables = new Map(tables.map((table) => [table.name, table]));
    this.#keys = keys;
  }

  static async open(connection: pg.ClientConfig, tables: Manifest['tables']): Promise<RowsWriter> {
    const client = createClient({ ...connection, application_name: 'slipway restore' });
    try {
      await client.connect();
      await client.query(plainSettings);
      await checkTables(client, tables);
      await client.query('begin');
      const keys = await dropForeignKeys(client);
      // The archive also contains the rows that triggers write: they would write them twice.
      for (const name of await tableNames(client)) await client.query(`alter table "${name}" disable trigger user`);
      // Migrations insert some rows themselves.
      if (tables.length > 0) await client.query(`truncate ${tables.map(({ name }) => `"${name}"`).join(', ')}`);
      return new RowsWriter(client, tables, keys);
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
  }

  async write(table: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    if (this.#copy?.table !== table) await this.#begin(table);
    const { stream, done } = this.#copy ?? {};
    for await (const chunk of bytes) if (stream && !stream.write(chunk)) await Promise.race([once(stream, 'drain'), done]);
  }

  async finish(): Promise<void> {
    await this.#endCopy();
    const client = this.#client;
    for (const { table, name, definition } of this.#keys)
      await client.query(`alter table "${table}" add constraint "${name}" ${definition}`);
    for (const name of await tableNames(client)) await client.query(`alter table "${name}" enable trigger user`);
    for (const sql of await sequenceUpdates(client)) await client.query(sql);
    await client.query('commit');
    await client.query('analyze');
    await client.end();
  }

  async abandon(): Promise<void> {
    this.#copy?.stream.destroy(new Error('The restore was given up'));
    await this.#copy?.done.catch(() => {});
    await this.#client.end().catch(() => {});
  }

  async #begin(table: string): Promise<void> {
    await this.#endCopy();
    const known = this.#tables.get(table);
    if (!known) throw new StartError(`The archive holds rows of ${table}, which its manifest does not name. Take another archive.`);
    const stream = this.#client.query(copyFrom(copyText(known, 'from stdin')));
    const done = finished(stream);
    done.catch(() => undefined);
    this.#copy = { table, stream, done };
  }

  async #endCopy(): Promise<void> {
    this.#copy?.stream.end();
    await this.#copy?.done;
    this.#copy = undefined;
  }
}

/** Checks the table names against those of the migrations, so that the SQL contains no name from the archive alone. */
async function checkTables(client: pg.Client, tables: Manifest['tables']): Promise<void> {
  const names = new Set(await tableNames(client));
  const columns = await columnsOf(client);
  for (const table of tables) {
    const there = new Set(columns.get(table.name));
    if (!names.has(table.name) || leftOut.has(table.name) || !table.columns.every((column) => there.has(column)))
      throw new StartError(`The archive's table ${table.name} is not the one of its version. Take another archive.`);
  }
}

/** Drops foreign keys and recreates them after the rows, as pg_dump does: row order does not matter, and one check covers all. */
async function dropForeignKeys(client: pg.Client): Promise<ForeignKey[]> {
  const { rows } = await client.query<ForeignKey>(
    `select relname as table, conname as name, pg_get_constraintdef(pg_constraint.oid) as definition
     from pg_constraint join pg_class on pg_class.oid = conrelid
     where contype = 'f' and connamespace = current_schema()::regnamespace and conparentid = 0`,
  );
  for (const { table, name } of rows) await client.query(`alter table "${table}" drop constraint "${name}"`);
  return rows;
}

/** Sets each sequence to continue after its column's highest value. */
async function sequenceUpdates(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ sql: string }>(
    `select format('select setval(%L, coalesce(max(%I), 0) + 1, false) from %I', pg_get_serial_sequence(relname, attname), attname, relname) as sql
     from pg_attribute join pg_class on pg_class.oid = attrelid
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and attnum > 0 and not attisdropped
       and pg_get_serial_sequence(quote_ident(relname), attname) is not null`,
  );
  return rows.map(({ sql }) => sql);
}
