-- The demo scene: its state, and everything that it made. Only what is listed here is removed with it.
create table demo_scene (
  id boolean primary key default true check (id),
  state text not null check (state in ('FILLING', 'FILLED', 'REMOVING')),
  -- Grows with each request. Work for an earlier number stops.
  work integer not null default 1,
  step text,
  done integer not null default 0,
  total integer not null default 0,
  -- Why the work stopped. It goes on when somebody asks again.
  failure text,
  run_by text not null,
  started_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz
);
create table demo_item (
  id bigint generated always as identity primary key,
  kind text not null,
  names jsonb not null,
  -- The id that the platform chose, for kinds whose names do not address them.
  made_id text,
  made_by text not null,
  made_at timestamptz not null default clock_timestamp(),
  unique (kind, names)
);
