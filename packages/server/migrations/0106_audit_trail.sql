-- Trace of the request or pipeline that wrote the entry. Entries of before have none.
alter table activity add column trace_id text;

-- Forwards the activity log to a receiver outside. One row: whether entries are queued, which worker sends, and how the last try ended.
create table audit_forward (
  id boolean primary key default true check (id),
  is_on boolean not null default false,
  lease text,
  leased_until timestamptz,
  tries integer not null default 0,
  next_try_at timestamptz,
  failing_since timestamptz,
  failure text,
  sent_at timestamptz
);
insert into audit_forward default values;

-- Entries that wait, in the order in which they are sent. A row is deleted once the receiver has its entry. A position or a time as a
-- cursor would skip entries whose transaction commits late.
create table audit_waiting (
  position bigint generated always as identity primary key,
  activity_id text not null
);
create function audit_wait() returns trigger language plpgsql as $$
begin
  insert into audit_waiting (activity_id) select new.id from audit_forward where is_on;
  return null;
end
$$;
create trigger audit_wait after insert on activity for each row execute function audit_wait();
