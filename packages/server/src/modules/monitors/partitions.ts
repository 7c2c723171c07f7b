/** Partitions of events: one per retention and day (UTC). They are made ahead of time, and dropped when the retention has passed. */
import type { Pool } from 'pg';
import { retentionDays } from '@slipway/contract/monitoring/monitor.ts';

const DAY_MS = 86_400_000;
/** Days around today: payloads may be an hour old, and the next days are ready if no worker runs. */
const [FROM, TO] = [-1, 3];

const nameOf = (retention: number, day: Date): string => `monitor_event_${retention}_${day.toISOString().slice(0, 10).replaceAll('-', '')}`;
const dayAt = (now: Date, offset: number): Date => new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS + offset * DAY_MS);

const partitionNames = async (pool: Pool): Promise<string[]> => {
  const { rows } = await pool.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r' and relispartition
       and relname ~ '^monitor_event_[0-9]+_[0-9]{8}$'`,
  );
  return rows.map(({ name }) => name);
};

/** Runs statements that lock the whole table. They give up soon, so that writers do not queue behind them. */
const change = async (pool: Pool, statements: readonly string[]): Promise<void> => {
  for (const statement of statements) {
    // Several statements in one query are one transaction.
    await pool.query(`set local lock_timeout = '2s'; select pg_advisory_xact_lock(hashtextextended('monitor_event', 0)); ${statement}`);
  }
};

export const ensurePartitions = async (pool: Pool, now: Date): Promise<void> => {
  const known = new Set(await partitionNames(pool));
  const wanted = retentionDays.flatMap((retention) =>
    Array.from({ length: TO - FROM + 1 }, (_, index) => ({ retention, from: dayAt(now, FROM + index), to: dayAt(now, FROM + index + 1) })),
  );
  await change(
    pool,
    wanted
      .filter(({ retention, from }) => !known.has(nameOf(retention, from)))
      .map(
        ({ retention, from, to }) =>
          `create table if not exists ${nameOf(retention, from)} partition of monitor_event_${retention}
            for values from ('${from.toISOString()}') to ('${to.toISOString()}')`,
      ),
  );
};

/** Drops partitions whose newest event is older than their retention. */
export const dropOldPartitions = async (pool: Pool, now: Date): Promise<void> => {
  const old = (await partitionNames(pool)).filter((name) => {
    const [, retention = '', day = ''] = /_(\d+)_(\d{8})$/.exec(name) ?? [];
    const end = Date.parse(day.replace(/(\d{4})(\d\d)(\d\d)/, '$1-$2-$3T00:00:00Z')) + DAY_MS;
    return now.getTime() - end > Number(retention) * DAY_MS;
  });
  await change(
    pool,
    old.map((name) => `drop table if exists ${name}`),
  );
};
