/**
 * Keeps one bad row from blocking the others. Code that reads rows of many owners parses each separately, skips rows it cannot read, and
 * lists them in `unreadable_row` for operators, `/readyz` and `/metrics`.
 */
import { sql } from 'kysely';
import type * as z from 'zod/mini';
import type { Db } from '#db/database.ts';
import { isDatabaseOutage } from '#db/outage.ts';
import { isPortFailure } from '#ports/failure.ts';
import type { Log } from '#ports/log.ts';
import { errorMessage } from '#kernel/caught.ts';

export interface Unreadable {
  readonly id: string;
  /** Kind of the row: `revision`. */
  readonly kind: string;
  /** Public: anyone who can call `/readyz` sees it. */
  readonly name: string;
  readonly detail: string;
}
type Named = Omit<Unreadable, 'detail'>;

export interface Parsed<Row, Value> {
  readonly values: Value[];
  readonly bad: (Unreadable & { readonly row: Row })[];
}

/** Parses each row separately. */
export const parseEach = <Row, Value>(rows: Iterable<Row>, nameOf: (row: Row) => Named, parse: (row: Row) => Value): Parsed<Row, Value> => {
  const parsed: Parsed<Row, Value> = { values: [], bad: [] };
  for (const row of rows) {
    try {
      parsed.values.push(parse(row));
    } catch (error) {
      parsed.bad.push({ ...nameOf(row), detail: errorMessage(error), row });
    }
  }
  return parsed;
};

/** Splits a list into parts of at most `size` items. */
export const chunksOf = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));

/**
 * Processes items in sequence. A failing item does not stop the others, and the first error is thrown at the end. If the database or an
 * engine is unavailable, all items would fail, so that error is thrown immediately.
 */
export const eachByItself = async <Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<unknown>,
): Promise<void> => {
  const errors: unknown[] = [];
  for await (const item of items) {
    try {
      await work(item);
    } catch (error) {
      if (isDatabaseOutage(error) || isPortFailure(error, 'unavailable')) throw error;
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
};

/** Rows that one reader could not read in its last round. */
export class UnreadableRows {
  readonly #db: Db;
  readonly #reader: string;
  readonly #log: Log;
  /** Last written state. Undefined at first, because an earlier process may have left rows. */
  #written: string | undefined;

  constructor(db: Db, reader: string, log: Log) {
    this.#db = db;
    this.#reader = reader;
    this.#log = log;
  }

  /** Takes all findings of a complete round. Writes only changes, and returns the new rows. */
  async tell(found: readonly Unreadable[]): Promise<readonly Unreadable[]> {
    const rows = found.map(({ id, kind, name, detail }) => ({
      id,
      kind,
      name,
      detail: detail.slice(0, 1000).replaceAll('\0', '\u{FFFD}'),
    }));
    const print = JSON.stringify(rows);
    if (print === this.#written) return [];
    const { rows: added } = await sql<{ id: string }>`with gone as (
        delete from unreadable_row where reader = ${this.#reader} and not (id = any (${rows.map(({ id }) => id)})))
      insert into unreadable_row (reader, id, kind, name, detail)
      select distinct on (id) ${this.#reader}, id, kind, name, detail
      from jsonb_to_recordset(${print}::jsonb) as found (id text, kind text, name text, detail text)
      on conflict (reader, id) do update set name = excluded.name, detail = excluded.detail
      returning case when xmax = 0 then id end as id`.execute(this.#db);
    this.#written = print;
    const fresh = rows.filter(({ id }) => added.some((one) => one.id === id));
    for (const { kind, name, detail } of fresh)
      this.#log.error({ reader: this.#reader, kind, name, detail }, 'A row cannot be read and is left out');
    return fresh;
  }
}

/** Throws if a value does not match the shape, naming the paths. */
export const mustFit = (shape: z.ZodMiniType, value: unknown, what: string): void => {
  const { error } = shape.safeParse(value);
  if (!error) return;
  const places = error.issues.map(({ path }) => path.map(String).join('.') || 'the whole value');
  throw new Error(`${what}: missing or of the wrong type: ${places.join(', ')}`);
};
