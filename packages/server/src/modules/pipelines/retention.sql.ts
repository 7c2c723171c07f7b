/** Deletes runs that are both old and outnumbered by newer ones of their subject, and old logs. */
import type pg from 'pg';
import { tryLock } from '#db/advisory-lock.ts';

const KEEP_DAYS = 90;
const KEEP_PER_SUBJECT = 200;
const BATCH = 500;

/** All that is due; by one replica at a time. */
export async function deleteOld(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  try {
    if (!(await tryLock(client, 'slipway:pipeline retention'))) return;
    for (let isDone = false; !isDone;) ({ isDone } = await deleteOldRuns(client));
    await deleteOldLogs(client);
  } finally {
    // The lock goes with the session.
    client.release(true);
  }
}

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
