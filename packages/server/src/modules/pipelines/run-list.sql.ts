/**
 * Selects the runs on a page of pipelines: the latest run of each pipeline, newest first. Few matches are found and then sorted; many
 * are read in index order until the page is full. Counting stops at a thousand.
 */
import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Actor } from '@slipway/contract/kernel/rights.ts';
import type { DB } from '#db/types.ts';
import { cursorOf, exactInstant, keysetOf, timeKeys } from '#kernel/keyset.ts';
import { countedAtMost, countTotal, type Total } from '#kernel/page.ts';
import { fewMatches } from '#kernel/text-search.ts';
import { hiddenKinds } from './pipeline-rights.ts';

export interface PipelineFilter {
  readonly active?: boolean;
  readonly team?: string | undefined;
  readonly app?: string | undefined;
  /** Contract key of the subject or one of its parents, by name or row id. */
  readonly subject?: string | undefined;
  /** Part of the type, the app's or the service's name. */
  readonly query?: string | undefined;
  readonly state?: string | readonly string[] | undefined;
  readonly type?: string | readonly string[] | undefined;
  readonly trigger?: string | readonly string[] | undefined;
  /** `createdAt` for oldest first. Defaults to newest first. */
  readonly sort?: string | undefined;
  /** Cursor at the end of the previous page; `page` counts from there. */
  readonly after?: string | undefined;
  readonly page: number;
  readonly size: number;
}

export interface RunKeys {
  readonly runIds: readonly string[];
  readonly total: Total;
  /** Cursor at the end of this page. */
  readonly end: string | undefined;
}

type Condition = RawBuilder<boolean>;
const all = (conditions: readonly Condition[]): Condition =>
  conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(conditions, sql` and `)}`;
/** Compares a single value with `=`: only then does an index return the rows in order. */
const oneOf = (column: RawBuilder<unknown>, wanted: string | readonly string[] | undefined): Condition[] => {
  if (wanted === undefined) return [];
  const [first, ...more] = [wanted].flat();
  return [more.length === 0 ? sql<boolean>`${column} = ${first}` : sql<boolean>`${column} = any (${[first, ...more]})`];
};

const ofRun = ({ active, state }: PipelineFilter): Condition[] => [
  ...(active ? [sql<boolean>`run.state in ('QUEUED', 'PENDING', 'RUNNING')`] : []),
  ...oneOf(sql`run.state`, state),
];
const ofPipeline = ({ type, trigger, team, app, subject }: PipelineFilter): Condition[] => [
  ...oneOf(sql`pipeline.type`, type),
  ...oneOf(sql`pipeline.trigger`, trigger),
  ...oneOf(sql`pipeline.team_id`, team),
  ...oneOf(sql`pipeline.app_id`, app),
  ...(subject === undefined ? [] : [sql<boolean>`pipeline.subject_keys @> array[${subject}]`]),
];

/** Limits kinds that are hidden from non-members to pipelines of the caller's teams. */
const ofCaller = (actor: Actor): Condition[] => {
  const hidden = actor.isAdministrator ? [] : hiddenKinds();
  if (hidden.length === 0) return [];
  return [sql<boolean>`(coalesce(pipeline.subject_kind, '') <> all (${hidden}) or pipeline.team_id = any (${[...actor.memberOf]}))`];
};
/** Same as `ofCaller`, but per run in index order until the page is full. A join would read all pipelines first. */
const ofRunCaller = (actor: Actor): Condition[] =>
  ofCaller(actor).map((condition) => sql<boolean>`(select ${condition} from pipeline where pipeline.id = run.pipeline_id)`);

/** Maximum number of names passed as plain values: PostgreSQL knows which of them almost all pipelines have. */
const seenNames = 3;

/**
 * Matches by whole names that contain the text if there are few, using the index of names. More than `seenNames` go in a subselect:
 * PostgreSQL estimates that each unknown plain value matches half a percent of all pipelines, and would then read all of them.
 */
const ofText = async (db: Kysely<DB>, query: string | undefined): Promise<Condition[]> => {
  if (!query) return [];
  const names = await fewMatches(db, { table: 'pipeline_name', key: 'name', text: sql<string>`lower(name)` }, query);
  if (!names) return [sql<boolean>`position(lower(${query}) in lower(array_to_string(pipeline.names, E'\n'))) > 0`];
  return [sql<boolean>`pipeline.names && ${names.length > seenNames ? sql`(select ${names}::text[])` : sql`${names}::text[]`}`];
};

/** Sources of the latest runs. A filter on only one of the two tables reads only that table. */
const fromPipelines = { source: sql`pipeline`, runId: sql`pipeline.latest_run_id`, at: sql`pipeline.latest_at`, key: sql`pipeline.id` };
const fromRuns = { source: sql`pipeline_run run`, runId: sql`run.run_id`, at: sql`run.created_at`, key: sql`run.pipeline_id` };
const fromBoth = { ...fromPipelines, source: sql`pipeline join pipeline_run run on run.run_id = pipeline.latest_run_id` };

export const runKeys = async (db: Kysely<DB>, filter: PipelineFilter, actor: Actor): Promise<RunKeys> => {
  const byState = ofRun(filter);
  const others = [...ofPipeline(filter), ...(await ofText(db, filter.query))];
  const from = byState.length === 0 ? fromPipelines : others.length === 0 ? fromRuns : fromBoth;
  const { source, runId, at, key } = from;
  const isAscending = filter.sort === 'createdAt';
  const visible = from === fromRuns ? [sql<boolean>`run.is_latest`, ...ofRunCaller(actor)] : ofCaller(actor);
  const { from: behind } = keysetOf(timeKeys(at, key), !isAscending, filter.after);
  const where = all([...byState, ...others, ...visible, ...behind]);
  // Count runs of a state in index order. Otherwise PostgreSQL scans all runs for the first thousand.
  const counted = from === fromRuns ? sql`order by ${at} desc, ${key} desc limit ${countedAtMost + 1}` : sql``;
  const total = await countTotal(db, sql`select ${key} from ${source} where ${where} ${counted}`);
  // Sort few matches by an expression without an index, so that PostgreSQL uses the indexes of the filters.
  const order = total.isAtLeast ? at : sql`${at} + interval '0 seconds'`;
  const direction = isAscending ? sql`asc` : sql`desc`;
  const { rows } = await sql<{ run_id: string; key: string; at: string }>`
    select ${runId} as run_id, ${key} as key, ${exactInstant(at)} as at from ${source} where ${where}
    order by ${order} ${direction}, ${key} ${direction} limit ${filter.size} offset ${filter.page * filter.size}`.execute(db);
  const last = rows.at(-1);
  return { runIds: rows.map(({ run_id }) => run_id), total, end: last && cursorOf([last.at, last.key]) };
};
