-- What was seen when a schema's own subject was compared with the registry: beside it, since it changes while the schema itself does not.
create table schema_watch (
  schema_id text primary key references event_schema (id) on delete cascade,
  -- When somebody last looked at its page, or at a list with it: others are not compared.
  viewed_at timestamptz not null default 'epoch',
  -- When somebody began to compare it: replicas take turns by it.
  watched_at timestamptz not null default 'epoch',
  -- When that was through, and what was seen; null until it was.
  compared_at timestamptz,
  drift jsonb
) with (fillfactor = 50);
