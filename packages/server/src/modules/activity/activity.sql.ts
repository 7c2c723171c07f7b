/** Rows of the activity log. */
import { sql, type Kysely, type Selectable, type Transaction } from 'kysely';
import type { Activity, ActivityPage } from '@slipway/contract/activity.ts';
import { nameOf, subjectOfKey } from '@slipway/contract/kinds.ts';
import { pipelineTypeLabel } from '@slipway/contract/pipeline/pipeline-types.ts';
import { stepNameOf } from '@slipway/contract/pipeline/steps.ts';
import type { Subject } from '@slipway/contract/kernel/subject.ts';
import { subjectView, type SubjectView } from '@slipway/contract/subject-view.ts';
import type { DB } from '#db/types.ts';
import { cursorText, readCursor } from '#kernel/cursor.ts';
import { noteMade } from '#kernel/http/write-claim.ts';
import { newId } from '#kernel/ids.ts';
import { countTotal, likeOf, pageOf } from '#kernel/page.ts';
import { subjectColumns, subjectOfRow } from './subject-columns.ts';

export interface ActivityEntry {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly level?: Activity['level'];
  readonly actor: { readonly id: string; readonly displayName: string };
  readonly origin: Activity['origin'];
  readonly outcome: Activity['outcome'];
  /** Subject of the entry. Omitted for the platform itself. */
  readonly subject?: Subject | undefined;
  readonly pipelineId?: string | undefined;
  readonly before?: unknown;
  readonly after?: unknown;
}

const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

/** Writes the entry in the transaction of the change that it describes. */
export const recordActivity = async (db: Kysely<DB> | Transaction<DB>, entry: ActivityEntry): Promise<string> => {
  const id = newId('act');
  await db
    .insertInto('activity')
    .values({
      id,
      type: entry.type,
      reason: entry.reason,
      level: entry.level ?? 'INFO',
      message: entry.message,
      actor_id: entry.actor.id,
      actor_name: entry.actor.displayName,
      origin: entry.origin,
      outcome: entry.outcome,
      ...(entry.subject && subjectColumns(entry.subject)),
      pipeline_id: entry.pipelineId ?? null,
      before: json(entry.before),
      after: json(entry.after),
    })
    .execute();
  return id;
};

/** Records something that the platform did by itself. */
export const recordPlatformActivity = (
  db: Kysely<DB> | Transaction<DB>,
  entry: Omit<ActivityEntry, 'actor' | 'origin' | 'outcome'> & Partial<Pick<ActivityEntry, 'outcome'>>,
): Promise<string> =>
  recordActivity(db, { outcome: 'DONE', ...entry, actor: { id: 'platform', displayName: 'Slipway' }, origin: 'platform' });

/**
 * Records a write requested over HTTP: STARTED if a pipeline executes it, otherwise DONE. Call it in the write's transaction: it also lets
 * a retry with the same Idempotency-Key detect that the write was done.
 */
export const recordWrite = async (
  db: Kysely<DB> | Transaction<DB>,
  caller: ActivityEntry['actor'] & Pick<ActivityEntry, 'origin'>,
  entry: Omit<ActivityEntry, 'actor' | 'origin' | 'outcome'>,
): Promise<void> => {
  const outcome = entry.pipelineId ? 'STARTED' : 'DONE';
  const id = await recordActivity(db, { ...entry, actor: caller, origin: caller.origin, outcome });
  await noteMade(db, { entry: id, pipelineId: entry.pipelineId ?? null });
};

/** A finished pipeline run, with the fields for the log. */
export interface EndedRun {
  readonly pipelineId: string;
  readonly outcome: 'COMPLETED' | 'FAILED' | 'CANCELED';
  readonly failure: { readonly step: string } | undefined;
  readonly createdBy: ActivityEntry['actor'];
}
const outcomeWords = { COMPLETED: 'completed', FAILED: 'failed', CANCELED: 'was cancelled' } as const;

