/** What a replica looks for twice a second on its presence session: the dead, the cancelled, and runs that nobody drives. */
import type pg from 'pg';

/** Other replicas that own runs; dead or alive. */
export async function otherOwners(client: pg.ClientBase, executorId: string): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `select distinct executor_id as id from dbos.workflow_status where status = 'PENDING' and queue_name = 'pipelines' and executor_id <> $1`,
    [executorId],
  );
  return rows.map(({ id }) => id);
}

/** Of the runs that are driven here: which are cancelled, and which have another owner or have ended. */
export async function looseRuns(
  client: pg.ClientBase,
  held: ReadonlyMap<string, string>,
): Promise<{ cancelled: string[]; lost: string[] }> {
  if (held.size === 0) return { cancelled: [], lost: [] };
  const { rows } = await client.query<{ run_id: string; is_lost: boolean; is_cancelled: boolean }>(
    `select held.run_id, (run.run_id is null or run.owner is distinct from held.token or run.ended_at is not null) as is_lost,
       coalesce(run.cancel_requested_at is not null, false) as is_cancelled
     from unnest($1::text[], $2::text[]) as held (run_id, token) left join pipeline_run as run on run.run_id = held.run_id
     where run.run_id is null or run.owner is distinct from held.token or run.ended_at is not null or run.cancel_requested_at is not null`,
    [[...held.keys()], [...held.values()]],
  );
  const idsOf = (is: 'is_lost' | 'is_cancelled') => rows.filter((row) => row[is]).map((row) => row.run_id);
  return { cancelled: idsOf('is_cancelled'), lost: idsOf('is_lost') };
}

/** Claimed by this replica, yet not running here: the claim's dispatch failed, or its database was away. */
export async function claimedHere(client: pg.ClientBase, executorId: string, olderThanMs: number): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `select workflow_uuid as id from dbos.workflow_status where status = 'PENDING' and queue_name = 'pipelines' and executor_id = $1
       and updated_at < extract(epoch from now()) * 1000 - $2`,
    [executorId, olderThanMs],
  );
  return rows.map(({ id }) => id);
}

/** Active runs that the queue has given up: too many replicas died of them. */
export async function strayRuns(client: pg.ClientBase): Promise<{ runId: string; type: string }[]> {
  const { rows } = await client.query<{ runId: string; type: string }>(
    `select run.run_id as "runId", run.type from pipeline_run as run left join dbos.workflow_status as queued on queued.workflow_uuid = run.run_id
     where run.state in ('QUEUED', 'PENDING', 'RUNNING') and run.created_at < now() - interval '5 seconds'
       and (queued.status is null or queued.status not in ('ENQUEUED', 'DELAYED', 'PENDING'))`,
  );
  return rows;
}
