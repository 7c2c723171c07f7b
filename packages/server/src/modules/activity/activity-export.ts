/** The activity log as a file: read in pages and sent as it is read, so that a long log needs no more memory than a short one. */
import { sql, type Kysely } from 'kysely';
import { maxExportedActivities, type Activity } from '@slipway/contract/activity.ts';
import type { DB } from '#db/types.ts';
import { activityOf, selectActivities, type ActivityFilter } from './activity.sql.ts';

const PAGE = 1000;
type Filter = Omit<ActivityFilter, 'page' | 'size'>;

/** Newest first, page by page; by instant and id, since entries come in while it is read. */
export async function* activities(db: Kysely<DB>, filter: Filter, most = maxExportedActivities): AsyncGenerator<Activity[]> {
  let after: { at: string; id: string } | undefined;
  for (let sent = 0; sent < most;) {
    let rows = selectActivities(db, filter).selectAll('activity');
    // As text: a JavaScript date has no microseconds, and would repeat or skip what happened in the same millisecond.
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
};

/**
 * RFC 4180. A spreadsheet would run what begins like a formula, and the log holds what people typed: an apostrophe makes it a text.
 */
export const csvField = (value: string): string => {
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const csvLine = (fields: readonly string[]): string => `${fields.map(csvField).join(',')}\r\n`;

/** With a header for CSV; one object a line for JSON. */
export async function* exportText(pages: AsyncIterable<readonly Activity[]>, format: 'csv' | 'json'): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(Object.keys(columns));
  const lineOf = (entry: Activity): string =>
    format === 'csv' ? csvLine(Object.values(columns).map((read) => read(entry))) : `${JSON.stringify(entry)}\n`;
  for await (const page of pages) yield page.map(lineOf).join('');
}
