-- Freeze windows: while one is open, services in production do not change. No foreign keys: a window outlives teams and apps of its scope.
create table freeze_window (
  id text primary key,
  name text not null,
  reason text not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null check (ends_at > starts_at),
  -- The zone in which people read the times: `Europe/Oslo`.
  time_zone text not null,
  -- Both empty: all of production.
  team_ids text[] not null default '{}',
  app_ids text[] not null default '{}',
  owners_may_override boolean not null,
  revision integer not null default 1,
  -- Set if an administrator ended it early.
  ended_at timestamptz,
  updated_at timestamptz not null default now(),
  updated_by text not null,
  updated_by_name text not null
);
create index freeze_window_open on freeze_window (ends_at) where ended_at is null;
create index freeze_window_newest on freeze_window (starts_at desc, id);

-- Opens production of one app for a while, although windows are open. It covers the windows that were open when it was made.
create table freeze_override (
  id text primary key,
  app_id text not null,
  window_ids text[] not null,
  reason text not null,
  at timestamptz not null default now(),
  until timestamptz not null,
  by_id text not null,
  by_name text not null
);
create index freeze_override_app on freeze_override (app_id, until desc);
