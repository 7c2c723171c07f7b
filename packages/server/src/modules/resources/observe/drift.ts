/** Drift of rows from their engines: compared row by row, saved unless outdated, and shown with the time of the comparison. */
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { ChangeHint } from '@slipway/contract/hint.ts';
import type { Kind } from '@slipway/contract/kernel/subject.ts';
import { transaction, type Db } from '#db/database.ts';
import { notifyChanges } from '#kernel/changes.ts';
import { eachByItself } from '#kernel/rows/unreadable.ts';
import { unlessAway } from '#ports/failure.ts';
import type { Beside } from './claim-due.ts';

/** A value that differs: the wanted one, and the engine's. Null if there is none. Tells whether it can be restored, or adopted. */
export interface Difference {
  readonly name: string;
  readonly ours: string | null;
  readonly theirs: string | null;
  readonly canRepair: boolean;
  readonly canAdopt: boolean;
}
/** Compared values that differ, and those that are equal. */
export interface Drift {
  readonly differences: Difference[];
  readonly same: { name: string; value: string }[];
}
/** A row with the time and result of its last comparison. Both are null before the first. */
export interface ComparedRow {
  readonly id: string;
  readonly app_id: string;
  readonly environment: string;
  readonly name: string;
  readonly state: string;
  readonly compared_at: Date | null;
  readonly drift: Drift | null;
}
/** Columns with the result of a comparison. */
interface Result {
  readonly drift: Drift;
}
interface Look<Row, Seen> {
  readonly row: Row;
  readonly seen: Seen;
}
/** Compares rows of one environment and saves the results. Returns whether all were saved. */
export type Observe<Row extends ComparedRow> = (rows: readonly Row[], environment: Row['environment']) => Promise<boolean>;

/** Tells where an entity keeps its comparisons: the time in a small table beside its own, the results in either. */
export interface ComparisonTable<Row extends ComparedRow, Seen extends Result> {
  readonly kind: Kind;
  readonly table: string;
  readonly beside: Pick<Beside, 'table' | 'key'>;
  readonly resultsIn: 'table' | 'beside';
  /** Columns that a comparison depends on. Its result is dropped if one of them has changed since the row was read. */
  readonly wanted: readonly Extract<keyof Row, string>[];
  /** Columns of the result. */
  readonly results: readonly Extract<keyof Seen, string>[];
  /** Returns whether viewers must be notified. Defaults to new differences. */
  readonly isNew?: (look: Look<Row, Seen>) => boolean;
}

const listOf = (columns: readonly string[], of?: string) => sql.join(columns.map((name) => sql.ref(of ? `${of}.${name}` : name)));
const setOf = (columns: readonly string[], from: string) =>
  sql.join(columns.map((name) => sql`${sql.ref(name)} = ${sql.ref(`${from}.${name}`)}`));
const json = (rows: readonly object[]) => sql`${JSON.stringify(rows)}::jsonb`;

/** Returns the live hint for a row below an environment. */
export const hintOf = ({ kind, address }: Kind, row: Pick<ComparedRow, 'app_id' | 'environment' | 'name'>): ChangeHint => ({
  kind,
  app: row.app_id,
  env: row.environment,
  [address.at(-1) ?? '']: row.name,
});

/** Compares by structure, because `jsonb` does not keep the order of keys. */
export const hasNewDifferences = ({ row, seen }: Look<ComparedRow, Result>): boolean =>
  !isDeepStrictEqual(seen.drift.differences, row.drift?.differences);

/**
 * Saves results and notifies viewers. Rows of `table` without changes stay as they are. Returns the ids of the saved rows: rows that someone
 * compared or changed since they were read are left out, because their result may be outdated.
 */
