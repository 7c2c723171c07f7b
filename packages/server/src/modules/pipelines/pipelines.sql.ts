/** Reads of pipelines, in the contract's shape. */
import { setTimeout as delay } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import type { Page } from '@slipway/contract/fields.ts';
import {
  isActive,
  type LogEntry,
  type PipelineRun,
  type PipelineState,
  type PipelineStep,
  type StepMessage,
} from '@slipway/contract/pipeline.ts';
import type { Actor } from '@slipway/contract/rights.ts';
import { subjectView } from '@slipway/contract/subject-view.ts';
import { stepMessageOf, stepNameOf, withoutLogs } from '@slipway/contract/steps.ts';
import type { DB } from '#db/types.ts';
import { pageOf } from '#kernel/page.ts';
import { Problem } from '#kernel/problem.ts';
import { subjectOfRow } from '#modules/activity/index.ts';
import { canOf, hiddenKinds, isShown, logRule, ownedOf } from './pipeline-rights.ts';
import { usualMsOf, type UsualMs } from './usual-durations.ts';

const AWAIT_MS = 30_000;
const AWAIT_POLL_MS = 20;
const LOG_LINES = 1000;

interface StepView {
  readonly code: string;
  readonly state: PipelineStep['state'];
  readonly message: StepMessage | null;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly is_point_of_no_return: boolean;
}

interface RunView {
  readonly run_id: string;
  readonly number: number;
  readonly state: PipelineState;
  readonly created_at: string;
  readonly created_by_name: string;
}

const runs = (db: Kysely<DB>) =>
  db
    .selectFrom('pipeline_run as run')
    .innerJoin('pipeline', 'pipeline.id', 'run.pipeline_id')
    .select([
      'pipeline.id as pipeline_id',
      'pipeline.type',
      'pipeline.team_id',
      'pipeline.subject_kind',
      'pipeline.subject_names',
      'pipeline.subject_keys',
      'pipeline.trigger',
      'pipeline.facts',
      'pipeline.created_by as pipeline_created_by',
      'run.run_id',
      'run.subject',
      'run.state',
      'run.status_message',
      'run.created_at',
      'run.created_by',
      'run.created_by_name',
      'run.started_at',
      'run.ended_at',
    ])
    .select([
      sql<
        StepView[]
      >`(select coalesce(json_agg(step order by step.index), '[]') from pipeline_step as step where step.run_id = run.run_id)`.as('steps'),
      sql<
        RunView[]
      >`(select json_agg(every order by every.number desc) from pipeline_run as every where every.pipeline_id = pipeline.id)`.as('runs'),
    ]);
type Row = Awaited<ReturnType<ReturnType<typeof runs>['execute']>>[number];

const latestOnly = sql<boolean>`not exists (
  select 1 from pipeline_run as newer where newer.pipeline_id = run.pipeline_id and newer.number > run.number)`;

/** The latest run of a pipeline, or the one asked for. Undefined when there is none. */
export async function pipelineRun(db: Kysely<DB>, pipelineId: string, actor: Actor, runId?: string): Promise<PipelineRun | undefined> {
  const query = runs(db).where('pipeline.id', '=', pipelineId);
  const row = await (runId === undefined ? query.where(latestOnly) : query.where('run.run_id', '=', runId)).executeTakeFirst();
  if (!row || !isShown(actor, { kind: row.subject_kind, team: row.team_id })) return undefined;
  return runOf(row, await usualMsOf(db, row.type, row.subject), actor);
}

/** The run that a write has just started, for its answer. Throws PipelineDoesNotExist. */
export async function runFor(db: Kysely<DB>, pipelineId: string, actor: Actor): Promise<PipelineRun> {
  const run = await pipelineRun(db, pipelineId, actor);
  if (!run) throw new Problem('PipelineDoesNotExist');
  return run;
}

/** The run once it has ended, or as it is after `timeoutMs`. */
export async function awaitRun(db: Kysely<DB>, pipelineId: string, actor: Actor, timeoutMs = AWAIT_MS): Promise<PipelineRun> {
  const deadline = performance.now() + timeoutMs;
  const state = db.selectFrom('pipeline_run').select('state').where('pipeline_id', '=', pipelineId).orderBy('number', 'desc').limit(1);
  for (;;) {
    const row = await state.executeTakeFirst();
    if (!row || !isActive(row.state as PipelineState) || performance.now() > deadline) return runFor(db, pipelineId, actor);
    await delay(AWAIT_POLL_MS);
  }
}

export interface PipelineFilter {
  readonly active?: boolean;
  readonly team?: string | undefined;
  readonly app?: string | undefined;
  /** A key of the contract: of the subject, or of what it lies in, by name or by row. */
  readonly subject?: string | undefined;
  /** Part of the type, or of a name in the subject's address. */
  readonly query?: string | undefined;
  readonly state?: string | readonly string[] | undefined;
  readonly type?: string | readonly string[] | undefined;
  readonly trigger?: string | readonly string[] | undefined;
  /** `createdAt`, or the newest first. */
  readonly sort?: string | undefined;
  readonly page: number;
  readonly size: number;
}

