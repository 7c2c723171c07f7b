-- Secret groups. What is sealed here opens only with the keys port's key, which is kept elsewhere; no statement carries a value.
create table secret_group (
  id text primary key,
  app_id text not null references app (id) on delete cascade,
  environment text not null check (environment in ('development', 'production')),
  name text not null,
  kind text not null default 'USER' check (kind in ('USER', 'PLATFORM')),
  auto_attach boolean not null default false,
  -- Counts up only: the number of a deleted version is never given again, since a seal is bound to it.
  last_version integer not null default 0,
  created_at timestamptz not null default now(),
  created_by text not null,
  created_by_name text not null,
  updated_at timestamptz not null default now(),
  unique (app_id, environment, name)
);

create table secret_version (
  group_id text not null references secret_group (id) on delete cascade,
  version integer not null,
  origin text not null check (origin in ('CREATED', 'RESTORED', 'COPIED')),
  origin_from text,
  -- The data key, wrapped by the key that `kid` names.
  kid text not null,
  wrapped bytea not null,
  -- A MAC under the data key over every key and its seal: a row that is taken out or put in shows.
  seal bytea not null,
  created_at timestamptz not null default now(),
  created_by text not null,
  created_by_name text not null,
  primary key (group_id, version)
);
create index secret_version_kid on secret_version (kid);

create table secret_value (
  group_id text not null,
  version integer not null,
  key text not null,
  -- AES-256-GCM: 12 bytes of nonce, 16 of tag, the sealed value.
  sealed bytea not null,
  -- A keyed hash, to compare values of the same group's name and key without opening them.
  hash bytea not null,
  size_bytes integer not null,
  primary key (group_id, version, key),
  foreign key (group_id, version) references secret_version (group_id, version) on delete cascade
);

-- When a key should be renewed; of the group and not of a version, so that it can be set without a restart.
create table secret_key_expiry (
  group_id text not null references secret_group (id) on delete cascade,
  key text not null,
  expires_at date not null,
  primary key (group_id, key)
);

-- Groups that attach themselves have no rows here, unless how they are read was chosen.
create table service_secret_group (
  service_id text not null references service (id) on delete cascade,
  group_id text not null references secret_group (id) on delete cascade,
  expose_as_environment boolean not null default true,
  created_at timestamptz not null default now(),
  primary key (service_id, group_id)
);
create index service_secret_group_group on service_secret_group (group_id);

create table key_rotation (
  id text primary key,
  kid text not null,
  state text not null default 'RUNNING' check (state in ('RUNNING', 'COMPLETED', 'FAILED')),
  total integer not null,
  failed integer not null default 0,
  started_at timestamptz not null default now(),
  started_by text not null,
  started_by_name text not null,
  finished_at timestamptz
);
create unique index key_rotation_running on key_rotation ((true)) where state = 'RUNNING';
