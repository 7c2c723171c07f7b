-- What operators see of the platform itself. Each replica writes its row every 15 seconds, and deletes it when it stops.
create table platform_replica (
  id text primary key,
  -- Host and port: `harbor-1:4000`.
  name text not null,
  version text not null,
  roles text[] not null,
  started_at timestamptz not null,
  seen_at timestamptz not null default now()
);

-- The last backup of the whole platform that this installation wrote. One row.
create table platform_backup (
  id boolean primary key default true check (id),
  finished_at timestamptz not null default now(),
  took_ms bigint not null,
  bytes bigint not null,
  has_warnings boolean not null
);

-- The queues are counted from the rows that wait, never from all rows.
create index notification_delivery_waiting on notification_delivery (created_at) where state = 'PENDING';
create index webhook_delivery_waiting on webhook_delivery (created_at) where state = 'PENDING';
create index image_scan_waiting on image_scan (since) where state in ('QUEUED', 'SCANNING');
create index account_differing on account (id) where drift = 'DRIFT';