/** Latest runs, the newest first. */
export async function runPage(db: Kysely<DB>, filter: PipelineFilter, actor: Actor): Promise<Page<PipelineRun>> {
  let query = runs(db).where(latestOnly);
  const hidden = actor.isAdministrator ? [] : hiddenKinds();
  if (hidden.length > 0) {
    query = query.where(
      sql<boolean>`(coalesce(pipeline.subject_kind, '') <> all (${hidden}) or pipeline.team_id = any (${[...actor.memberOf]}))`,
    );
  }
  if (filter.active) query = query.where(sql<boolean>`run.state in ('QUEUED', 'PENDING', 'RUNNING')`);
  if (filter.state !== undefined) query = query.where('run.state', 'in', [filter.state].flat());
  if (filter.type !== undefined) query = query.where('pipeline.type', 'in', [filter.type].flat());
  if (filter.trigger !== undefined) query = query.where('pipeline.trigger', 'in', [filter.trigger].flat());
  if (filter.team !== undefined) query = query.where('pipeline.team_id', '=', filter.team);
  if (filter.app !== undefined) query = query.where('pipeline.app_id', '=', filter.app);
  if (filter.subject !== undefined) query = query.where(sql<boolean>`pipeline.subject_keys @> array[${filter.subject}]`);
  if (filter.query) {
    const like = `%${filter.query.replace(/[\\%_]/g, '\\$&')}%`;
    query = query.where((at) =>
      at.or([
        at('pipeline.type', 'ilike', like),
        sql<boolean>`exists (select 1 from jsonb_each_text(pipeline.subject_names) as part
          where part.key <> 'env' and part.value ilike ${like})`,
      ]),
    );
  }
  const { count } = await query
    .clearSelect()
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const direction = filter.sort === 'createdAt' ? 'asc' : 'desc';
  const rows = await query
    .orderBy('run.created_at', direction)
    .orderBy('run.run_id', direction)
    .limit(filter.size)
    .offset(filter.page * filter.size)
    .execute();
  const content = await Promise.all(rows.map(async (row) => runOf(row, await usualMsOf(db, row.type, row.subject), actor)));
  return pageOf(content, count, filter);
}

/** Lines after the number `after`, oldest first, at most a thousand. `step` is a code or an index; an unknown one has no lines. */
export async function stepLogs(db: Kysely<DB>, runId: string, step: string, after: number): Promise<LogEntry[]> {
  const isIndex = /^\d{1,4}$/.test(step);
  const rows = await db
    .selectFrom('pipeline_log as line')
    .innerJoin('pipeline_step as step', (on) => on.onRef('step.run_id', '=', 'line.run_id').onRef('step.index', '=', 'line.step_index'))
    .select(['line.number', 'line.at', 'line.level', 'line.line'])
    .where('line.run_id', '=', runId)
    .where((at) => (isIndex ? at('step.index', '=', Number(step)) : at('step.code', '=', step)))
    .where('line.number', '>', after)
    .orderBy('line.number')
    .limit(LOG_LINES)
    .execute();
  return rows.map(({ number, at, level, line }) => ({ number, at: at.toISOString(), level: level as LogEntry['level'], line }));
}

function runOf(row: Row, usual: UsualMs, actor: Actor): PipelineRun {
  const owned = ownedOf({ type: row.type, team: row.team_id, createdBy: row.pipeline_created_by });
  const mayReadLogs = logRule(actor, owned) === true;
  const shown = <M extends StepMessage>(message: M | null): M | null => (message && !mayReadLogs ? withoutLogs(message) : message);
  const steps = row.steps.map((step) => stepOf({ ...step, message: shown(step.message) }, usual));
  const status = { state: row.state as PipelineState, steps };
  const failure = shown(row.status_message as (StepMessage & { step: string }) | null);
  return {
    pipelineId: row.pipeline_id,
    runId: row.run_id,
    pipelineType: row.type,
    status,
    statusMessage: failure ? stepMessageOf(failure.step, failure) || null : null,
    creationTimestamp: row.created_at.toISOString(),
    startedAt: row.started_at?.toISOString() ?? null,
    endedAt: row.ended_at?.toISOString() ?? null,
    subject: aboutOf(row),
    facts: row.facts as Record<string, string>,
    createdBy: { id: row.created_by, displayName: row.created_by_name },
    trigger: row.trigger,
    runs: row.runs.map((every) => ({
      runId: every.run_id,
      number: every.number,
      state: every.state,
      creationTimestamp: new Date(every.created_at).toISOString(),
      createdBy: every.created_by_name,
    })),
    can: canOf(actor, owned, { status }),
  };
}

/** The names that answers had before there were kinds stand beside the subject. */
function aboutOf(row: Row): PipelineRun['subject'] {
  const subject = subjectOfRow(row) ?? { kind: '', names: {} };
  const { app = null, env = null, service = null, revision = null } = subject.names;
  return { ...subjectView(subject), team: row.team_id, app, env, service, revision };
}

const stepOf = (step: StepView, usual: UsualMs): PipelineStep => ({
  name: stepNameOf(step.code),
  code: step.code,
  state: step.state,
  message: step.message,
  startedAt: step.started_at === null ? null : new Date(step.started_at).toISOString(),
  endedAt: step.ended_at === null ? null : new Date(step.ended_at).toISOString(),
  usualMs: usual.get(step.code) ?? null,
  isPointOfNoReturn: step.is_point_of_no_return,
});
