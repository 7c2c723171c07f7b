-- Traces that instances of services send. Partitions of one day are dropped as a whole. The server makes them, see modules/traces.

-- Whether instances get a token and an endpoint for traces. Revisions of earlier versions keep running as they were started.
alter table revision add column sends_traces boolean not null default false;
alter table revision alter column sends_traces set default true;

create table trace_span (
  team_id text not null,
  service_id text not null,
  revision text not null,
  trace_id text not null,
  span_id text not null,
  parent_id text,
  name text not null,
  kind smallint not null,
  -- True if the span begins the service's part of the trace.
  is_entry boolean not null,
  is_error boolean not null,
  message text not null,
  started_at timestamptz not null,
  duration_us bigint not null,
  attributes jsonb not null,
  received_at timestamptz not null default now(),
  -- False until sampling decided about the trace. Sampling deletes the spans of other traces.
  is_kept boolean not null default false,
  -- Clients send a batch again if they got no answer.
  primary key (service_id, trace_id, span_id, started_at)
) partition by range (started_at);
create index trace_span_trace on trace_span (trace_id);
create index trace_span_undecided on trace_span (received_at) where not is_kept;
create index trace_span_slow on trace_span (service_id, name, duration_us desc) where is_entry;
create index trace_span_failed on trace_span (service_id, started_at desc) where is_entry and is_error;

-- Spans that a team stored on a day (UTC), without those that sampling deleted.
create table trace_usage (
  team_id text not null,
  day date not null,
  spans integer not null,
  primary key (team_id, day)
);
