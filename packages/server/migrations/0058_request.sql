-- Requests of every kind. The API shows the number as REQ-20418.
create table request (
  number bigint generated always as identity primary key,
  kind text not null,
  subject_kind text not null,
  subject_id text not null,
  title text not null,
  environment text check (environment in ('development', 'production')),
  requested_at timestamptz not null default now(),
  requested_by text not null,
  requested_by_name text not null,
  comment text,
  -- Keys of those who may decide, and of those on whose behalf the request was raised: 'person:usr_1', 'team:cranes', 'app:berth',
  -- 'role:…'. An app's key stands for the team that owns the app now.
  deciders text[] not null,
  askers text[] not null,
  assigned_to text[] not null default '{}',
  status text not null default 'PENDING' check (status in ('PENDING', 'APPROVED', 'REJECTED', 'WITHDRAWN')),
  -- Null while pending, and for migrated decisions whose author was overwritten by a later revocation.
  actioned_at timestamptz,
  actioned_by text,
  actioned_by_name text,
  action_comment text,
  payload jsonb not null,
  base jsonb not null default '{}',
  revision integer not null default 1,
  is_void boolean not null default false,
  void_reason text,
  due_on date not null,
  -- Reminders sent: 1 one day before the due date, 2 when late.
  reminders smallint not null default 0,
  check (not is_void or status = 'WITHDRAWN'),
  check ((void_reason is not null) = is_void)
);
create unique index request_pending on request (kind, subject_id, requested_by) where status = 'PENDING';
create index request_subject on request (subject_kind, subject_id, number desc);
create index request_due on request (due_on, number) where status = 'PENDING';
create index request_deciders on request using gin (deciders) where status = 'PENDING';
create index request_askers on request using gin (askers);
create index request_all_deciders on request using gin (deciders);
create index request_actioned_by on request (actioned_by, number desc) where actioned_by is not null;

create table request_comment (
  id text primary key,
  request bigint not null references request (number) on delete cascade,
  at timestamptz not null default now(),
  by text not null,
  by_name text not null,
  body text not null
);
create index request_comment_request on request_comment (request, at, id);

-- The date n working days (Monday to Friday) after a date.
create function working_days_after(start date, days integer) returns date language sql immutable as $$
  select day::date from generate_series(start + 1, start + days * 2 + 2, interval '1 day') as day
  where extract(isodow from day) < 6 order by day offset days - 1 limit 1
$$;
