-- Services, their revisions, and what the runtime reports of them.
create table service (
  id text primary key,
  app_id text not null references app (id) on delete cascade,
  environment text not null check (environment in ('development', 'production')),
  name text not null,
  active boolean not null default true,
  repository_name text,
  spec jsonb not null,
  state text not null default 'ACTIVE' check (state in ('ACTIVE', 'CREATING', 'NOT_CREATED', 'DELETING')),
  -- Names of the revisions that the edge sends requests to; written by pipelines, carried out by the reconciler.
  serving text[] not null default '{}',
  -- What the edge routes to now, as the reconciler carried it out.
  routed text[] not null default '{}',
  creation_pipeline_id text,
  -- The last pushed commit that a pipeline was started for: a sweep catches up on pushes that a dead replica accepted.
  built_commit text,
  created_at timestamptz not null default now(),
  created_by text not null,
  unique (app_id, environment, name)
);

create table revision (
  id text primary key,
  service_id text not null references service (id) on delete cascade,
  number integer not null,
  name text not null,
  image_tag text not null,
  image_repository text not null,
  image_digest text not null,
  spec jsonb not null,
  secret_versions jsonb not null default '{}',
  reason jsonb not null,
  pipeline_id text,
  -- Wanted by pipelines.
  enabled boolean not null default true,
  replicas_wanted integer not null,
  deleting_at timestamptz,
  deleted_at timestamptz,
  -- Observed by the reconciler.
  status text not null default 'PENDING' check (status in ('PENDING', 'HEALTHY', 'FAILING', 'NO_INSTANCES', 'UNKNOWN', 'DELETED')),
  replicas_ready integer not null default 0,
  -- Set when a deploy gave up on it: the status stays FAILING although nothing runs any more.
  failed_at timestamptz,
  created_at timestamptz not null default now(),
  created_by text not null,
  created_by_name text not null,
  unique (service_id, number)
);
create index revision_service on revision (service_id, number desc);

create table instance (
  id text primary key,
  revision_id text not null references revision (id) on delete cascade,
  state text not null,
  since timestamptz not null,
  restarts integer not null default 0,
  node text not null,
  port integer,
  last_exit jsonb,
  cpu_millicores double precision,
  memory_megabytes double precision,
  updated_at timestamptz not null default now()
);
create index instance_revision on instance (revision_id);

create table instance_event (
  id bigint generated always as identity primary key,
  revision_id text not null references revision (id) on delete cascade,
  instance text not null,
  type text not null,
  reason text not null,
  message text not null,
  at timestamptz not null,
  last_at timestamptz not null,
  count integer not null default 1
);
create index instance_event_revision on instance_event (revision_id, last_at desc);

-- The edge's last report for each service, and when a request last came.
create table edge_stat (
  service_id text primary key references service (id) on delete cascade,
  requests integer not null,
  errors integer not null,
  p95_ms double precision not null,
  last_request_at timestamptz,
  updated_at timestamptz not null default now()
);

-- Which replica drives the runtime now; its heartbeat tells a dead runtime from a slow one.
create table runtime_holder (
  kind text primary key,
  replica text not null,
  since timestamptz not null,
  seen_at timestamptz not null,
  capabilities jsonb not null
);

create table activity (
  id text primary key,
  at timestamptz not null default now(),
  type text not null,
  reason text not null,
  level text not null,
  message text not null,
  actor_id text not null,
  actor_name text not null,
  origin text not null,
  outcome text not null,
  team_id text,
  app_id text,
  environment text,
  service text,
  pipeline_id text,
  before jsonb,
  after jsonb
);
create index activity_app on activity (app_id, environment, at desc);
create index activity_team on activity (team_id, at desc);
