-- Events of sessions. Partitions of one retention and one day are dropped as a whole. The server makes them, see modules/monitors/partitions.ts.

create table monitor_event (
  monitor_id text not null,
  retention_days smallint not null,
  at timestamptz not null,
  session_id text not null,
  kind text not null,
  name text not null,
  page text not null,
  release text not null,
  value double precision,
  status integer,
  message text not null
) partition by list (retention_days);
create index monitor_event_session on monitor_event (monitor_id, session_id, at);
create index monitor_event_error on monitor_event (monitor_id, name, at) where kind = 'ERROR';

create table monitor_event_7 partition of monitor_event for values in (7) partition by range (at);
create table monitor_event_30 partition of monitor_event for values in (30) partition by range (at);
create table monitor_event_90 partition of monitor_event for values in (90) partition by range (at);
