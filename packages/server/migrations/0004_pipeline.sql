-- Pipelines: what was asked for, its runs, their steps and logs. These rows are the truth about a run; the queue (schema dbos)
-- only knows which replica works on it. No secrets in input, bag or facts.

create table pipeline (
  id text primary key,
  type text not null,
  -- 'app:berth', 'service:berth/development/berth': at most one active run each, see pipeline_run_active.
  subject text not null,
  -- No foreign keys: a pipeline precedes what it creates, and outlives what it deletes.
  team_id text,
  app_id text,
  environment text,
  service text,
  revision text,
  trigger text not null,
  facts jsonb not null default '{}',
  created_by text not null,
  created_by_name text not null,
  created_at timestamptz not null default now(),
  idempotency_key text
);
create unique index pipeline_idempotency on pipeline (created_by, idempotency_key) where idempotency_key is not null;
create index pipeline_created on pipeline (created_at desc, id);
create index pipeline_app on pipeline (app_id, created_at desc);
create index pipeline_team on pipeline (team_id, created_at desc);

create table pipeline_run (
  run_id text primary key,
  pipeline_id text not null references pipeline (id) on delete cascade,
  number integer not null,
  type text not null,
  subject text not null,
  state text not null check (state in ('QUEUED', 'PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELED')),
  input jsonb not null,
  -- What the steps returned, merged.
  bag jsonb not null default '{}',
  -- How the run will end once its undos are through.
  ending text check (ending in ('FAILED', 'CANCELED')),
  -- { step, code, context } of what made it fail.
  status_message jsonb,
  -- Who writes these rows: a new token for each replica that takes the run over. A thawed zombie's token matches no more.
  owner text,
  created_by text not null,
  created_by_name text not null,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  cancel_requested_at timestamptz,
  cancel_requested_by text,
  cancel_requested_by_name text,
  unique (pipeline_id, number)
);
-- The authority for WorkflowExecutionAlreadyStarted.
create unique index pipeline_run_active on pipeline_run (subject) where state in ('QUEUED', 'PENDING', 'RUNNING');
create index pipeline_run_subject on pipeline_run (subject, created_at desc);
create index pipeline_run_ended on pipeline_run (ended_at);
-- Recent completed runs of a type tell how long a step usually takes.
create index pipeline_run_completed on pipeline_run (type, ended_at desc) where state = 'COMPLETED';

create table pipeline_step (
  run_id text not null references pipeline_run (run_id) on delete cascade,
  index integer not null,
  code text not null,
  is_point_of_no_return boolean not null default false,
  state text not null check (state in ('PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'SKIPPED', 'CANCELED')),
  message jsonb,
  attempt integer not null default 0,
  started_at timestamptz,
  ended_at timestamptz,
  undone_at timestamptz,
  undo_failed_at timestamptz,
  primary key (run_id, index)
);

create table pipeline_log (
  run_id text not null,
  step_index integer not null,
  number integer not null,
  at timestamptz not null,
  level text not null check (level in ('INFO', 'WARNING', 'ERROR')),
  line text not null,
  primary key (run_id, step_index, number),
  foreign key (run_id, step_index) references pipeline_step (run_id, index) on delete cascade
);
