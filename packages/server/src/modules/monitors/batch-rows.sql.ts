/** Inserts the rows of a batch: one statement per table, with the rows as JSON. */
import type { PoolClient } from 'pg';
import type { Frame } from './payload.ts';

export interface EventRow {
  readonly monitor_id: string;
  readonly retention_days: number;
  readonly at: string;
  readonly session_id: string;
  readonly kind: string;
  readonly name: string;
  readonly page: string;
  readonly release: string;
  readonly value: number | null;
  readonly status: number | null;
  readonly message: string;
}
export interface SessionRow {
  readonly monitor_id: string;
  readonly id: string;
  user_hash: string | null;
  readonly browser: string;
  readonly os: string;
  readonly country: string | null;
  release: string;
  at: string;
  readonly pages: string[];
  views: number;
  errors: number;
}
export interface ErrorRow {
  readonly monitor_id: string;
  readonly id: string;
  readonly type: string;
  readonly message: string;
  readonly culprit: string;
  readonly frames: readonly Frame[];
  n: number;
  readonly first_at: string;
  readonly first_release: string;
  readonly last_at: string;
  readonly last_release: string;
}
export interface CountRow {
  readonly monitor_id: string;
  readonly metric: string;
  readonly dimension: string;
  readonly name: string;
  readonly hour: string;
  readonly bin: number;
  readonly rating: number;
  n: number;
}
export interface Batch {
  readonly events: EventRow[];
  readonly names: { readonly monitor_id: string; readonly dimension: string; readonly name: string }[];
  readonly sessions: SessionRow[];
  readonly errors: ErrorRow[];
  readonly users: { readonly monitor_id: string; readonly error_id: string; readonly user_hash: string }[];
  readonly counts: CountRow[];
}

const MAX_PAGES = 20;
const EVENTS = `insert into monitor_event (monitor_id, retention_days, at, session_id, kind, name, page, release, value, status, message)
  select * from json_to_recordset($1) as row (monitor_id text, retention_days smallint, at timestamptz, session_id text, kind text, name text,
    page text, release text, value double precision, status integer, message text)`;
const NAMES = `insert into monitor_name (monitor_id, dimension, name, last_on)
  select monitor_id, dimension, name, current_date from json_to_recordset($1) as row (monitor_id text, dimension text, name text)
  order by 1, 2, 3 on conflict (monitor_id, dimension, name) do update set last_on = current_date where monitor_name.last_on < current_date`;
/** A new session also counts as one, once, whichever replica sees it first. */
const SESSIONS = `with written as (
    insert into monitor_session as session (monitor_id, id, user_hash, browser, os, country, release, started_at, last_at, pages, views, errors)
    select monitor_id, id, user_hash, browser, os, country, release, at, at, pages, views, errors
    from json_to_recordset($1) as row (monitor_id text, id text, user_hash text, browser text, os text, country text, release text,
      at timestamptz, pages text[], views integer, errors integer)
    on conflict (monitor_id, id) do update set last_at = greatest(session.last_at, excluded.last_at), user_hash = coalesce(session.user_hash, excluded.user_hash),
      release = excluded.release, views = session.views + excluded.views, errors = session.errors + excluded.errors,
      pages = case when cardinality(session.pages) >= ${MAX_PAGES} or session.pages[cardinality(session.pages)] = excluded.pages[1]
          and cardinality(excluded.pages) <= 1 then session.pages
        else (session.pages || case when session.pages[cardinality(session.pages)] = excluded.pages[1] then excluded.pages[2:] else excluded.pages end)[1:${MAX_PAGES}] end
    returning monitor_id, started_at, xmax = 0 as is_new)
  insert into monitor_count_new (monitor_id, metric, dimension, name, hour, bin, rating, n)
  select monitor_id, 'SESSION', '', '', date_trunc('hour', started_at), 0, 0, count(*) from written where is_new group by monitor_id, date_trunc('hour', started_at)`;
const ERRORS = `insert into monitor_error as error (monitor_id, id, type, message, culprit, frames, n, first_at, first_release, last_at, last_release)
  select * from json_to_recordset($1) as row (monitor_id text, id text, type text, message text, culprit text, frames jsonb, n bigint,
    first_at timestamptz, first_release text, last_at timestamptz, last_release text)
  on conflict (id) do update set n = error.n + excluded.n, last_at = greatest(error.last_at, excluded.last_at), last_release = excluded.last_release,
    message = excluded.message, culprit = excluded.culprit, frames = excluded.frames,
    state = case when error.state = 'RESOLVED' and excluded.last_at > error.resolved_at then 'OPEN' else error.state end`;
const USERS = `insert into monitor_error_user (monitor_id, error_id, user_hash, last_on)
  select monitor_id, error_id, user_hash, current_date from json_to_recordset($1) as row (monitor_id text, error_id text, user_hash text)
  order by 1, 3, 2 on conflict (monitor_id, user_hash, error_id) do update set last_on = current_date where monitor_error_user.last_on < current_date`;
const COUNTS = `insert into monitor_count_new (monitor_id, metric, dimension, name, hour, bin, rating, n)
  select * from json_to_recordset($1) as row (monitor_id text, metric text, dimension text, name text, hour timestamptz, bin smallint,
    rating smallint, n integer)`;

export const insertBatch = async (client: PoolClient, batch: Batch): Promise<void> => {
  const statements: [string, readonly object[]][] = [
    [EVENTS, batch.events],
    [COUNTS, batch.counts],
    [NAMES, batch.names],
    [SESSIONS, batch.sessions],
    [ERRORS, batch.errors],
    [USERS, batch.users],
  ];
  for (const [text, rows] of statements) if (rows.length > 0) await client.query(text, [JSON.stringify(rows)]);
};
