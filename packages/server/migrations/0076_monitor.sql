-- Browser monitors: settings, errors, sessions, source maps, and counts by hour and day.

create table monitor (
  id text primary key,
  app_id text not null references app (id) on delete cascade,
  environment text not null check (environment in ('development', 'production')),
  name text not null,
  app_key text not null unique,
  api_key text not null,
  former_api_key text,
  former_key_until timestamptz,
  allowed_origins text[] not null,
  sample_percent integer not null check (sample_percent between 1 and 100),
  retention_days smallint not null check (retention_days in (7, 30, 90)),
  -- Hashes of user ids contain it, so that they differ between monitors and nobody can compute them from outside.
  salt text not null,
  forward_url text,
  forward_authorization_sealed bytea,
  forward_failing_since timestamptz,
  forward_failure text,
  forward_dropped integer not null default 0,
  last_seen_at timestamptz,
  created_at timestamptz not null default now(),
  created_by text not null,
  created_by_name text not null,
  unique (app_id, environment, name)
);

-- Monitors that were deleted. A worker deletes what they collected, in batches, as payloads in flight may still add rows.
create table monitor_gone (
  monitor_id text primary key,
  at timestamptz not null default now()
);

-- Names that counts are kept by. Their number is limited, because browsers choose them.
create table monitor_name (
  monitor_id text not null references monitor (id) on delete cascade,
  dimension text not null check (dimension in ('page', 'release', 'call')),
  name text not null,
  last_on date not null,
  primary key (monitor_id, dimension, name)
);

-- Counts of samples. Vitals and calls are histograms: a bin covers a range of values.
create table monitor_count (
  monitor_id text not null references monitor (id) on delete cascade,
  step text not null check (step in ('HOUR', 'DAY')),
  metric text not null,
  -- Empty for the whole monitor.
  dimension text not null,
  name text not null,
  at timestamptz not null,
  bin smallint not null,
  -- 0 good, 1 needs improvement, 2 poor or failed.
  rating smallint not null,
  n bigint not null,
  primary key (monitor_id, step, dimension, metric, name, at, bin, rating)
);
create index monitor_count_old on monitor_count (step, at);

-- Counts that were not added to monitor_count yet. Writers only insert, so no writer waits for another.
create table monitor_count_new (
  monitor_id text not null,
  metric text not null,
  dimension text not null,
  name text not null,
  hour timestamptz not null,
  bin smallint not null,
  rating smallint not null,
  n integer not null
);

create table monitor_error (
  id text primary key,
  monitor_id text not null references monitor (id) on delete cascade,
  type text not null,
  message text not null,
  culprit text not null,
  -- Stack frames of the newest occurrence, as the browser reported them.
  frames jsonb not null,
  state text not null default 'OPEN' check (state in ('OPEN', 'RESOLVED', 'MUTED')),
  resolved_at timestamptz,
  n bigint not null,
  first_at timestamptz not null,
  first_release text not null,
  last_at timestamptz not null,
  last_release text not null
);
create index monitor_error_newest on monitor_error (monitor_id, last_at desc);

create table monitor_error_user (
  monitor_id text not null references monitor (id) on delete cascade,
  error_id text not null,
  user_hash text not null,
  last_on date not null,
  primary key (monitor_id, user_hash, error_id)
);
create index monitor_error_user_error on monitor_error_user (error_id);

create table monitor_session (
  monitor_id text not null references monitor (id) on delete cascade,
  id text not null,
  user_hash text,
  browser text not null,
  os text not null,
  country text,
  release text not null,
  started_at timestamptz not null,
  last_at timestamptz not null,
  pages text[] not null,
  views integer not null,
  errors integer not null,
  primary key (monitor_id, id)
);
create index monitor_session_newest on monitor_session (monitor_id, last_at desc);
create index monitor_session_errors on monitor_session (monitor_id, last_at desc) where errors > 0;
create index monitor_session_user on monitor_session (monitor_id, user_hash) where user_hash is not null;

create table source_map (
  monitor_id text not null references monitor (id) on delete cascade,
  release text not null,
  file text not null,
  -- JSON, compressed with gzip, without source text.
  content bytea not null,
  bytes integer not null,
  uploaded_at timestamptz not null default now(),
  primary key (monitor_id, release, file)
);
