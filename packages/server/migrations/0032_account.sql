-- Accounts of Kafka clients, and what they may read and write. A password stands here sealed, and only until somebody has it.

create table account (
  id text primary key,
  -- An app with accounts is not deleted.
  app_id text not null references app (id),
  environment text not null check (environment in ('development', 'production')),
  name text not null,
  description text not null,
  state text not null check (state in ('CREATING', 'ACTIVE', 'NOT_CREATED', 'DELETING')),
  pipeline_id text,
  -- On the cluster, made once and never made up again: the first of its two users, and what its reader groups begin with.
  principal text not null,
  group_prefix text not null,
  -- The change that was asked for last, for its way back.
  change jsonb,
  -- Which of its users has the newest password: the principal, or the one with ~2. Null until there is one.
  turn smallint check (turn in (1, 2)),
  -- Of the newest password: what the schema registry asks.
  password_hash bytea,
  password_at timestamptz,
  password_by_name text,
  -- The pipeline that made it: a step that is repeated knows that it is done.
  password_by text,
  -- Until then the other user works, too.
  former_hash bytea,
  former_ends_at timestamptz,
  -- The group that the password is written into, kept free from the beginning; null: it is shown once.
  secret_group text,
  secret_version integer,
  -- The pipeline that wrote it.
  secret_by text,
  -- How clients reach the cluster, as it was when the password was made.
  connection jsonb,
  -- The newest password until it is written or shown, by which pipeline, for whom, and until when; null: its pipeline has not got so far.
  waiting_sealed bytea,
  waiting_by text,
  waiting_for text,
  waiting_for_name text,
  waiting_until timestamptz,
  -- When somebody began to compare it with the cluster: replicas take turns by it.
  watched_at timestamptz not null default 'epoch',
  compared_at timestamptz,
  drift text not null default 'UNKNOWN' check (drift in ('NONE', 'DRIFT', 'UNKNOWN')),
  created_at timestamptz not null default now(),
  created_by text not null,
  created_by_name text not null,
  unique (app_id, environment, name),
  unique (environment, principal),
  unique (app_id, environment, secret_group)
);
create index account_watched on account (watched_at);
create index account_former on account (former_ends_at) where former_ends_at is not null;
create index account_waiting on account (waiting_until) where waiting_until is not null;

create table topic_grant (
  id text primary key,
  account_id text not null references account (id) on delete cascade,
  topic_id text not null references topic (id) on delete cascade,
  operation text not null check (operation in ('READ', 'WRITE')),
  state text not null check (state in ('REQUESTED', 'APPROVED', 'DECLINED', 'WITHDRAWN', 'REVOKED')),
  basis text check (basis in ('OWN', 'AUTOMATIC', 'DECISION')),
  -- The account names the topic. What it names no longer stays as history.
  is_listed boolean not null,
  reason text,
  requested_at timestamptz not null default now(),
  requested_by text not null,
  requested_by_name text not null,
  -- Of its state.
  since timestamptz not null default now(),
  decided_at timestamptz,
  decided_by text,
  decided_by_name text,
  decision text
);
create unique index topic_grant_listed on topic_grant (account_id, topic_id, operation) where is_listed;
create index topic_grant_account on topic_grant (account_id, requested_at desc);
create index topic_grant_topic on topic_grant (topic_id, requested_at desc);
create index topic_grant_waiting on topic_grant (topic_id) where state = 'REQUESTED';

-- Every rule that the platform has made or is about to make. What is on the cluster beside them is somebody else's, and stays.
create table account_rule (
  account_id text not null references account (id) on delete cascade,
  cluster_user text not null,
  resource text not null check (resource in ('topic', 'group')),
  pattern text not null check (pattern in ('literal', 'prefixed')),
  name text not null,
  operation text not null check (operation in ('read', 'write')),
  primary key (account_id, cluster_user, resource, pattern, name, operation)
);
