-- Rows that a reader could not read: it leaves out each by itself, and goes on with the others. Operators see them.
create table unreadable_row (
  -- The part of the server that reads it.
  reader text not null,
  id text not null,
  kind text not null,
  name text not null,
  detail text not null,
  found_at timestamptz not null default now(),
  primary key (reader, id)
);

-- The reconciler reads, at each pass, the revisions that want instances, those that are deleted, and those whose status is out of date.
-- All others, however many, cost it nothing.
create index revision_wanted on revision (id) where status <> 'DELETED' and deleting_at is null and replicas_wanted > 0;
create index revision_deleting on revision (id) where status <> 'DELETED' and deleting_at is not null;
create index revision_unsettled on revision (id)
  where status not in ('NO_INSTANCES', 'DELETED') and deleting_at is null and replicas_wanted = 0;
