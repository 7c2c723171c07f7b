-- When a topic was compared: narrow and beside it, since it changes every minute while the topic itself does not.
create table topic_watch (
  topic_id text primary key references topic (id) on delete cascade,
  -- When somebody began to compare it: replicas take turns by it.
  watched_at timestamptz not null default 'epoch',
  -- When that was through; null until it was.
  compared_at timestamptz
) with (fillfactor = 50);
insert into topic_watch (topic_id, watched_at, compared_at) select id, watched_at, compared_at from topic;
drop index topic_watched;
alter table topic drop column watched_at, drop column observed_at, drop column compared_at;
-- Accounts are looked at each minute, too: without it their rows are changed in place.
drop index account_watched;

-- Which schemas build on another.
create index event_schema_uses on event_schema using gin (uses jsonb_path_ops);
