-- Backups of databases, and what was measured of them over time.

create table database_backup (
  id text primary key,
  -- Not a reference: a backup outlives its database, and is found by the names that it had.
  database_id text not null,
  app_id text not null references app (id) on delete cascade,
  environment text not null check (environment in ('development', 'production')),
  database text not null,
  -- What a database that is restored from it is made with.
  settings jsonb not null,
  kind text not null check (kind in ('SCHEDULED', 'ON_DEMAND', 'BEFORE_DELETION')),
  state text not null default 'PENDING' check (state in ('PENDING', 'RUNNING', 'COMPLETED', 'FAILED')),
  -- How often it was begun: whoever makes it may be killed.
  attempts integer not null default 0,
  created_at timestamptz not null default now(),
  -- Null for a scheduled one.
  created_by text,
  created_by_name text,
  started_at timestamptz,
  finished_at timestamptz,
  -- The moment that it holds.
  taken_at timestamptz,
  size_bytes bigint,
  tables integer,
  rows bigint,
  sha256 text,
  server_version text,
  platform_version text,
  failure jsonb,
  check_state text not null default 'NOT_CHECKED'
    check (check_state in ('NOT_CHECKED', 'PENDING', 'RUNNING', 'PASSED', 'FAILED', 'SKIPPED')),
  checked_at timestamptz,
  check_ms integer,
  check_failure jsonb,
  expires_at timestamptz not null
);
create index database_backup_place on database_backup (app_id, environment, database, created_at desc, id);
create index database_backup_of on database_backup (database_id, created_at desc);
-- What waits to be done is a handful of many.
create index database_backup_work on database_backup (created_at) where state in ('PENDING', 'RUNNING') or check_state in ('PENDING', 'RUNNING');
create index database_backup_age on database_backup (expires_at);
-- One at a time of each database.
create unique index database_backup_one on database_backup (database_id) where state in ('PENDING', 'RUNNING');

-- Points of 60 s, kept for a day, and of 900 s made of them, kept for a month. Counters are as the server says them, ever growing: what
-- happened in a step is the difference of two points, whoever measured them.
create table database_metric (
  database_id text not null references database (id) on delete cascade,
  step_seconds smallint not null check (step_seconds in (60, 900)),
  at timestamptz not null,
  size_bytes bigint not null,
  connections real not null,
  max_connections integer not null,
  blocks_hit bigint not null,
  blocks_read bigint not null,
  transactions bigint not null,
  rollbacks bigint not null,
  deadlocks bigint not null,
  temp_bytes bigint not null,
  primary key (database_id, step_seconds, at)
);
create index database_metric_age on database_metric (step_seconds, at);

-- The backup that a database was made of. Not a reference: backups go when they are too old.
alter table database add column restored_from text;
-- When the last backup on schedule was asked for, though that may be deleted by now.
alter table database add column last_scheduled_at timestamptz;
