-- What pipelines and activity are about, in one form for every kind: a kind, the names of its address, the id of
-- its row (where that is not its name), and the keys of
-- everything whose lists show it. team_id, app_id and environment stay: whose it is, and the two scopes that whole pages list. The
-- columns service and revision are for replicas of the version before, and go with the triggers in a later one. pipeline.subject,
-- which at most one run at a time works on, stays what it is.
alter table pipeline
  add column subject_kind text,
  add column subject_names jsonb not null default '{}',
  add column subject_id text,
  -- 'service:berth/development/berth-api', 'service#svc_1', 'app:berth': itself first.
  add column subject_keys text[] not null default '{}';
alter table activity
  add column subject_kind text,
  add column subject_names jsonb not null default '{}',
  add column subject_id text,
  add column subject_keys text[] not null default '{}';

-- The subject that the old columns tell of. A service or revision of that name which was made later is another one.
create function subject_of_columns(team text, app text, env text, service_name text, revision_name text, made_at timestamptz,
  out kind text, out names jsonb, out id text, out keys text[]) language plpgsql stable as $$
declare
  service_row text;
  revision_row text;
  place text := concat_ws('/', app, env, service_name);
begin
  kind := case when service_name is not null and revision_name is not null then 'revision' when service_name is not null then 'service'
    when app is not null then 'app' when team is not null then 'team' end;
  names := jsonb_strip_nulls(jsonb_build_object('team', case when kind = 'team' then team end, 'app', app, 'env', env,
    'service', service_name, 'revision', revision_name));
  if service_name is not null then
    select service.id into service_row from service
      where service.app_id = app and service.environment = env and service.name = service_name and service.created_at <= made_at;
  end if;
  if kind = 'revision' and service_row is not null then
    select revision.id into revision_row from revision
      where revision.service_id = service_row and revision.name = revision_name;
  end if;
  id := case kind when 'revision' then revision_row when 'service' then service_row end;
  keys := array_remove(array[
    case when kind = 'revision' then 'revision:' || place || '/' || revision_name end, 'revision#' || revision_row,
    case when service_name is not null then 'service:' || place end, 'service#' || service_row,
    'app:' || app, case when kind = 'team' then 'team:' || team end], null);
end $$;

update pipeline set (subject_kind, subject_names, subject_id, subject_keys) =
  (select kind, names, id, keys from subject_of_columns(team_id, app_id, environment, service, revision, pipeline.created_at));
update activity set (subject_kind, subject_names, subject_id, subject_keys) =
  (select kind, names, id, keys from subject_of_columns(team_id, app_id, environment, service, null, activity.at));

-- Read far more often than written: a list of what waits to be put into the index would be read each time.
create index pipeline_subject_keys on pipeline using gin (subject_keys) with (fastupdate = off);
create index activity_subject_keys on activity using gin (subject_keys) with (fastupdate = off);
create index pipeline_subject_id on pipeline (subject_kind, subject_id, created_at desc);

-- Replicas of the version before write and read the old columns alone, until the last of them is replaced.
create function pipeline_subject_both_ways() returns trigger language plpgsql as $$
begin
  if new.subject_kind is null then
    select kind, names, id, keys into new.subject_kind, new.subject_names, new.subject_id, new.subject_keys
      from subject_of_columns(new.team_id, new.app_id, new.environment, new.service, new.revision, new.created_at);
  else
    new.service := new.subject_names ->> 'service';
    new.revision := new.subject_names ->> 'revision';
  end if;
  return new;
end $$;
create trigger pipeline_subject_both_ways before insert on pipeline for each row execute function pipeline_subject_both_ways();

create function activity_subject_both_ways() returns trigger language plpgsql as $$
begin
  if new.subject_kind is null then
    select kind, names, id, keys into new.subject_kind, new.subject_names, new.subject_id, new.subject_keys
      from subject_of_columns(new.team_id, new.app_id, new.environment, new.service, null, new.at);
  else
    new.service := new.subject_names ->> 'service';
  end if;
  return new;
end $$;
create trigger activity_subject_both_ways before insert on activity for each row execute function activity_subject_both_ways();
