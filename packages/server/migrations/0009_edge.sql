-- What the edge asks for at a service with basic authentication. The password stands sealed in the secret group: the edge needs its hash.
create table edge_credential (
  service_id text primary key references service (id) on delete cascade,
  -- `{service}-basic-auth`, and the version of it whose password this is.
  group_id text not null references secret_group (id) on delete cascade,
  version integer not null,
  username text not null,
  password_hash text not null,
  updated_at timestamptz not null default now()
);
create unique index edge_credential_group on edge_credential (group_id);