/** Records the outcome of a pipeline, in the transaction that ends its run. `type` and the subject are the pipeline's. */
export const recordRunOutcome = async (db: Kysely<DB> | Transaction<DB>, type: string, run: EndedRun): Promise<void> => {
  const pipeline = await db
    .selectFrom('pipeline')
    .select(['team_id', 'subject_kind', 'subject_names', 'subject_keys'])
    .where('id', '=', run.pipelineId)
    .executeTakeFirst();
  const subject = pipeline && subjectOfRow(pipeline);
  const where = run.failure ? ` at “${stepNameOf(run.failure.step)}”` : '';
  await recordActivity(db, {
    type,
    reason: run.outcome,
    level: run.outcome === 'FAILED' ? 'ERROR' : 'INFO',
    message: `${pipelineTypeLabel(type) ?? type} for ${subject ? nameOf(subject) : ''} ${outcomeWords[run.outcome]}${where}`,
    actor: run.createdBy,
    origin: 'pipeline',
    outcome: run.outcome === 'COMPLETED' ? 'DONE' : 'FAILED',
    pipelineId: run.pipelineId,
    subject,
  });
};

export interface ActivityFilter {
  readonly app?: string | undefined;
  /** Includes deleted apps of this id, whichever team owned them. Only for operators. */
  readonly withFormerApps?: boolean;
  readonly env?: string | undefined;
  readonly team?: string | undefined;
  readonly service?: string | undefined;
  /** Subject key of the contract, for the subject or its parent. */
  readonly subject?: string | undefined;
  readonly level?: Activity['level'] | undefined;
  readonly query?: string | undefined;
  readonly type?: string | undefined;
  readonly reason?: string | undefined;
  readonly actor?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Cursor of the previous page. Page numbers count from there. */
  readonly after?: string | undefined;
  readonly page: number;
  readonly size: number;
}

type Scope = Pick<ActivityFilter, 'app' | 'withFormerApps' | 'env' | 'team'>;
/** Selects the log of an app, environment or team, before filters. */
const scopeOf = (db: Kysely<DB>, { app, withFormerApps = false, env, team }: Scope) => {
  let rows = db.selectFrom('activity');
  if (app !== undefined) rows = rows.where('activity.app_id', '=', app);
  if (app !== undefined && !withFormerApps) {
    // Excludes entries of a former app with this id, which may belong to another team. They are in that team's log.
    const since = db.selectFrom('app').select('app.created_at').where('app.id', '=', app);
    rows = rows.where('activity.at', '>=', since);
  }
  if (env !== undefined) rows = rows.where((at) => at.or([at('activity.environment', '=', env), at('activity.environment', 'is', null)]));
  return team === undefined ? rows : rows.where('activity.team_id', '=', team);
};

/** Newest first. An app's log includes entries without an environment (its creation, a team change). */
export const selectActivities = (db: Kysely<DB>, filter: Omit<ActivityFilter, 'page' | 'size'>) => {
  let rows = scopeOf(db, filter);
  if (filter.service !== undefined) rows = rows.where(sql<boolean>`activity.subject_names ->> 'service' = ${filter.service}`);
  if (filter.subject !== undefined) rows = rows.where(sql<boolean>`activity.subject_keys @> array[${filter.subject}]`);
  if (filter.level !== undefined) rows = rows.where('activity.level', '=', filter.level);
  if (filter.type !== undefined) rows = rows.where('activity.type', '=', filter.type);
  if (filter.reason !== undefined) rows = rows.where('activity.reason', '=', filter.reason);
  if (filter.actor !== undefined) rows = rows.where('activity.actor_id', '=', filter.actor);
  if (filter.from !== undefined) rows = rows.where('activity.at', '>=', new Date(filter.from));
  if (filter.to !== undefined) rows = rows.where('activity.at', '<', new Date(filter.to));
  if (filter.query !== undefined) rows = rows.where('activity.message', 'ilike', likeOf(filter.query));
  return rows;
};