const save = <Row extends ComparedRow, Seen extends Result>(
  db: Db,
  { kind, table, beside, resultsIn, wanted, results, isNew = hasNewDifferences }: ComparisonTable<Row, Seen>,
  looks: readonly Look<Row, Seen>[],
  at: Date,
): Promise<ReadonlySet<string>> =>
  transaction(db, async (trx) => {
    const isInTable = resultsIn === 'table';
    const [rows, besides, key, id, state] = [table, beside.table, beside.key, `${table}.id`, `${table}.state`].map((name) => sql.ref(name));
    const seen = looks.map(({ row, seen: found }) => ({
      ...Object.fromEntries([['id', row.id], ...wanted.map((column) => [column, row[column]])]),
      ...(isInTable && found),
    }));
    const before = looks.map(({ row, seen: found }) => ({
      [beside.key]: row.id,
      compared_at: row.compared_at,
      ...(!isInTable && found),
    }));
    const times = ['compared_at', ...(isInTable ? [] : results)];
    const changed = sql`, changed as (
        update ${rows} set ${setOf(results, 'current')} from current join kept on kept.id = current.id
        where ${id} = current.id and row(${listOf(results, table)}) is distinct from row(${listOf(results, 'current')}))`;
    const { rows: saved } = await sql<{ id: string }>`
      with seen as (select * from jsonb_populate_recordset(null::${rows}, ${json(seen)})),
      before as (select * from jsonb_populate_recordset(null::${besides}, ${json(before)})),
      current as (
        select seen.id, ${listOf(results, isInTable ? 'seen' : 'before')}, ${at}::timestamptz as compared_at
        from seen join before on before.${key} = seen.id join ${rows} on ${id} = seen.id and ${state} = 'ACTIVE'
          and row(${listOf(wanted, table)}) is not distinct from row(${listOf(wanted, 'seen')})),
      kept as (
        insert into ${besides} as watch (${key}, watched_at, ${listOf(times)}) select id, now(), ${listOf(times)} from current order by id
        on conflict (${key}) do update set ${setOf(times, 'excluded')}
          where watch.compared_at is not distinct from (select compared_at from before where before.${key} = watch.${key})
        returning ${key} as id)${isInTable ? changed : sql``}
      select id from kept`.execute(trx);
    const kept = new Set(saved.map((row) => row.id));
    const news = looks.filter((look) => kept.has(look.row.id) && isNew(look)).map(({ row }) => hintOf(kind, row));
    await notifyChanges(trx, news);
    return kept;
  });

/**
 * Compares rows one by one and saves the results. Returns whether all were saved. A row that fails does not stop the others: its error is
 * thrown at the end. Throws at once if an engine is unavailable, after saving the results so far. `at`: when the engine was observed.
 */
export const compareEach = async <Row extends ComparedRow, Seen extends Result>(
  db: Db,
  table: ComparisonTable<Row, Seen>,
  rows: readonly Row[],
  compare: (row: Row) => Promise<Seen>,
  at = new Date(),
): Promise<boolean> => {
  const looks: Look<Row, Seen>[] = [];
  let kept: ReadonlySet<string> = new Set();
  try {
    await eachByItself(rows, async (row) => looks.push({ row, seen: await compare(row) }));
  } finally {
    kept = await save(db, table, looks, at);
  }
  return kept.size === rows.length;
};

const TRIES = 3;
/** Compares a row now. Retries if another comparison ran at the same time. */
export const observeNow = async <Row extends ComparedRow>(read: () => Promise<Row>, observe: Observe<Row>): Promise<void> => {
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const row = await read();
    if (await observe([row], row.environment)) return;
  }
};

const COMPARED_MS = 60_000;
/**
 * Returns the drift of a row, compared again after a minute. If an engine is unavailable, returns the last result, marked as outdated.
 * `read` throws if there is no such row. `given` is a row that the caller has just read.
 */
export const latestDrift = async <Row extends ComparedRow>(read: () => Promise<Row>, observe: Observe<Row>, given?: Row) => {
  const row = given ?? (await read());
  const isOld = row.compared_at === null || Date.now() - row.compared_at.getTime() > COMPARED_MS;
  const look = async (): Promise<Row> => {
    if (row.state === 'ACTIVE' && isOld) await observeNow(read, observe);
    return read();
  };
  const current = await unlessAway(look());
  const { compared_at: at, drift }: Pick<Row, 'compared_at' | 'drift'> = current ?? row;
  const { differences = [], same = [] }: Partial<NonNullable<Row['drift']>> = drift ?? {};
  return { comparedAt: at?.toISOString() ?? null, isStale: current === undefined, differences, same };
};
