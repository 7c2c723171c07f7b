-- Robot accounts that end, rest and rotate, and webhooks with their deliveries.

alter table registry_robot
  -- Called as Harbor calls them. Null where a replica of the version before made it: what its actions hold.
  add column permissions text[],
  add column description text not null default '',
  -- The last day, UTC.
  add column expires_on date,
  add column disabled_at timestamptz,
  add column secret_at timestamptz,
  -- The secret of before the last rotation, while it still works.
  add column previous_hash bytea,
  add column previous_until timestamptz,
  add column previous_used_at timestamptz,
  -- To the minute: a pull is no write.
  add column last_used_at timestamptz,
  add column last_used_address text,
  add column last_used_client text,
  -- Since it expired or was disabled; the day of the last one that stands in the activity log.
  add column refused_count integer not null default 0,
  add column refused_at timestamptz,
  add column refused_noted_on date,
  -- The last day that the team was warned of.
  add column warned_of date,
  add column created_by text,
  add column created_by_name text;
create index registry_robot_expires on registry_robot (expires_on) where expires_on is not null;
create index registry_robot_refused on registry_robot (refused_at) where refused_at is not null;

create table webhook (
  id text primary key,
  app_id text not null references app (id) on delete cascade,
  name text not null,
  description text not null,
  target_url text not null,
  event_types text[] not null,
  -- Sealed with a key of the platform for this row.
  authorization_sealed bytea,
  authorization_at timestamptz,
  authorization_by text,
  authorization_by_name text,
  secret_sealed bytea not null,
  secret_at timestamptz not null default now(),
  previous_secret_sealed bytea,
  previous_secret_until timestamptz,
  skip_verification boolean not null,
  enabled boolean not null,
  disabled_reason text check (disabled_reason in ('FAILING', 'GONE')),
  -- Since when no try has been answered well.
  failing_since timestamptz,
  tested_at timestamptz,
  -- The replica that sends its deliveries, one after the other, and until when.
  lease text,
  leased_until timestamptz,
  created_at timestamptz not null default now(),
  created_by text not null,
  created_by_name text not null,
  updated_at timestamptz not null default now(),
  unique (app_id, name)
);

create table webhook_delivery (
  id text primary key default 'msg_' || replace(gen_random_uuid()::text, '-', ''),
  webhook_id text not null references webhook (id) on delete cascade,
  event text not null,
  state text not null default 'PENDING' check (state in ('PENDING', 'DELIVERED', 'FAILED')),
  -- When the transaction wrote it, not when it began: pages follow this order.
  created_at timestamptz not null default clock_timestamp(),
  operator text not null,
  repository text,
  reference text,
  body text not null,
  tries integer not null default 0,
  max_tries integer not null,
  next_try_at timestamptz,
  -- Of the last try.
  status integer,
  failure text,
  duration_ms integer
);
create index webhook_delivery_newest on webhook_delivery (webhook_id, created_at desc, id desc);
create index webhook_delivery_state on webhook_delivery (webhook_id, state, created_at desc, id desc);
create index webhook_delivery_due on webhook_delivery (webhook_id, next_try_at) where state = 'PENDING';
create index webhook_delivery_old on webhook_delivery (created_at);

create table webhook_try (
  delivery_id text not null references webhook_delivery (id) on delete cascade,
  number integer not null,
  at timestamptz not null,
  status integer,
  failure text,
  address text,
  sent_headers jsonb not null,
  headers jsonb not null,
  body text not null,
  is_body_cut boolean not null,
  certificate_until timestamptz,
  timings jsonb not null,
  primary key (delivery_id, number)
);

-- A delivery for every webhook of the project that wants such an event, in the transaction in which it happens; the body is as Harbor's.
-- Answers how many there are. about_image is added to the image, about_event to the event's data.
create function webhook_enqueue(project text, event_type text, operator_name text, image text, image_tag text, image_digest text,
  registry_host text, about_image jsonb, about_event jsonb) returns integer language sql as $$
  with made as (
    insert into webhook_delivery (webhook_id, event, operator, repository, reference, body, max_tries, next_try_at)
    select webhook.id, event_type, operator_name, image, coalesce(image_tag, image_digest),
      jsonb_build_object('type', event_type, 'occur_at', floor(extract(epoch from now()))::bigint, 'operator', operator_name,
        'event_data', jsonb_build_object(
          'resources', case when image is null then '[]'::jsonb else jsonb_build_array(
            jsonb_strip_nulls(jsonb_build_object('digest', image_digest, 'tag', image_tag,
              'resource_url', registry_host || '/' || image || coalesce(':' || image_tag, '@' || image_digest, ''))) || about_image) end,
          'repository', jsonb_build_object(
            'date_created', (select floor(extract(epoch from kept.created_at))::bigint from registry_repository kept where kept.name = image),
            'name', substr(coalesce(image, project), char_length(project) + 2), 'namespace', project,
            'repo_full_name', coalesce(image, project),
            'repo_type', case when (select kept.is_public from registry_project kept where kept.name = project) then 'public' else 'private' end))
          || about_event)::text,
      8, now()
    from webhook where app_id = project and enabled and event_type = any (event_types)
    returning 1)
  select count(*)::integer from made
$$;
