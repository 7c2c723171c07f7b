/** Rows of the activity log. */
import type { Kysely, Transaction } from 'kysely';
import type { Activity } from '@slipway/contract/activity.ts';
import type { Page } from '@slipway/contract/fields.ts';
import { pipelineTypeNames, stepNameOf } from '@slipway/contract/steps.ts';
import type { DB } from '#db/types.ts';
import { newId } from '#kernel/ids.ts';
import { likeOf, pageOf } from '#kernel/page.ts';

export interface ActivityEntry {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly level?: Activity['level'];
  readonly actor: { readonly id: string; readonly displayName: string };
  readonly origin: Activity['origin'];
  readonly outcome: Activity['outcome'];
  readonly team?: string | undefined;
  readonly app?: string | undefined;
  readonly env?: string | undefined;
  readonly service?: string | undefined;
  readonly pipelineId?: string | undefined;
  readonly before?: unknown;
  readonly after?: unknown;
}

const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

/** Writes the entry in the same transaction as what it tells of. */
export const recordActivity = async (db: Kysely<DB> | Transaction<DB>, entry: ActivityEntry): Promise<void> => {
  await db
    .insertInto('activity')
    .values({
      id: newId('act'),
      type: entry.type,
      reason: entry.reason,
      level: entry.level ?? 'INFO',
      message: entry.message,
      actor_id: entry.actor.id,
      actor_name: entry.actor.displayName,
      origin: entry.origin,
      outcome: entry.outcome,
      team_id: entry.team ?? null,
      app_id: entry.app ?? null,
      environment: entry.env ?? null,
      service: entry.service ?? null,
      pipeline_id: entry.pipelineId ?? null,
      before: json(entry.before),
      after: json(entry.after),
    })
    .execute();
};

/** What somebody asked for over HTTP: STARTED where a pipeline carries it out, else DONE. */
export const recordWrite = (
  db: Kysely<DB> | Transaction<DB>,
  caller: ActivityEntry['actor'] & Pick<ActivityEntry, 'origin'>,
  entry: Omit<ActivityEntry, 'actor' | 'origin' | 'outcome'>,
): Promise<void> => recordActivity(db, { ...entry, actor: caller, origin: caller.origin, outcome: entry.pipelineId ? 'STARTED' : 'DONE' });

/** A pipeline run that has ended, as far as the log tells of it. */
export interface EndedRun {
  readonly pipelineId: string;
  readonly outcome: 'COMPLETED' | 'FAILED' | 'CANCELED';
  readonly failure: { readonly step: string } | undefined;
  readonly createdBy: ActivityEntry['actor'];
}
const outcomeWords = { COMPLETED: 'completed', FAILED: 'failed', CANCELED: 'was cancelled' } as const;

/** What came of a pipeline, in the transaction that ends its run. `type` is the pipeline's. */
export const recordRunOutcome = (
  db: Kysely<DB> | Transaction<DB>,
  type: string,
  run: EndedRun,
  about: Pick<ActivityEntry, 'team' | 'app' | 'env' | 'service'>,
): Promise<void> => {
  const name = about.service ?? about.app ?? about.team ?? '';
  const where = run.failure ? ` at “${stepNameOf(run.failure.step)}”` : '';
  return recordActivity(db, {
    type,
    reason: run.outcome,
    level: run.outcome === 'FAILED' ? 'ERROR' : 'INFO',
    message: `${pipelineTypeNames[type] ?? type} for ${name} ${outcomeWords[run.outcome]}${where}`,
    actor: run.createdBy,
    origin: 'pipeline',
    outcome: run.outcome === 'COMPLETED' ? 'DONE' : 'FAILED',
    pipelineId: run.pipelineId,
    ...about,
  });
};

export interface ActivityFilter {
  readonly app?: string;
  readonly env?: string;
  readonly team?: string;
  readonly service?: string | undefined;
  readonly level?: Activity['level'] | undefined;
  readonly query?: string | undefined;
  readonly page: number;
  readonly size: number;
}

/** Newest first. An app's log holds what has no environment too (its creation, a change of team). */
export const activityPage = async (db: Kysely<DB>, filter: ActivityFilter): Promise<Page<Activity>> => {
  let rows = db.selectFrom('activity');
  const { app } = filter;
  if (app !== undefined) {
    // An earlier app of this id, perhaps another team's, has left entries too: they are in that team's log.
    const since = db.selectFrom('app').select('app.created_at').where('app.id', '=', app);
    rows = rows.where('activity.app_id', '=', app).where('activity.at', '>=', since);
  }
  const { env } = filter;
  if (env !== undefined) rows = rows.where((at) => at.or([at('activity.environment', '=', env), at('activity.environment', 'is', null)]));
  if (filter.team !== undefined) rows = rows.where('activity.team_id', '=', filter.team);
  if (filter.service !== undefined) rows = rows.where('activity.service', '=', filter.service);
  if (filter.level !== undefined) rows = rows.where('activity.level', '=', filter.level);
  if (filter.query !== undefined) rows = rows.where('activity.message', 'ilike', likeOf(filter.query));
  const total = await rows.select((at) => at.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const found = await rows
    .selectAll('activity')
    .orderBy('activity.at', 'desc')
    .orderBy('activity.id', 'desc')
    .limit(filter.size)
    .offset(filter.page * filter.size)
    .execute();
  const content = found.map((row): Activity => ({
    id: row.id,
    at: row.at.toISOString(),
    type: row.type,
    reason: row.reason,
    level: row.level as Activity['level'],
    message: row.message,
    actor: { id: row.actor_id, displayName: row.actor_name },
    origin: row.origin as Activity['origin'],
    outcome: row.outcome as Activity['outcome'],
    team: row.team_id,
    app: row.app_id,
    env: row.environment,
    service: row.service,
    pipelineId: row.pipeline_id,
    before: row.before,
    after: row.after,
  }));
  return pageOf(content, Number(total.total), filter);
};
