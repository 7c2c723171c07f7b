-- Announcements and links that administrators set in the console. One row; without it the defaults apply.
create table installation_setting (
  id boolean primary key default true check (id),
  settings jsonb not null,
  revision integer not null,
  updated_at timestamptz not null default clock_timestamp(),
  updated_by text not null,
  updated_by_name text not null
);
