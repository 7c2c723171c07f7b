/** Sessions with their events, and the deletion of everything that is stored about a person. */
import { sql } from 'kysely';
import { maxSessionEvents, type MonitorSession, type SessionEvent } from '@slipway/contract/monitoring/readings.ts';
import type { Db } from '#db/database.ts';
import { Problem } from '#kernel/problem.ts';

const MAX_LISTED = 100;
const MAX_ERASED = 500;
/** Times of events may be an hour before their payload arrived. */
const SKEW_HOURS = 1;

interface Row extends Omit<MonitorSession, 'user' | 'startedAt' | 'lastAt'> {
  readonly user_hash: string | null;
  readonly started_at: Date;
  readonly last_at: Date;
}
const toView = ({
  id,
  user_hash: user,
  browser,
  os,
  country,
  release,
  started_at: started,
  last_at: last,
  pages,
  views,
  errors,
}: Row): MonitorSession => ({
  id,
  user,
  browser,
  os,
  country,
  release,
  startedAt: started.toISOString(),
  lastAt: last.toISOString(),
  pages,
  views,
  errors,
});

export const listSessions = async (db: Db, monitor: string, hasErrors: boolean): Promise<MonitorSession[]> => {
  const { rows } = await sql<Row>`select * from monitor_session where monitor_id = ${monitor} and ${hasErrors ? sql`errors > 0` : sql`true`}
    order by last_at desc limit ${MAX_LISTED}`.execute(db);
  return rows.map(toView);
};

export const readSession = async (
  db: Db,
  monitor: string,
  id: string,
): Promise<MonitorSession & { events: SessionEvent[]; isCut: boolean }> => {
  const { rows } = await sql<Row>`select * from monitor_session where monitor_id = ${monitor} and id = ${id}`.execute(db);
  const [session] = rows;
  if (!session) throw new Problem('MonitorSessionDoesNotExist');
  const { rows: events } = await sql<Omit<SessionEvent, 'at'> & { at: Date }>`
    select at, kind, name, page, value, status, message from monitor_event
    where monitor_id = ${monitor} and session_id = ${id} and at >= ${session.started_at}::timestamptz - make_interval(hours => ${SKEW_HOURS})
      and at <= ${session.last_at}::timestamptz + make_interval(hours => ${SKEW_HOURS})
    order by at limit ${maxSessionEvents + 1}`.execute(db);
  return {
    ...toView(session),
    events: events.slice(0, maxSessionEvents).map((event) => ({ ...event, at: event.at.toISOString() })),
    isCut: events.length > maxSessionEvents,
  };
};

/** Deletes the sessions of a person with their events, some at a time. */
export const erasePerson = async (trx: Db, monitor: string, user: string): Promise<{ sessions: number; isMore: boolean }> => {
  const { rows } = await sql<{ id: string }>`delete from monitor_session where monitor_id = ${monitor} and id in (
      select id from monitor_session where monitor_id = ${monitor} and user_hash = ${user} limit ${MAX_ERASED}) returning id`.execute(trx);
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await sql`delete from monitor_event where monitor_id = ${monitor} and session_id = any(${ids})`.execute(trx);
  // Errors before the user was known were counted for the session.
  const hashes = [user, ...ids.map((id) => `s:${id}`)];
  await sql`delete from monitor_error_user where monitor_id = ${monitor} and user_hash = any(${hashes})`.execute(trx);
  return { sessions: ids.length, isMore: ids.length >= MAX_ERASED };
};
