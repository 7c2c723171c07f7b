/**
 * Claims the rows that are due for an observation. `watched_at` says when a worker claimed a row last, so with several replicas only one
 * observes it, and a row whose worker died is due again after its interval.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '#db/database.ts';

export interface DueRows {
  /** Table of the entity, with the column `id`. It has `watched_at`, too, unless `beside` names the table that has it. */
  readonly table: string;
  /** A small table with `watched_at` for each row of the entity. `columns` are added to the claimed rows. */
  readonly beside?: Beside;
  readonly where: RawBuilder<unknown>;
  /** Interval between two observations of a row. */
  readonly everyMs: number;
  /** A shorter interval for the rows that `when` matches. */
  readonly soon?: { readonly everyMs: number; readonly when: RawBuilder<unknown> };
  /** Column with the name of the row's engine: its environment or region. */
  readonly engine: string;
}
export interface Beside {
  readonly table: string;
  /** Refers to the entity's `id`. */
  readonly key: string;
  readonly columns: readonly string[];
}

const ms = (count: number | RawBuilder<unknown>) => sql`${count}::float8 * interval '1 millisecond'`;

/** Claims at most `limit` rows, the longest overdue first, of engines that `away` does not name. */
export const claimDue = async <Row>(
  db: Db,
  { table, beside, where, everyMs, soon, engine }: DueRows,
  { limit, away }: { readonly limit: number; readonly away: readonly string[] },
): Promise<Row[]> => {
  const rows = sql.table(table);
  const id = sql.ref(`${table}.id`);
  const interval = soon ? sql`case when ${soon.when} then ${soon.everyMs} else ${everyMs} end` : sql`${everyMs}`;
  const dueAt = sql`coalesce(watched_at, 'epoch') + ${ms(interval)}`;
  const due = sql`(${where}) and ${dueAt} < now() and ${sql.ref(`${table}.${engine}`)} <> all (${away})`;
  if (!beside) {
    // Chosen once, by a query of its own. Inside a condition it could run again for each row of the table, and claim them all.
    const claimed = await sql<Row>`
      with due as materialized (
        select id, ${dueAt} as due_at from ${rows} where ${due} order by due_at limit ${limit} for update skip locked),
      claimed as (update ${rows} set watched_at = now() from due where ${id} = due.id returning ${rows}.*)
      select claimed.* from claimed join due on due.id = claimed.id order by due.due_at`.execute(db);
    return claimed.rows;
  }
  const [besides, key] = [sql.table(beside.table), sql.ref(beside.key)];
  const shortestMs = Math.min(everyMs, soon?.everyMs ?? everyMs);
  // Rows beside may not exist yet, so they cannot be locked. Whoever comes second finds them claimed. The order avoids deadlocks.
  const claimed = await sql<Row>`
    with due as (
      select ${id}, ${dueAt} as due_at from ${rows} left join ${besides} on ${key} = ${id} where ${due} order by due_at limit ${limit}),
    claimed as (
      insert into ${besides} as watch (${key}, watched_at) select id, now() from due order by id
      on conflict (${key}) do update set watched_at = now() where watch.watched_at < now() - ${ms(shortestMs)}
      returning ${sql.join([beside.key, ...beside.columns].map((column) => sql.ref(column)))})
    select ${rows}.*, ${sql.join([...beside.columns].map((column) => sql.ref(`claimed.${column}`)))}
    from claimed join ${rows} on ${id} = claimed.${key} join due on due.id = claimed.${key} order by due.due_at`.execute(db);
  return claimed.rows;
};

/**
 * Makes claimed rows due again that were not observed. They are due since the claim: behind the rows that were due before, and before those
 * that were tried, however long that took.
 */
export const giveBack = async (db: Db, { table, beside, everyMs }: DueRows, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return;
  await sql`update ${sql.table(beside?.table ?? table)} set watched_at = watched_at - ${ms(everyMs)}
    where ${sql.ref(beside?.key ?? 'id')} = any (${ids})`.execute(db);
};
