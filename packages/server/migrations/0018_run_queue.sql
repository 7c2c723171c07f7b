-- The queue of the pipelines is the rows of their runs. A run waits while it is active and has no owner; the replica that takes it writes
-- its token there: '{replica}:{twelve hex digits}'. Whether a replica lives is told by the lock on its name.
alter table pipeline_run
  -- How many replicas died while they worked on it, one after the other: a run that kills them is given up.
  add column crashes integer not null default 0;
-- What waits, in order, and who has what.
create index pipeline_run_queue on pipeline_run (owner, created_at) where state in ('QUEUED', 'PENDING', 'RUNNING');

-- The queue of before had a schema of its own. What had not ended goes on from the rows above. The one function stays for replicas of the version
-- before: while they are replaced one by one they start runs, and this version's take them. It goes in a later version.
do $$ begin
  if to_regnamespace('dbos') is not null then
    drop schema dbos cascade;
    create schema dbos;
    create function dbos.enqueue_workflow(workflow_name text, queue_name text, workflow_id text, positional_args json[], app_version text,
      application_name text) returns text language sql as 'select workflow_id';
  end if;
end $$;
