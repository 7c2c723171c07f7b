-- Settings that pipelines apply: what the edge was told, how often they changed, and services that were scaled down for want of requests.
alter table service
  -- { externalTraffic, externalTrafficAuthentication, exposedPort } as last applied: a revision that fails must not change the edge.
  -- Null: as the settings say.
  add column edge jsonb,
  add column settings_version integer not null default 1,
  add column scaled_down_at timestamptz,
  -- The last pushed image tag that the image update policy has looked at, and when: a sweep catches up on what a dead replica took.
  add column image_seen_at timestamptz;
update service set edge = jsonb_build_object(
  'externalTraffic', spec -> 'externalTraffic',
  'externalTrafficAuthentication', spec -> 'externalTrafficAuthentication',
  'exposedPort', spec -> 'exposedPort');

create index activity_service on activity (app_id, environment, service, at desc);
