/**
 * Writes of a replica about a run that it holds. Every statement checks the token of the lease and notifies the browsers, in one round trip
 * and one commit. False or undefined means that the lease is no longer valid.
 */
import type { StepMessage, StepState } from '@slipway/contract/pipeline/pipeline.ts';
import { sql, type Kysely } from 'kysely';
import type { Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { CHANGE_CHANNEL } from '#kernel/changes.ts';
import type { Lease } from './lease.ts';

export interface RunRow {
  readonly run_id: string;
  readonly pipeline_id: string;
  readonly number: number;
  /** Keys of the pipeline's subject. */
  readonly subject_keys: readonly string[];
  readonly input: object;
  readonly bag: object;
  readonly ending: 'FAILED' | 'CANCELED' | null;
  readonly status_message: (StepMessage & { step: string }) | null;
  readonly cancel_requested_at: Date | null;
  readonly cancel_requested_by_name: string | null;
  readonly created_by: string;
  readonly created_by_name: string;
  /** Trace context of the request that started the run. Null without tracing. */
  readonly trace_context: string | null;
  /** ChangeHint as JSON. */
  readonly hint: string;
}

export interface StepRow {
  readonly index: number;
  readonly code: string;
  readonly state: StepState;
  readonly is_point_of_no_return: boolean;
  readonly attempt: number;
  readonly undone_at: Date | null;
  readonly undo_failed_at: Date | null;
}

const json = (value: unknown) => sql`${JSON.stringify(value)}::jsonb`;
const held = (lease: Lease) => sql`run_id = ${lease.runId} and owner = ${lease.token} and state = 'RUNNING'`;
const tell = (lease: Lease) => sql`pg_notify(${CHANGE_CHANNEL}, ${lease.hint})`;
const messageOrNull = (message: StepMessage | undefined) => (message ? json(message) : sql`null::jsonb`);

export const stepRows = (db: Db, runId: string): Promise<StepRow[]> =>
  db
    .selectFrom('pipeline_step')
    .select(['index', 'code', 'state', 'is_point_of_no_return', 'attempt', 'undone_at', 'undo_failed_at'])
    .where('run_id', '=', runId)
    .orderBy('index')
    .execute();

export interface StepEnd {
  readonly index: number;
  readonly state: 'COMPLETED' | 'SKIPPED';
  readonly message: StepMessage | undefined;
  /** Merged into the run's state. */
  readonly bag: object;
}

/**
 * Ends a step and begins the next step, unless a cancellation came first. The cancellation and this write lock the run's row in turn, so a
 * point of no return never begins after its cancellation was accepted. Also returns undefined if the step is no longer in progress: the
 * database lost the last commits, or this write is repeated.
 */
export async function advance(lease: Lease, end: StepEnd, next: StepRow | undefined): Promise<{ isCancelled: boolean } | undefined> {
  const { rows } = await lease.pool.query<{ isCancelled: boolean }>({
    name: 'slipway advance run',
    text: ADVANCE,
    values: [
      lease.runId,
      lease.token,
      JSON.stringify(end.bag),
      end.index,
      end.state,
      end.message ? JSON.stringify(end.message) : null,
      next?.index ?? -1,
      lease.hint,
      next?.is_point_of_no_return ? 'on' : 'off',
    ],
  });
  return rows[0];
}

/**
 * Runs as a named statement, so that PostgreSQL plans it once per session, and with a commit that does not wait for the disk. NOTIFY makes
 * commits wait for each other. With a flush in each commit, all runs of a platform together reached about fifty a second. If the database
 * crashes, the last half second of progress is lost and its steps run again, as after a crash of the replica. The start, the beginning of a
 * point of no return, and the end must never be lost, so they are flushed.
 */
const ADVANCE = `
  with run as (
    update pipeline_run set bag = bag || $3::jsonb
    where run_id = $1 and owner = $2 and state = 'RUNNING'
      and exists (select 1 from pipeline_step where run_id = $1 and index = $4 and state = 'RUNNING')
    returning run_id, cancel_requested_at
  ), ended as (
    update pipeline_step set state = $5, message = $6::jsonb, ended_at = now()
    from run where pipeline_step.run_id = $1 and index = $4
  ), begun as (
    update pipeline_step set state = 'RUNNING', attempt = greatest(attempt, 1), started_at = coalesce(started_at, now())
    from run where pipeline_step.run_id = $1 and index = $7 and run.cancel_requested_at is null
  ) select cancel_requested_at is not null as "isCancelled", pg_notify('${CHANGE_CHANNEL}', $8),
      set_config('synchronous_commit', $9, true) from run`;

/** Records that the step in progress is about to be tried again. */
export async function recordAttempt(lease: Lease, index: number, attempt: number, message: StepMessage): Promise<boolean> {
  const { rows } = await sql`
    with step as (
      update pipeline_step set attempt = ${attempt}, message = ${json(message)}
      where run_id = ${lease.runId} and index = ${index} and exists (select 1 from pipeline_run where ${held(lease)}) returning 1
    ) select ${tell(lease)} from step`.execute(lease.db);
  return rows.length > 0;
}

/** Decides how the run will end. `stopped` is a step that ended in the middle. Undos follow. */
export async function beginEnding(
  lease: Lease,
  ending: 'FAILED' | 'CANCELED',
  stopped: { index: number; code: string; message: StepMessage } | undefined,
): Promise<boolean> {
  const status = stopped ? json({ step: stopped.code, ...stopped.message }) : sql`status_message`;
  const { rows } = await sql`
    with run as (
      update pipeline_run set ending = ${ending}, status_message = ${status} where ${held(lease)} returning run_id
    ), step as (
      update pipeline_step set state = ${ending}, message = ${messageOrNull(stopped?.message)}, ended_at = now(),
        started_at = coalesce(started_at, now())
      from run where pipeline_step.run_id = run.run_id and index = ${stopped?.index ?? -1}
    ) select ${tell(lease)} from run`.execute(lease.db);
  return rows.length > 0;
}

/** Records that a step's undo has ended. The step that failed keeps its message, which says why the run failed. */
export async function recordUndo(lease: Lease, index: number, isDone: boolean, message: StepMessage): Promise<boolean> {
  const { rows } = await sql`
    with step as (
      update pipeline_step set undone_at = case when ${isDone} then now() end, undo_failed_at = case when ${isDone} then null else now() end,
        message = case when state = 'COMPLETED' then ${json(message)} else message end
      where run_id = ${lease.runId} and index = ${index} and exists (select 1 from pipeline_run where ${held(lease)}) returning 1
    ) select ${tell(lease)} from step`.execute(lease.db);
  return rows.length > 0;
}

/**
 * Writes the end of a run, and of the step that has just ended, if any. Steps that were not reached become SKIPPED, or CANCELED with the
 * run. Also returns false if the run is completed but a cancellation came first.
 */
export async function endRun(
  trx: Kysely<DB>,
  lease: Lease,
  outcome: 'COMPLETED' | 'FAILED' | 'CANCELED',
  last: StepEnd | undefined,
): Promise<boolean> {
  const isLastRunning = sql`cancel_requested_at is null and exists (
    select 1 from pipeline_step where run_id = ${lease.runId} and index = ${last?.index ?? -1} and state = 'RUNNING')`;
  const { rows } = await sql`
    with run as (
      update pipeline_run set state = ${outcome}, ended_at = now(), bag = bag || ${json(last?.bag ?? {})}
      where ${held(lease)} and ${last ? isLastRunning : sql`true`} returning run_id
    ), ended as (
      update pipeline_step set state = ${last?.state ?? ''}, message = ${messageOrNull(last?.message)}, ended_at = now()
      from run where pipeline_step.run_id = run.run_id and index = ${last?.index ?? -1}
    ), step as (
      update pipeline_step set state = ${outcome === 'CANCELED' ? 'CANCELED' : 'SKIPPED'}
      from run where pipeline_step.run_id = run.run_id and pipeline_step.state = 'PENDING'
    ) select ${tell(lease)} from run`.execute(trx);
  return rows.length > 0;
}

export async function addFacts(lease: Lease, facts: Record<string, string>): Promise<boolean> {
  const { rows } = await sql`
    with reported as (
      update pipeline set facts = facts || ${json(facts)}
      where id = ${lease.pipelineId} and exists (select 1 from pipeline_run where ${held(lease)}) returning 1
    ) select ${tell(lease)} from reported`.execute(lease.db);
  return rows.length > 0;
}
