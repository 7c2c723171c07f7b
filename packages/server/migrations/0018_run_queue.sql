-- The rows of the runs are the queue of the pipelines. A run waits while it is active and has no owner. The replica that takes it writes a
-- token there: '{executor id}:{random}'. Each replica holds an advisory lock on its executor id for as long as it lives.
alter table pipeline_run
  -- How often in a row it was freed because its replica died or could not go on. Too often, and the run ends as failed.
  add column crashes integer not null default 0;
-- Two, since an index that begins with the owner has no order among the rows without one.
create index pipeline_run_waiting on pipeline_run (created_at) where owner is null and state in ('QUEUED', 'PENDING', 'RUNNING');
create index pipeline_run_owned on pipeline_run (owner) where owner is not null and state in ('QUEUED', 'PENDING', 'RUNNING');

-- The queue of the version before had a schema of its own. Runs that had not ended go on from the rows above. One function stays: replicas of
-- the version before call it to start a run, and those of this version take the run. A later migration removes it.
do $$ begin
  if to_regnamespace('dbos') is not null then
    drop schema dbos cascade;
    create schema dbos;
    create function dbos.enqueue_workflow(workflow_name text, queue_name text, workflow_id text, positional_args json[], app_version text,
      application_name text) returns text language sql as 'select workflow_id';
  end if;
end $$;
