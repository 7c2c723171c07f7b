/** Deletes runs that are both old and outnumbered by newer ones of their subject, and what the queue keeps of ended runs. */
import type pg from 'pg';

const KEEP_DAYS = 90;
const KEEP_PER_SUBJECT = 200;
const QUEUE_KEEP_MS = 3_600_000;
const BATCH = 500;

/** Answers how many runs were deleted: fewer than a batch when none is left. */
export async function deleteOldRuns(client: pg.ClientBase): Promise<{ deleted: number; isDone: boolean }> {
  const { rowCount } = await client.query(
    `delete from pipeline_run where run_id in (
       select run_id from (
         select run_id, ended_at, row_number() over (partition by subject order by created_at desc) as place from pipeline_run
       ) as ranked where ended_at < now() - make_interval(days => $1) and place > $2 limit $3)`,
    [KEEP_DAYS, KEEP_PER_SUBJECT, BATCH],
  );
  const deleted = rowCount ?? 0;
  // One that has just been made has its run in the same transaction, so an empty pipeline is an old one.
  await client.query(`delete from pipeline where not exists (select 1 from pipeline_run where pipeline_id = pipeline.id)`);
  return { deleted, isDone: deleted < BATCH };
}

/** Logs go by age alone: they are most of the bytes. */
export async function deleteOldLogs(client: pg.ClientBase): Promise<void> {
  await client.query(
    `delete from pipeline_log using pipeline_run as run
     where run.run_id = pipeline_log.run_id and run.ended_at < now() - make_interval(days => $1)`,
    [KEEP_DAYS],
  );
}

/** Ids of ended runs that the queue still remembers. */
export async function endedInQueue(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `select workflow_uuid as id from dbos.workflow_status
     where queue_name = 'pipelines' and status not in ('ENQUEUED', 'DELAYED', 'PENDING')
       and updated_at < extract(epoch from now()) * 1000 - $1
       and not exists (select 1 from pipeline_run where run_id = workflow_uuid and ended_at is null)
     limit $2`,
    [QUEUE_KEEP_MS, BATCH],
  );
  return rows.map(({ id }) => id);
}