/** Maximum number of newest entries that filters other than time search. */
const SEARCHED = 10_000;
/** Bounds the cost of a filter without matches, because a log may go back for years. `from` and `to` move the searched range. */
const amongNewest = (db: Kysely<DB>, filter: ActivityFilter) => {
  const { level, service, subject, type, reason, actor, query, from, to } = filter;
  const rows = selectActivities(db, filter);
  // An index covers a subject's entries.
  if (subject !== undefined) return rows;
  if ([level, service, type, reason, actor, query].every((value) => value === undefined)) return rows;
  const newest = selectActivities(db, { ...scopeNames(filter), from, to })
    .select('activity.at')
    .orderBy('activity.at', 'desc');
  return rows.where(sql<boolean>`activity.at >= coalesce((${newest.offset(SEARCHED - 1).limit(1)}), '-infinity')`);
};
const scopeNames = ({ app, withFormerApps = false, env, team }: ActivityFilter): Scope => ({
  withFormerApps,
  ...(app === undefined ? {} : { app }),
  ...(env === undefined ? {} : { env }),
  ...(team === undefined ? {} : { team }),
});

/** Maximum number of choices per filter, collected from the newest entries. */
const FACETS = 200;
const FACET_ENTRIES = 1000;
const facetsOf = async (db: Kysely<DB>, filter: ActivityFilter): Promise<ActivityPage['facets']> => {
  const rows = await scopeOf(db, filter)
    .select(['activity.type', 'activity.reason', 'activity.actor_id', 'activity.actor_name'])
    .select(sql<string | null>`activity.subject_keys[1]`.as('subject'))
    .orderBy('activity.at', 'desc')
    .orderBy('activity.id', 'desc')
    .limit(FACET_ENTRIES)
    .execute();
  const distinct = (values: readonly string[]) => [...new Set(values)].toSorted().slice(0, FACETS);
  const actors = new Map(rows.map((row) => [row.actor_id, row.actor_name]));
  return {
    types: distinct(rows.map((row) => row.type)),
    reasons: distinct(rows.map((row) => row.reason)),
    actors: [...actors].slice(0, FACETS).map(([id, displayName]) => ({ id, displayName })),
    subjects: distinct(rows.flatMap(({ subject }) => subject ?? [])).flatMap((key) => {
      const found = subjectOfKey(key);
      return found ? [subjectView(found)] : [];
    }),
  };
};

export const activityPage = async (db: Kysely<DB>, filter: ActivityFilter): Promise<ActivityPage> => {
  let rows = amongNewest(db, filter);
  if (filter.after !== undefined) {
    const after = readCursor(filter.after);
    rows = rows.where(sql<boolean>`(activity.at, activity.id) < (${after.at}::timestamptz, ${after.key})`);
  }
  const total = await countTotal(db, rows.select('activity.id'));
  const found = await rows
    .selectAll('activity')
    .select(sql<string>`to_char(activity.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`.as('exact_at'))
    .orderBy('activity.at', 'desc')
    .orderBy('activity.id', 'desc')
    .limit(filter.size)
    .offset(filter.page * filter.size)
    .execute();
  const page = pageOf(found.map(activityOf), total, filter);
  const last = found.at(-1);
  const next = last && !page.last ? cursorText({ at: last.exact_at, key: last.id }) : null;
  return { ...page, next, facets: await facetsOf(db, filter) };
};

type Row = Selectable<DB['activity']>;
const viewOf = (row: Row): SubjectView | null => {
  const subject = subjectOfRow(row);
  return subject ? subjectView(subject) : null;
};
const serviceOf = (row: Row): string | null => subjectOfRow(row)?.names['service'] ?? null;
export const activityOf = (row: Row): Activity => ({
  id: row.id,
  at: row.at.toISOString(),
  type: row.type,
  reason: row.reason,
  level: row.level,
  message: row.message,
  actor: { id: row.actor_id, displayName: row.actor_name },
  origin: row.origin,
  outcome: row.outcome,
  team: row.team_id,
  app: row.app_id,
  env: row.environment,
  service: serviceOf(row),
  pipelineId: row.pipeline_id,
  subject: viewOf(row),
  before: row.before,
  after: row.after,
});
