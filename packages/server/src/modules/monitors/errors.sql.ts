/** Errors in groups: list, detail with the translated stack, and state. */
import { sql } from 'kysely';
import type { ErrorState, MonitorError, MonitorErrorDetail } from '@slipway/contract/monitoring/readings.ts';
import type { Db } from '#db/database.ts';
import { Problem } from '#kernel/problem.ts';
import type { Frame } from './payload.ts';
import { translate } from './source-maps.ts';

const MAX_LISTED = 100;
const MAX_OCCURRENCES = 20;
const MAX_USERS = 1000;
const TREND_DAYS = 14;
const DAY_MS = 86_400_000;

interface Row {
  readonly id: string;
  readonly type: string;
  readonly message: string;
  readonly culprit: string;
  readonly frames: readonly Frame[];
  readonly state: ErrorState;
  readonly resolved_at: Date | null;
  readonly n: number;
  readonly users: number;
  readonly trend: readonly { readonly at: string; readonly n: number }[];
  readonly first_at: Date;
  readonly first_release: string;
  readonly last_at: Date;
  readonly last_release: string;
}
const trendOf = (days: Row['trend'], now: number): number[] => {
  const counts = new Map(days.map(({ at, n }) => [at.slice(0, 10), n]));
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  return Array.from({ length: TREND_DAYS }, (_, index) => {
    const day = new Date(today - (TREND_DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10);
    return counts.get(day) ?? 0;
  });
};
const toView = (row: Row): MonitorError => ({
  id: row.id,
  type: row.type,
  message: row.message,
  culprit: row.culprit,
  state: row.state,
  isBackAgain: row.state === 'OPEN' && row.resolved_at !== null,
  count: row.n,
  users: row.users,
  trend: trendOf(row.trend, Date.now()),
  firstAt: row.first_at.toISOString(),
  firstRelease: row.first_release,
  lastAt: row.last_at.toISOString(),
  lastRelease: row.last_release,
});

const rowsOf = async (db: Db, monitor: string, condition: ReturnType<typeof sql>): Promise<Row[]> => {
  const { rows } = await sql<Row>`select error.*,
      (select count(*)::integer from (select from monitor_error_user hit where hit.error_id = error.id limit ${MAX_USERS}) some_of_them) as users,
      (select coalesce(jsonb_agg(jsonb_build_object('at', to_char(at at time zone 'UTC', 'YYYY-MM-DD'), 'n', n)), '[]') from monitor_count count
        where count.monitor_id = error.monitor_id and step = 'DAY' and dimension = 'error' and metric = 'ERROR' and count.name = error.id
          and at > now() - make_interval(days => ${TREND_DAYS})) as trend
    from (select * from monitor_error where monitor_id = ${monitor} and ${condition} order by last_at desc, id limit ${MAX_LISTED}) error
    order by last_at desc, id`.execute(db);
  return rows;
};

export const listErrors = async (
  db: Db,
  monitor: string,
  state: ErrorState | undefined,
): Promise<{ content: MonitorError[]; total: number }> => {
  const condition = state === undefined ? sql`true` : sql`state = ${state}`;
  const { rows } = await sql<{ total: number }>`
    select count(*)::integer as total from monitor_error where monitor_id = ${monitor} and ${condition}`.execute(db);
  return { content: (await rowsOf(db, monitor, condition)).map(toView), total: rows[0]?.total ?? 0 };
};

export const readError = async (db: Db, monitor: string, id: string): Promise<MonitorErrorDetail> => {
  const [row] = await rowsOf(db, monitor, sql`id = ${id}`);
  if (!row) throw new Problem('MonitorErrorDoesNotExist');
  const { rows: found } = await sql<{ at: Date; page: string; release: string; session: string; message: string }>`
    select at, page, release, session_id as session, message from monitor_event
    where monitor_id = ${monitor} and name = ${id} and kind = 'ERROR' and at >= ${row.first_at}::timestamptz and at <= ${row.last_at}::timestamptz
    order by at desc limit ${MAX_OCCURRENCES}`.execute(db);
  return {
    ...toView(row),
    stack: await translate(db, monitor, row.last_release, row.frames),
    occurrences: found.map(({ at, session, ...rest }) => ({ ...rest, at: at.toISOString(), session: session || null })),
  };
};

export const setErrorState = async (db: Db, monitor: string, id: string, state: ErrorState): Promise<string> => {
  const { rows } = await sql<{ type: string }>`update monitor_error set state = ${state},
      resolved_at = case when ${state}::text = 'RESOLVED' then now() end
    where monitor_id = ${monitor} and id = ${id} returning type`.execute(db);
  if (!rows[0]) throw new Problem('MonitorErrorDoesNotExist');
  return rows[0].type;
};
