/** Exports the activity log as a file. Streams it page by page, so memory use does not depend on its length. */
import { sql, type Kysely } from 'kysely';
import { maxExportedActivities, type Activity } from '@slipway/contract/activity.ts';
import type { DB } from '#db/types.ts';
import { csvLine } from '#kernel/csv.ts';
import { activityOf, selectActivities, type ActivityFilter } from './activity.sql.ts';

const PAGE = 1000;
type Filter = Omit<ActivityFilter, 'page' | 'size'>;

/** Yields pages, newest first. Pages continue by instant and id, because entries are added meanwhile. */
export async function* activities(db: Kysely<DB>, filter: Filter, most = maxExportedActivities): AsyncGenerator<Activity[]> {
  let after: { at: string; id: string } | undefined;
  for (let sent = 0; sent < most;) {
    let rows = selectActivities(db, filter).selectAll('activity');
    // A text, because a JavaScript date has no microseconds. It would repeat or skip entries of the same millisecond.
    if (after) rows = rows.where(sql<boolean>`(activity.at, activity.id) < (${after.at}::timestamptz, ${after.id})`);
    const found = await rows
      .select(sql<string>`activity.at::text`.as('exact_at'))
      .orderBy('activity.at', 'desc')
      .orderBy('activity.id', 'desc')
      .limit(Math.min(PAGE, most - sent))
      .execute();
    const last = found.at(-1);
    if (!last) return;
    yield found.map(activityOf);
    sent += found.length;
    after = { at: last.exact_at, id: last.id };
  }
}

const json = (value: unknown): string => (value === null ? '' : JSON.stringify(value));
const columns: Readonly<Record<string, (entry: Activity) => string>> = {
  at: (entry) => entry.at,
  type: (entry) => entry.type,
  reason: (entry) => entry.reason,
  level: (entry) => entry.level,
  outcome: (entry) => entry.outcome,
  message: (entry) => entry.message,
  actor: (entry) => entry.actor.displayName,
  actorId: (entry) => entry.actor.id,
  origin: (entry) => entry.origin,
  team: (entry) => entry.team ?? '',
  app: (entry) => entry.app ?? '',
  environment: (entry) => entry.env ?? '',
  service: (entry) => entry.service ?? '',
  pipelineId: (entry) => entry.pipelineId ?? '',
  before: (entry) => json(entry.before),
  after: (entry) => json(entry.after),
  subject: (entry) => entry.subject?.key ?? '',
  traceId: (entry) => entry.traceId ?? '',
};

/** CSV starts with a header. JSON has one object per line. */
export async function* exportText(pages: AsyncIterable<readonly Activity[]>, format: 'csv' | 'json'): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(Object.keys(columns));
  const lineOf = (entry: Activity): string =>
    format === 'csv' ? csvLine(Object.values(columns).map((read) => read(entry))) : `${JSON.stringify(entry)}\n`;
  for await (const page of pages) yield page.map(lineOf).join('');
}
