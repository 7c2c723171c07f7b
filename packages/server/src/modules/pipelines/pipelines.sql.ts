/** Reads of pipelines, in the contract's shape. */
import { setTimeout as delay } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import {
  isActive,
  type LogEntry,
  type PipelinePage,
  type PipelineRun,
  type PipelineState,
  type PipelineStep,
  type StepMessage,
} from '@slipway/contract/pipeline/pipeline.ts';
import type { Actor } from '@slipway/contract/kernel/rights.ts';
import { subjectView } from '@slipway/contract/subject-view.ts';
import { stepMessageOf, stepNameOf, withoutLogs } from '@slipway/contract/pipeline/steps.ts';
import type { DB } from '#db/types.ts';
import { mapLimited } from '#kernel/map-limited.ts';
import { pageOf } from '#kernel/page.ts';
import { Problem } from '#kernel/problem.ts';
import { subjectOfRow } from '#modules/activity/index.ts';
import { canOf, isShown, logRule, ownedOf } from './pipeline-rights.ts';
import { runKeys, type PipelineFilter } from './run-list.sql.ts';
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
    if (!row || !isActive(row.state) || performance.now() > deadline) return runFor(db, pipelineId, actor);
    await delay(AWAIT_POLL_MS);
  }
}

/** Latest runs, the newest first. */
export async function runPage(db: Kysely<DB>, filter: PipelineFilter, actor: Actor): Promise<PipelinePage> {
  const { runIds, total, end } = await runKeys(db, filter, actor);
  const rows = runIds.length === 0 ? [] : await runs(db).where('run.run_id', 'in', runIds).execute();
  const byId = new Map(rows.map((row) => [row.run_id, row]));
  const inOrder = runIds.flatMap((runId) => byId.get(runId) ?? []);
  const content = await mapLimited(inOrder, async (row) => runOf(row, await usualMsOf(db, row.type, row.subject), actor));
  const page = pageOf(content, total, filter);
  return { ...page, next: page.last ? null : (end ?? null) };
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
  return rows.map(({ number, at, level, line }) => ({ number, at: at.toISOString(), level, line }));
}

function runOf(row: Row, usual: UsualMs, actor: Actor): PipelineRun {
  const owned = ownedOf({ type: row.type, team: row.team_id, createdBy: row.pipeline_created_by });
  const mayReadLogs = logRule(actor, owned) === true;
  const shown = <M extends StepMessage>(message: M | null): M | null => (message && !mayReadLogs ? withoutLogs(message) : message);
  const steps = row.steps.map((step) => stepOf({ ...step, message: shown(step.message) }, usual));
  const status = { state: row.state, steps };
  const failure = shown(row.status_message);
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
    facts: row.facts,
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
