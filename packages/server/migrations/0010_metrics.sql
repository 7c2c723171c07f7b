-- What was measured of revisions and services over time, and what services' metrics endpoints said last.

-- Points of 15 s, kept for some hours, and of 300 s made of them, kept for two weeks. `at` is the beginning of what a point covers.
create table revision_metric (
  revision_id text not null references revision (id) on delete cascade,
  step_seconds smallint not null check (step_seconds in (15, 300)),
  at timestamptz not null,
  -- Sums over the instances; null where nothing ran that could be measured.
  cpu_millicores real,
  memory_megabytes real,
  -- Of the largest instance.
  max_memory_megabytes real,
  ready real not null,
  primary key (revision_id, step_seconds, at)
);
create index revision_metric_age on revision_metric (step_seconds, at);

create table service_metric (
  service_id text not null references service (id) on delete cascade,
  step_seconds smallint not null check (step_seconds in (15, 300)),
  at timestamptz not null,
  requests integer not null,
  errors integer not null,
  -- Of 300 s: the mean of its parts, weighted by their requests.
  p95_ms real,
  primary key (service_id, step_seconds, at)
);
create index service_metric_age on service_metric (step_seconds, at);

-- Not logged: after a crash of the database the next scrape, seconds later, fills it again.
create unlogged table service_scrape (
  service_id text primary key references service (id) on delete cascade,
  at timestamptz not null,
  is_up boolean not null,
  error text,
  -- Families with their samples by instance, see modules/runtime/exposition.ts.
  families jsonb not null
);
