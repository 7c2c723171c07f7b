-- Databases of apps. What they hold lies on their servers; no password stands here.
create table database (
  id text primary key,
  -- An app with databases is not deleted.
  app_id text not null references app (id),
  environment text not null check (environment in ('development', 'production')),
  name text not null,
  display_name text not null,
  region text not null,
  plan text not null,
  storage_gb integer not null,
  max_connections integer not null,
  backup_retention_days integer not null,
  active boolean not null default true,
  -- The change that was asked for last: the settings before, for its way back, and after.
  change jsonb,
  -- Services that shall read its group once that is made.
  attach_to text[] not null default '{}',
  state text not null check (state in ('CREATING', 'ACTIVE', 'NOT_CREATED', 'DELETING')),
  pipeline_id text,
  -- The name of its group, kept free from the beginning.
  secret_group text not null,
  -- Its name on its server, never given again.
  server_name text not null unique,
  -- How services reach the server, once it is made.
  host text,
  port integer,
  ssl_mode text,
  engine_version text,
  -- The login that the newest version of the group names; null until there is one.
  login text check (login in ('a', 'b')),
  credentials_version integer,
  credentials_at timestamptz,
  -- The pipeline that made them: a step that is repeated knows that it is done.
  credentials_by text,
  -- Until then the other login works, too.
  former_ends_at timestamptz,
  -- When somebody began to look at it: replicas take turns by it.
  watched_at timestamptz not null default 'epoch',
  -- What was seen last; sizes are null where nothing was.
  size_bytes bigint,
  connections jsonb not null default '[]',
  is_read_only boolean not null default false,
  observed_at timestamptz,
  created_at timestamptz not null default now(),
  created_by text not null,
  created_by_name text not null,
  unique (app_id, environment, name),
  unique (app_id, environment, secret_group)
);
create index database_watched on database (watched_at);
create index database_former on database (former_ends_at) where former_ends_at is not null;
