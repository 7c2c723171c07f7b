-- Notifications: an outbox of events, notices made of them, trays, channels and their deliveries.

-- Written in the transaction of the change. A worker turns an event into a notice, trays and deliveries.
create table notification_event (
  -- Chosen by the writer, so that an event is written once.
  id text primary key,
  type text not null,
  -- Events of one type about one entity within ten minutes are one notice.
  entity text not null,
  team_id text,
  identity_ids text[] not null,
  actor_id text,
  context jsonb not null,
  path text not null,
  at timestamptz not null default clock_timestamp(),
  expanded_at timestamptz,
  failed_at timestamptz
);
create index notification_event_waiting on notification_event (at, id) where expanded_at is null;
create index notification_event_old on notification_event (at);

create table notice (
  id text primary key default 'ntc_' || replace(gen_random_uuid()::text, '-', ''),
  type text not null,
  entity text not null,
  team_id text,
  context jsonb not null,
  path text not null,
  count integer not null default 1,
  first_at timestamptz not null,
  at timestamptz not null
);
create index notice_joining on notice (type, entity, first_at desc);
create index notice_old on notice (at);

create table notice_tray (
  identity_id text not null references identity (id) on delete cascade,
  notice_id text not null references notice (id) on delete cascade,
  at timestamptz not null,
  read_at timestamptz,
  -- Set when the person hides it.
  done_at timestamptz,
  primary key (identity_id, notice_id)
);
create index notice_tray_newest on notice_tray (identity_id, at desc, notice_id desc) where done_at is null;
create index notice_tray_unread on notice_tray (identity_id) where read_at is null and done_at is null;
create index notice_tray_notice on notice_tray (notice_id);

-- What a person changed. Without a row, the topic's defaults apply.
create table notification_preference (
  identity_id text not null references identity (id) on delete cascade,
  topic text not null,
  tray boolean not null,
  email text not null check (email in ('OFF', 'AT_ONCE', 'DAILY', 'WEEKLY')),
  primary key (identity_id, topic)
);

-- A channel of a team, or the e-mail of one person.
create table notification_channel (
  id text primary key,
  team_id text references team (id) on delete cascade,
  identity_id text unique references identity (id) on delete cascade,
  name text not null,
  kind text not null check (kind in ('EMAIL', 'WEBHOOK', 'SLACK', 'TEAMS')),
  -- Sealed with a key of the platform for this row. Null for a person, whose current e-mail address is used.
  address_sealed bytea,
  address_shown text not null,
  -- The host that receives it, whose slots are limited.
  receiver text not null,
  secret_sealed bytea,
  -- What the team changed, by topic.
  cadences jsonb not null default '{}',
  failing_since timestamptz,
  tested_at timestamptz,
  lease text,
  leased_until timestamptz,
  created_at timestamptz not null default now(),
  created_by text not null,
  created_by_name text not null,
  check ((team_id is null) <> (identity_id is null)),
  unique (team_id, name)
);

create table notification_delivery (
  id text primary key default 'msg_' || replace(gen_random_uuid()::text, '-', ''),
  channel_id text not null references notification_channel (id) on delete cascade,
  -- The type of its notice, or DAILY, WEEKLY, TEST.
  event text not null,
  state text not null default 'PENDING' check (state in ('PENDING', 'DELIVERED', 'FAILED')),
  created_at timestamptz not null default clock_timestamp(),
  -- Of a digest that collects notices: when it is sent. The first try clears it.
  due_at timestamptz,
  tries integer not null default 0,
  max_tries integer not null,
  next_try_at timestamptz,
  -- Of the last try.
  status integer,
  failure text,
  answer text,
  duration_ms integer
);
create unique index notification_delivery_digest on notification_delivery (channel_id, event, due_at) where due_at is not null;
create index notification_delivery_newest on notification_delivery (channel_id, created_at desc, id desc);
create index notification_delivery_due on notification_delivery (channel_id, next_try_at) where state = 'PENDING';
create index notification_delivery_old on notification_delivery (created_at);

create table notification_delivery_notice (
  delivery_id text not null references notification_delivery (id) on delete cascade,
  notice_id text not null references notice (id) on delete cascade,
  primary key (delivery_id, notice_id)
);
create index notification_delivery_notice_notice on notification_delivery_notice (notice_id);

-- Failing services, and topics and schemas that differ from their engine: since when, and when the team was notified.
create table lasting_condition (
  -- The kind and the id of its row: 'service#svc_1'.
  key text primary key,
  type text not null,
  app_id text not null,
  environment text not null,
  name text not null,
  since timestamptz not null default now(),
  announced_at timestamptz
);
create index revision_failing on revision (service_id) where status = 'FAILING';
create index topic_differing on topic (id) where drift -> 'differences' <> '[]'::jsonb;
create index schema_watch_differing on schema_watch (schema_id) where drift -> 'differences' <> '[]'::jsonb;

-- E-mail that the embedded adapter keeps instead of sending it.
create table mail_outbox (
  id text primary key,
  at timestamptz not null default clock_timestamp(),
  recipient text not null,
  subject text not null,
  body text not null
);
create index mail_outbox_newest on mail_outbox (at desc, id desc);

-- The last number of days before the end of which a team was warned, besides the day in warned_of.
alter table registry_robot add column warned_days integer;
