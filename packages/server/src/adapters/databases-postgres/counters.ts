/** A server's statistics about its databases and their statements. */
import type { DatabaseCounters, StatementCount, StatementCounts } from '#ports/databases.ts';
import { errorCode } from '#kernel/caught.ts';
import type { RoleNames } from './role-names.ts';
import type { Statements } from './server-session.ts';

type Texts<Of> = { readonly [Name in keyof Of]: Of[Name] extends number ? string : Of[Name] };
const LISTED = 50;
const TEXT_LENGTH = 2000;
/** The extension is installed, but its library is not loaded. */
const NOT_LOADED = '55000';

export const countersOf = async (client: Statements, names: readonly RoleNames[]): Promise<DatabaseCounters[]> => {
  const { rows } = await client.query<Texts<DatabaseCounters>>(
    `select datname::text as database, pg_database_size(datid) as "sizeBytes", xact_commit + xact_rollback as transactions,
       (select count(*) from pg_stat_activity where pg_stat_activity.datid = pg_stat_database.datid and usename = any ($2)) as connections,
       blks_hit as "blocksHit", blks_read as "blocksRead", xact_rollback as rollbacks, deadlocks, temp_bytes as "tempBytes"
     from pg_stat_database where datname = any ($1)`,
    [names.map(({ database }) => database), names.flatMap(({ logins, readLogins }) => [...logins, ...readLogins])],
  );
  return rows.map((row) => ({
    database: row.database,
    sizeBytes: Number(row.sizeBytes),
    connections: Number(row.connections),
    blocksHit: Number(row.blocksHit),
    blocksRead: Number(row.blocksRead),
    transactions: Number(row.transactions),
    rollbacks: Number(row.rollbacks),
    deadlocks: Number(row.deadlocks),
    tempBytes: Number(row.tempBytes),
  }));
};

/** Returns the statements of the database's own roles, without the platform's own. */
export const statementsOf = async (
  client: Statements,
  { database, owner, logins, readLogins }: RoleNames,
): Promise<StatementCounts | undefined> => {
  const there = await client.query(
    `select from pg_extension where extname = 'pg_stat_statements' and to_regclass('pg_stat_statements') is not null`,
  );
  if (there.rowCount === 0) return undefined;
  try {
    const { rows } = await client.query<Texts<StatementCount> & { total: number; since: Date | null }>(
      `select queryid::text as id, left(max(query), ${TEXT_LENGTH}) as text, sum(calls) as calls, max(max_exec_time) as "maxMs",
         sum(total_exec_time) as "totalMs", sum(total_exec_time) / sum(calls) as "meanMs", sum(rows) as rows,
         sum(sum(total_exec_time)) over () as total, (select stats_reset from pg_stat_statements_info) as since
       from pg_stat_statements where dbid = (select oid from pg_database where datname = $1)
         and userid in (select oid from pg_roles where rolname = any ($2)) and queryid is not null and calls > 0
       group by queryid order by "totalMs" desc limit ${LISTED}`,
      [database, [owner, ...logins, ...readLogins]],
    );
    const [first] = rows;
    const statements = rows.map(({ id, text, calls, meanMs, maxMs, totalMs, rows: count }) => ({
      id,
      text,
      calls: Number(calls),
      meanMs: Number(meanMs),
      maxMs: Number(maxMs),
      totalMs: Number(totalMs),
      rows: Number(count),
    }));
    return { since: first?.since ?? null, totalMs: Number(first?.total ?? 0), statements };
  } catch (error) {
    if (errorCode(error) === NOT_LOADED) return undefined;
    throw error;
  }
};
