-- The embedded schema registry: contents with the ids that messages carry, and subjects with versions of them. Each environment is a
-- registry of its own: nothing refers from one to the other.
create table schema_registry (
  environment text primary key check (environment in ('development', 'production')),
  -- The id of the next new content. No id is given twice: messages keep theirs for ever.
  next_id integer not null default 1,
  level text not null default 'BACKWARD' check (
    level in ('NONE', 'BACKWARD', 'BACKWARD_TRANSITIVE', 'FORWARD', 'FORWARD_TRANSITIVE', 'FULL', 'FULL_TRANSITIVE')
  ),
  mode text not null default 'READWRITE' check (mode in ('READWRITE', 'READONLY', 'READONLY_OVERRIDE', 'IMPORT', 'FORWARD'))
);
insert into schema_registry (environment) values ('development'), ('production');

-- What a subject has of its own; one without a row has what the registry has.
create table schema_registry_setting (
  environment text not null references schema_registry (environment),
  subject text not null,
  level text check (
    level in ('NONE', 'BACKWARD', 'BACKWARD_TRANSITIVE', 'FORWARD', 'FORWARD_TRANSITIVE', 'FULL', 'FULL_TRANSITIVE')
  ),
  mode text check (mode in ('READWRITE', 'READONLY', 'READONLY_OVERRIDE', 'IMPORT', 'FORWARD')),
  primary key (environment, subject)
);

create table schema_registry_content (
  environment text not null references schema_registry (environment),
  id integer not null check (id > 0),
  type text not null check (type in ('AVRO', 'JSON', 'PROTOBUF')),
  -- As it was written.
  content text not null,
  -- SHA-256 over the type, what the content means, and what it refers to: the same has one id.
  identity bytea not null,
  created_at timestamptz not null default now(),
  primary key (environment, id),
  unique (environment, identity)
);

create table schema_registry_version (
  environment text not null,
  subject text not null,
  version integer not null check (version > 0),
  content_id integer not null,
  created_at timestamptz not null default now(),
  -- Softly: messages of it can still be read.
  deleted_at timestamptz,
  primary key (environment, subject, version),
  foreign key (environment, content_id) references schema_registry_content (environment, id)
);
create index schema_registry_version_content on schema_registry_version (environment, content_id);

-- What a content refers to. A version that is referred to cannot go.
create table schema_registry_use (
  environment text not null,
  content_id integer not null,
  -- In the order of the request.
  position integer not null,
  -- As the content writes it: a full name, a `$ref`, an import.
  name text not null,
  subject text not null,
  version integer not null,
  primary key (environment, content_id, position),
  foreign key (environment, content_id) references schema_registry_content (environment, id) on delete cascade,
  foreign key (environment, subject, version) references schema_registry_version (environment, subject, version)
);
create index schema_registry_use_version on schema_registry_use (environment, subject, version);
