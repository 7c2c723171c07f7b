-- Feature flags. A flag belongs to an app; what it answers is a version of its settings in one environment, the highest one being current.
create table flag (
  id text primary key,
  app_id text not null references app (id) on delete cascade,
  name text not null,
  description text not null,
  type text not null check (type in ('BOOLEAN', 'STRING', 'NUMBER', 'JSON')),
  is_archived boolean not null default false,
  created_at timestamptz not null default now(),
  created_by text not null,
  created_by_name text not null,
  updated_at timestamptz not null default now(),
  updated_by text not null,
  updated_by_name text not null,
  unique (app_id, name)
);

create table flag_version (
  flag_id text not null references flag (id) on delete cascade,
  environment text not null check (environment in ('development', 'production')),
  -- Counts up without gaps. Two writers that base their change on the same version conflict on the primary key.
  version integer not null,
  enabled boolean not null,
  value jsonb not null,
  rules jsonb not null,
  comment text not null,
  created_at timestamptz not null default clock_timestamp(),
  created_by text not null,
  created_by_name text not null,
  primary key (flag_id, environment, version)
);

create table flag_group (
  id text primary key,
  app_id text not null references app (id) on delete cascade,
  name text not null,
  description text not null,
  attribute text not null,
  "values" text[] not null,
  created_at timestamptz not null default now(),
  created_by text not null,
  created_by_name text not null,
  updated_at timestamptz not null default now(),
  updated_by text not null,
  updated_by_name text not null,
  unique (app_id, name)
);

create table flag_key (
  id text primary key,
  app_id text not null references app (id) on delete cascade,
  environment text not null check (environment in ('development', 'production')),
  name text not null,
  mode text not null check (mode in ('PLAIN', 'ENCRYPTED', 'REMOTE')),
  client_key text not null unique,
  -- Works until `previous_until`, after a rotation.
  previous_key text unique,
  previous_until timestamptz,
  -- Part of every client's code, so it is no secret. It keeps rules out of caches and logs.
  decryption_key text,
  requested_at timestamptz,
  created_at timestamptz not null default now(),
  created_by text not null,
  created_by_name text not null,
  updated_at timestamptz not null default now(),
  unique (app_id, environment, name)
);

-- When anything about the flags of an app last changed. It only grows, so that SDKs recognize a payload that is newer than theirs.
create table flag_state (
  app_id text primary key references app (id) on delete cascade,
  changed_at timestamptz not null
);

-- Tells every replica to read the flags of an app again. A trigger also covers a deleted app.
create function flags_changed() returns trigger language plpgsql as $$
declare
  changed text;
begin
  if tg_table_name = 'flag_version' then
    select app_id into changed from flag where id = new.flag_id;
  elsif tg_op = 'DELETE' then
    changed := old.app_id;
  else
    changed := new.app_id;
  end if;
  insert into flag_state (app_id, changed_at) select id, clock_timestamp() from app where id = changed
    on conflict (app_id) do update set changed_at = greatest(flag_state.changed_at + interval '1 ms', excluded.changed_at);
  perform pg_notify('slipway_flags', changed);
  return null;
end;
$$;
create trigger flag_changed after insert or delete or update of is_archived on flag for each row execute function flags_changed();
create trigger flag_version_changed after insert on flag_version for each row execute function flags_changed();
create trigger flag_group_changed after insert or delete or update of "values" on flag_group for each row execute function flags_changed();
create trigger flag_key_changed after insert or delete or update of mode, client_key, previous_key, previous_until, decryption_key
  on flag_key for each row execute function flags_changed();
