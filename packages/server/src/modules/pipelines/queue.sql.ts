/**
 * The rows of the runs are the queue: a run waits while it is active and has no owner. Every worker holds an advisory lock on its executor
 * id, so a free lock on an id that owns runs means that the worker is dead.
 */
import { sql } from 'kysely';
import type pg from 'pg';
import { CHANGE_CHANNEL } from '#kernel/changes.ts';
import type { RunRow } from './run.sql.ts';

/** Channel that announces runs that wait (`start`) and cancellations (`cancel {runId}`) to every replica. */
export const PIPELINE_CHANNEL = 'slipway_pipeline';

export const announceStart = sql`pg_notify(${PIPELINE_CHANNEL}, 'start')`;

export const lockName = (executorId: string): string => `slipway:executor:${executorId}`;

/** The value of pipeline_run.owner. Each claim has another `random`. */
export const tokenOf = (executorId: string, random: string): string => `${executorId}:${random}`;
export const executorOf = (token: string): string => token.slice(0, token.lastIndexOf(':'));
const EXECUTOR = `regexp_replace(owner, ':[^:]*$', '')`;
const ACTIVE = `state in ('QUEUED', 'PENDING', 'RUNNING')`;

/** A run as it was taken. */
export interface ClaimedRun extends RunRow {
  readonly type: string;
  readonly crashes: number;
}

/**
 * Takes the run that has waited longest, of the types that this version knows, and begins the step where it stands. One a statement: at
 * the commit, triggers lock what the run is about, and two claims of several runs each could wait for one another.
 */
export async function claimRun(client: pg.ClientBase, token: string, types: readonly string[]): Promise<ClaimedRun | undefined> {
  const { rows } = await client.query<ClaimedRun>({ name: 'slipway claim run', text: CLAIM, values: [token, types] });
  return rows[0];
}

const CLAIM = `
  with waiting as (
    select run_id from pipeline_run where owner is null and ${ACTIVE} and type = any ($2)
    order by created_at limit 1 for no key update skip locked
  ), run as (
    update pipeline_run set owner = $1, state = 'RUNNING', started_at = coalesce(started_at, now())
    from waiting where pipeline_run.run_id = waiting.run_id returning pipeline_run.*
  ), step as (
    update pipeline_step set state = 'RUNNING', attempt = attempt + 1, started_at = coalesce(pipeline_step.started_at, now())
    from run where pipeline_step.run_id = run.run_id and run.ending is null and run.cancel_requested_at is null
      and pipeline_step.index = (select min(index) from pipeline_step where run_id = run.run_id and state in ('PENDING', 'RUNNING'))
  ), hinted as (
    select run.*, pipeline.subject_keys, (pipeline.subject_names || jsonb_strip_nulls(jsonb_build_object('kind', 'pipeline', 'about', pipeline.subject_kind,
      'team', pipeline.team_id, 'pipelineId', pipeline.id)))::text as hint
    from run join pipeline on pipeline.id = run.pipeline_id
  ) select hinted.*, pg_notify('${CHANGE_CHANNEL}', hinted.hint) from hinted`;

export interface OwnedRun {
  readonly owner: string;
  readonly is_cancelled: boolean;
}

/** All runs that a worker has taken, dead or alive. */
export async function ownedRuns(client: pg.ClientBase): Promise<OwnedRun[]> {
  const { rows } = await client.query<OwnedRun>({
    name: 'slipway owned runs',
    text: `select owner, cancel_requested_at is not null as is_cancelled from pipeline_run where owner is not null and ${ACTIVE}`,
  });
  return rows;
}

/** Frees the runs of a worker if it is dead. The statement holds the worker's lock, so that it cannot come back meanwhile. Answers how many. */
export async function freeRunsOfDead(client: pg.ClientBase, executorId: string): Promise<number> {
  const { rowCount } = await client.query(
    `update pipeline_run set owner = null, crashes = crashes + 1
     where owner is not null and ${ACTIVE} and ${EXECUTOR} = $1 and (select pg_try_advisory_xact_lock(hashtextextended($2, 0)))`,
    [executorId, lockName(executorId)],
  );
  return rowCount ?? 0;
}

/** Frees a run with which its worker cannot go on. Does nothing when another worker has the run by now, or it has ended. */
export async function giveBack(client: pg.Pool | pg.ClientBase, token: string): Promise<void> {
  await client.query(`update pipeline_run set owner = null, crashes = crashes + 1 where owner = $1 and ${ACTIVE}`, [token]);
}

/** Frees the runs of a worker that closes, and announces that they wait. */
export async function handOver(pool: pg.Pool, executorId: string): Promise<void> {
  await pool.query(
    `with freed as (
       update pipeline_run set owner = null, crashes = 0 where owner is not null and ${ACTIVE} and ${EXECUTOR} = $1 returning 1
     ) select pg_notify($2, 'start') from freed limit 1`,
    [executorId, PIPELINE_CHANNEL],
  );
}

/** For a restored database, whose owners are workers of the platform that was backed up. Answers how many runs wait. */
export async function freeAllRuns(client: pg.ClientBase): Promise<number> {
  const { rowCount } = await client.query(`update pipeline_run set owner = null, crashes = 0 where ${ACTIVE}`);
  return rowCount ?? 0;
}
