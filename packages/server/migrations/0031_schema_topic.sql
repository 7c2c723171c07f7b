-- Schemas and topics of apps: what is wanted of the schema registry and the Kafka cluster. No message stands here.
create table event_schema (
  id text primary key,
  -- An app with schemas is not deleted.
  app_id text not null references app (id),
  environment text not null check (environment in ('development', 'production')),
  name text not null,
  type text not null check (type in ('AVRO', 'JSON', 'PROTOBUF')),
  compatibility text not null check (
    compatibility in ('NONE', 'BACKWARD', 'BACKWARD_TRANSITIVE', 'FORWARD', 'FORWARD_TRANSITIVE', 'FULL', 'FULL_TRANSITIVE')
  ),
  -- What the registry calls it. Made once, never worked out again.
  subject text not null,
  -- Of the newest version, which `content` is; both null until it is registered.
  revision_id integer,
  registry_id integer,
  content text not null,
  -- Other schemas that the content speaks of.
  uses jsonb not null default '[]',
  -- The change that was asked for last: how it was, for its way back, and how it shall be.
  change jsonb,
  -- The pipeline that found the subject free: whatever lies there since is this schema's.
  claim text,
  state text not null check (state in ('CREATING', 'ACTIVE', 'NOT_CREATED', 'DELETING')),
  pipeline_id text,
  created_at timestamptz not null default now(),
  created_by text not null,
  created_by_name text not null,
  updated_at timestamptz not null default now(),
  updated_by text not null,
  updated_by_name text not null,
  unique (app_id, environment, name),
  unique (environment, subject)
);
create table event_schema_version (
  schema_id text not null references event_schema (id) on delete cascade,
  -- As the registry counts.
  version integer not null,
  registry_id integer,
  content text not null,
  uses jsonb not null default '[]',
  -- Who saved it; a step that is repeated knows its own by the pipeline.
  pipeline_id text not null,
  created_at timestamptz not null default now(),
  created_by text not null,
  created_by_name text not null,
  primary key (schema_id, version)
);

create table topic (
  id text primary key,
  app_id text not null references app (id),
  environment text not null check (environment in ('development', 'production')),
  name text not null,
  -- What the cluster calls it. Made once, never worked out again.
  topic_name text not null,
  description text not null,
  tags text[] not null default '{}',
  classification text not null check (classification in ('PUBLIC', 'INTERNAL', 'CONFIDENTIAL', 'RESTRICTED')),
  is_sharable boolean not null,
  partitions integer not null,
  retention_hours integer not null,
  replication_factor integer not null,
  segment_bytes bigint not null,
  cleanup_policy text not null check (cleanup_policy in ('DELETE', 'COMPACT', 'COMPACT_DELETE')),
  key_schema_id text references event_schema (id),
  value_schema_id text not null references event_schema (id),
  change jsonb,
  -- The pipeline that found the name free on the cluster: a topic of that name is the platform's since.
  claim text,
  -- The cluster's own id of it: another topic of the same name has another. Null until it was seen.
  cluster_topic_id text,
  state text not null check (state in ('CREATING', 'ACTIVE', 'NOT_CREATED', 'DELETING')),
  pipeline_id text,
  -- When somebody last looked at its page: those are compared first.
  viewed_at timestamptz not null default 'epoch',
  -- When somebody began to compare it: replicas take turns by it.
  watched_at timestamptz not null default 'epoch',
  -- What was seen last; null until it was.
  observed jsonb,
  observed_at timestamptz,
  drift jsonb,
  compared_at timestamptz,
  created_at timestamptz not null default now(),
  created_by text not null,
  created_by_name text not null,
  updated_at timestamptz not null default now(),
  updated_by text not null,
  updated_by_name text not null,
  unique (app_id, environment, name),
  unique (environment, topic_name)
);
create index topic_watched on topic (watched_at);
create index topic_shared on topic (environment, name) where is_sharable;
create index topic_key_schema on topic (key_schema_id);
create index topic_value_schema on topic (value_schema_id);
