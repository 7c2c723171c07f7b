-- Teams own apps; members work in them.
create table team (
  id text primary key,
  display_name text not null,
  azure_group_id text,
  azure_group_name text,
  github_team_id text,
  github_team_name text,
  state text not null default 'ACTIVE' check (state in ('ACTIVE', 'CREATING', 'NOT_CREATED', 'DELETING')),
  pipeline_id text,
  created_at timestamptz not null default now(),
  created_by text not null
);

create table team_member (
  team_id text not null references team (id) on delete cascade,
  identity_id text not null references identity (id) on delete cascade,
  role text not null check (role in ('OWNER', 'MEMBER')),
  primary key (team_id, identity_id)
);
create index team_member_identity on team_member (identity_id);

create table app (
  id text primary key,
  display_name text not null,
  team_id text not null references team (id),
  mac_id text unique,
  state text not null default 'ACTIVE' check (state in ('ACTIVE', 'CREATING', 'NOT_CREATED', 'DELETING')),
  pipeline_id text,
  created_at timestamptz not null default now(),
  created_by text not null
);
create index app_team on app (team_id);

-- A small catalogue to create apps from, until the catalogue area brings its own.
create table catalogue_entry (
  id text primary key,
  name text not null,
  description text not null,
  status text not null,
  platform_name text not null
);
