-- What lists show is kept by the transactions that change it: reading a page costs as much as the page, however much exists.

-- Which pieces of one to three letters a text contains, so that an index finds it by any part of it, be it one letter. No extension:
-- pg_trgm is not allowed on every managed PostgreSQL, and knows no parts shorter than three letters. Its cost keeps the planner from working it
-- out row by row where there is the index.
create function search_grams(words text) returns text[] language sql immutable strict parallel safe cost 1000 as $$
  select coalesce(array_agg(distinct substr(words, place, length)), '{}')
  from generate_series(1, 3) as length, generate_series(1, char_length(words) - length + 1) as place
$$;
-- What a text must have among its pieces to contain `part`; whether it does is still to be looked at.
create function sought_grams(part text) returns text[] language sql immutable strict parallel safe as $$
  select coalesce(array_agg(distinct substr(part, place, least(3, char_length(part)))), '{}')
  from generate_series(1, greatest(char_length(part) - 2, 1)) as place
$$;

create index revision_present on revision (service_id, number desc) where status <> 'DELETED';
create index revision_name on revision (service_id, name);
create index revision_created on revision (service_id, created_at desc);

-- One row for each app, as the home page shows, sorts and filters it. What it should hold says app_overview_now.
create table app_overview (
  app_id text primary key references app (id) on delete cascade,
  team_id text not null,
  team_name text not null,
  -- In small letters, a line each: id, display name, team, macId.
  search text not null,
  -- Ranks of health, worst first: FAILING 0, PENDING 1, HEALTHY 2, NO_INSTANCES 3, INACTIVE 4, NONE 5.
  development smallint not null,
  production smallint not null,
  worst smallint not null,
  -- 0 needs a look, 1 something runs, 2 neither.
  urgency smallint not null,
  running_run_id text,
  last_at timestamptz,
  last_by text,
  last_revision text,
  last_environment text,
  last_pipeline_id text
);
create index app_overview_urgency on app_overview (urgency, app_id);
create index app_overview_team on app_overview (team_id, worst);
create index app_overview_worst on app_overview (worst);
create index app_overview_team_name on app_overview (team_name, app_id);
create index app_overview_last on app_overview (last_at desc nulls last, app_id desc);
create index app_overview_search on app_overview using gin (search_grams(search));

-- Runs under way that are about an app.
create table app_active_run (
  run_id text primary key references pipeline_run (run_id) on delete cascade,
  app_id text not null references app_overview (app_id) on delete cascade,
  created_at timestamptz not null
);
create index app_active_run_app on app_active_run (app_id, created_at desc);

-- Ended pipelines of services by day (UTC), of the last fourteen days in which there were any.
create table app_deploy_day (
  app_id text not null references app_overview (app_id) on delete cascade,
  day date not null,
  completed integer not null,
  failed integer not null,
  primary key (app_id, day)
);

-- How many apps there are by team and worst health: the sum over the rows of a scope, which is a team, or '*' for all. Rows are added
-- only, so that nobody waits for anybody; now and then one row is made of many.
create table app_tally (
  id bigint generated always as identity primary key,
  scope text not null,
  worst smallint not null,
  apps integer not null
);
create index app_tally_scope on app_tally (scope, worst) include (apps);

-- Teams by their number of apps.
create table team_apps (
  team_id text primary key references team (id) on delete cascade,
  team_name text not null,
  apps integer not null
);
create index team_apps_most on team_apps (apps desc, team_name);

-- The worst of an environment's services counts: of each what serves, else its newest revision.
create view app_overview_now as
select app.id as app_id, app.team_id, team.display_name as team_name,
  lower(concat_ws(E'\n', app.id, app.display_name, team.display_name, app.mac_id)) as search,
  health.development, health.production, least(health.development, health.production) as worst,
  case when least(health.development, health.production) = 0 or app.state = 'NOT_CREATED' then 0
    when running.run_id is not null then 1 else 2 end::smallint as urgency,
  running.run_id as running_run_id,
  last.created_at as last_at, last.created_by_name as last_by, last.name as last_revision, last.environment as last_environment,
  last.pipeline_id as last_pipeline_id
from app join team on team.id = app.team_id
cross join lateral (
  select coalesce(min(rank) filter (where environment = 'development'), 5)::smallint as development,
    coalesce(min(rank) filter (where environment = 'production'), 5)::smallint as production
  from (
    select service.environment, case
      when not service.active then 4
      when latest.status is null then 5
      when coalesce(serving.status, latest.status) = 'FAILING' or latest.failed_at is not null and serving.status is null then 0
      when coalesce(serving.status, latest.status) in ('PENDING', 'UNKNOWN') then 1
      when coalesce(serving.status, latest.status) = 'HEALTHY' then 2
      else 3 end as rank
    from service
    left join lateral (select status, failed_at from revision
      where service_id = service.id and status <> 'DELETED' order by number desc limit 1) latest on true
    left join lateral (select status from revision
      where service_id = service.id and name = any (service.serving) order by number desc limit 1) serving on true
    where service.app_id = app.id
  ) ranked
) health
left join lateral (
  select newest.*, service.environment from service
  cross join lateral (select created_at, created_by_name, name, pipeline_id from revision
    where service_id = service.id order by created_at desc limit 1) newest
  where service.app_id = app.id order by newest.created_at desc limit 1
) last on true
left join lateral (select run_id from app_active_run where app_id = app.id order by created_at desc limit 1) running on true;

-- The row is locked before anything is read: of two transactions, the later one reads what the earlier one wrote.
create function refresh_app_overview(changed text) returns void language plpgsql as $$
begin
  perform from app_overview where app_id = changed for no key update;
  if not found then return; end if;
  update app_overview kept set team_id = fresh.team_id, team_name = fresh.team_name, search = fresh.search, development = fresh.development,
    production = fresh.production, worst = fresh.worst, urgency = fresh.urgency, running_run_id = fresh.running_run_id,
    last_at = fresh.last_at, last_by = fresh.last_by, last_revision = fresh.last_revision, last_environment = fresh.last_environment,
    last_pipeline_id = fresh.last_pipeline_id
  from app_overview_now fresh
  where kept.app_id = changed and fresh.app_id = changed and row(kept.*) is distinct from row(fresh.*);
end $$;

-- The triggers below run as the transaction commits: what they lock is locked for a moment, and after everything else.
create function app_overview_on_app() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then insert into app_overview select * from app_overview_now where app_id = new.id on conflict do nothing;
  else perform refresh_app_overview(new.id); end if;
  return null;
end $$;
create constraint trigger app_overview_insert after insert on app deferrable initially deferred
  for each row execute function app_overview_on_app();
create constraint trigger app_overview_update after update on app deferrable initially deferred
  for each row when ((old.team_id, old.display_name, old.mac_id, old.state) is distinct from (new.team_id, new.display_name, new.mac_id, new.state))
  execute function app_overview_on_app();

create function app_overview_on_team() returns trigger language plpgsql as $$
declare
  owned record;
begin
  for owned in select id from app where team_id = new.id order by id loop perform refresh_app_overview(owned.id); end loop;
  update team_apps set team_name = new.display_name where team_id = new.id;
  return null;
end $$;
create constraint trigger app_overview_update after update on team deferrable initially deferred
  for each row when (old.display_name is distinct from new.display_name) execute function app_overview_on_team();

create function app_overview_on_service() returns trigger language plpgsql as $$
begin
  perform refresh_app_overview(coalesce(new.app_id, old.app_id));
  return null;
end $$;
create constraint trigger app_overview_change after insert or delete on service deferrable initially deferred
  for each row execute function app_overview_on_service();
create constraint trigger app_overview_update after update on service deferrable initially deferred
  for each row when ((old.active, old.serving) is distinct from (new.active, new.serving)) execute function app_overview_on_service();

create function app_overview_on_revision() returns trigger language plpgsql as $$
begin
  -- A service that is gone has said so itself.
  perform refresh_app_overview(app_id) from service where id = coalesce(new.service_id, old.service_id);
  return null;
end $$;
create constraint trigger app_overview_change after insert or delete on revision deferrable initially deferred
  for each row execute function app_overview_on_revision();
create constraint trigger app_overview_update after update on revision deferrable initially deferred
  for each row when ((old.status, old.failed_at) is distinct from (new.status, new.failed_at)) execute function app_overview_on_revision();

create function app_overview_on_run() returns trigger language plpgsql as $$
declare
  about record;
  today date := (now() at time zone 'UTC')::date;
begin
  select app_id, service into about from pipeline where id = new.pipeline_id;
  if about.app_id is null then return null; end if;
  perform from app_overview where app_id = about.app_id for no key update;
  if not found then return null; end if;
  if new.state in ('QUEUED', 'PENDING', 'RUNNING') then
    insert into app_active_run (run_id, app_id, created_at)
      select run_id, about.app_id, created_at from pipeline_run where run_id = new.run_id and state in ('QUEUED', 'PENDING', 'RUNNING')
      on conflict do nothing;
  else
    delete from app_active_run where run_id = new.run_id;
  end if;
  if new.state in ('COMPLETED', 'FAILED') and about.service is not null and (new.ended_at at time zone 'UTC')::date > today - 14 then
    insert into app_deploy_day as kept (app_id, day, completed, failed)
      values (about.app_id, (new.ended_at at time zone 'UTC')::date, (new.state = 'COMPLETED')::integer, (new.state = 'FAILED')::integer)
      on conflict (app_id, day) do update set completed = kept.completed + excluded.completed, failed = kept.failed + excluded.failed;
    delete from app_deploy_day where app_id = about.app_id and day <= today - 14;
  end if;
  perform refresh_app_overview(about.app_id);
  return null;
end $$;
create constraint trigger app_overview_insert after insert on pipeline_run deferrable initially deferred
  for each row execute function app_overview_on_run();
create constraint trigger app_overview_update after update on pipeline_run deferrable initially deferred
  for each row when (old.state is distinct from new.state) execute function app_overview_on_run();

create function app_overview_on_active_run() returns trigger language plpgsql as $$
begin
  perform refresh_app_overview(old.app_id);
  return null;
end $$;
create constraint trigger app_overview_delete after delete on app_active_run deferrable initially deferred
  for each row execute function app_overview_on_active_run();

-- Makes one row of many, for each health. Rows that somebody else is at are left for the next time.
create function fold_app_tally(folded text) returns void language sql as $$
  with picked as (select id from app_tally where scope = folded for update skip locked),
    gone as (delete from app_tally using picked where app_tally.id = picked.id returning app_tally.worst, app_tally.apps)
  insert into app_tally (scope, worst, apps) select folded, worst, sum(apps) from gone group by worst having sum(apps) <> 0
$$;

create function app_tally_on_overview() returns trigger language plpgsql as $$
declare
  newest bigint;
begin
  if tg_op <> 'INSERT' then
    insert into app_tally (scope, worst, apps) values ('*', old.worst, -1), (old.team_id, old.worst, -1);
  end if;
  if tg_op <> 'DELETE' then
    insert into app_tally (scope, worst, apps) values ('*', new.worst, 1);
    insert into app_tally (scope, worst, apps) values (new.team_id, new.worst, 1) returning id into newest;
    if newest % 16 < 4 then perform fold_app_tally('*'), fold_app_tally(new.team_id); end if;
  end if;
  if tg_op = 'UPDATE' then if old.team_id = new.team_id then return null; end if; end if;
  if tg_op <> 'INSERT' then update team_apps set apps = apps - 1 where team_id = old.team_id; end if;
  if tg_op <> 'DELETE' then
    insert into team_apps as kept (team_id, team_name, apps) values (new.team_id, new.team_name, 1)
      on conflict (team_id) do update set apps = kept.apps + 1;
  end if;
  return null;
end $$;
create trigger app_tally_change after insert or delete on app_overview for each row execute function app_tally_on_overview();
create trigger app_tally_update after update on app_overview
  for each row when ((old.team_id, old.worst) is distinct from (new.team_id, new.worst)) execute function app_tally_on_overview();

-- What the rows above should hold, from the rows that they are made of.
create view app_active_run_now as
select run.run_id, app.id as app_id, run.created_at
from pipeline_run run join pipeline on pipeline.id = run.pipeline_id join app on app.id = pipeline.app_id
-- An earlier app of this name left runs, too.
where run.state in ('QUEUED', 'PENDING', 'RUNNING') and run.created_at >= app.created_at;

create view app_deploy_day_now as
select app.id as app_id, (run.ended_at at time zone 'UTC')::date as day,
  count(*) filter (where run.state = 'COMPLETED')::integer as completed, count(*) filter (where run.state = 'FAILED')::integer as failed
from pipeline_run run join pipeline on pipeline.id = run.pipeline_id join app on app.id = pipeline.app_id
where pipeline.service is not null and run.state in ('COMPLETED', 'FAILED') and run.created_at >= app.created_at
  and run.ended_at >= ((now() at time zone 'UTC')::date - 13) at time zone 'UTC'
group by 1, 2;

create view app_tally_now as
select scope, worst, count(*)::integer as apps from (
  select '*' as scope, worst from app_overview_now union all select team_id, worst from app_overview_now) counted
group by 1, 2;

create view team_apps_now as
select team.id as team_id, team.display_name as team_name, count(*)::integer as apps
from app join team on team.id = app.team_id group by team.id;

-- Makes all of them anew; writers of apps, services and runs wait meanwhile.
create function rebuild_app_overview() returns void language plpgsql as $$
begin
  -- Also against those who lock a row: they would wait for one that is deleted here, and not see the one that takes its place.
  lock table app_overview in exclusive mode;
  -- The sums are made at once below, not app by app.
  alter table app_overview disable trigger user;
  delete from app_overview;
  delete from app_tally;
  delete from team_apps;
  insert into app_overview select * from app_overview_now;
  insert into app_active_run select * from app_active_run_now;
  update app_overview kept set running_run_id = fresh.running_run_id, urgency = fresh.urgency
    from app_overview_now fresh join app_active_run running on running.app_id = fresh.app_id where kept.app_id = fresh.app_id;
  alter table app_overview enable trigger user;
  insert into app_deploy_day select * from app_deploy_day_now;
  insert into app_tally (scope, worst, apps) select * from app_tally_now;
  insert into team_apps select * from team_apps_now;
  update pipeline set latest_run_id = latest.run_id, latest_at = latest.created_at
    from pipeline same cross join lateral (select run_id, created_at from pipeline_run where pipeline_id = same.id order by number desc limit 1) latest
    where same.id = pipeline.id and (pipeline.latest_run_id, pipeline.latest_at) is distinct from (latest.run_id, latest.created_at);
end $$;

-- Pipelines in the order of their latest runs. A first run is the latest as its pipeline is made; a re-run says so itself.
alter table pipeline
  add column latest_run_id text,
  add column latest_at timestamptz not null default now(),
  -- The type and the names in the address of what it is about: what a search looks at.
  add column names text[] not null default '{}';

create function pipeline_names(made pipeline) returns text[] language sql stable as $$
  select array_agg(distinct name) from (
    select made.type as name
    union all select value from jsonb_each_text(
      coalesce(to_jsonb(made) -> 'subject_names', jsonb_build_object('app', made.app_id, 'service', made.service))) where key <> 'env'
  ) named where name is not null
$$;
update pipeline set names = pipeline_names(pipeline), latest_at = coalesce(latest.created_at, pipeline.created_at), latest_run_id = latest.run_id
  from pipeline same left join lateral (select run_id, created_at from pipeline_run
    where pipeline_id = same.id order by number desc limit 1) latest on true
  where same.id = pipeline.id;

-- The rows that are not what they should be; none where all is well. Reads everything.
create function app_overview_differences() returns table (kind text, id text, kept jsonb, fresh jsonb) language sql stable as $$
  select 'app', coalesce(k.app_id, f.app_id), to_jsonb(k), to_jsonb(f)
    from app_overview k full join app_overview_now f on f.app_id = k.app_id where row(k.*) is distinct from row(f.*)
  union all
  select 'run', coalesce(k.run_id, f.run_id), to_jsonb(k), to_jsonb(f)
    from app_active_run k full join app_active_run_now f on f.run_id = k.run_id where row(k.*) is distinct from row(f.*)
  union all
  select 'day', coalesce(k.app_id, f.app_id), to_jsonb(k), to_jsonb(f)
    from (select * from app_deploy_day where day > (now() at time zone 'UTC')::date - 14) k
    full join app_deploy_day_now f on f.app_id = k.app_id and f.day = k.day where row(k.*) is distinct from row(f.*)
  union all
  select 'tally', coalesce(k.scope, f.scope), to_jsonb(k), to_jsonb(f)
    from (select scope, worst, sum(apps)::integer as apps from app_tally group by 1, 2 having sum(apps) <> 0) k
    full join app_tally_now f on f.scope = k.scope and f.worst = k.worst where row(k.*) is distinct from row(f.*)
  union all
  select 'team', coalesce(k.team_id, f.team_id), to_jsonb(k), to_jsonb(f)
    from (select * from team_apps where apps <> 0) k full join team_apps_now f on f.team_id = k.team_id where row(k.*) is distinct from row(f.*)
  union all
  select 'pipeline', p.id, jsonb_build_object('run', p.latest_run_id, 'at', p.latest_at), jsonb_build_object('run', latest.run_id, 'at', latest.created_at)
    from pipeline p cross join lateral (select run_id, created_at from pipeline_run where pipeline_id = p.id order by number desc limit 1) latest
    where (p.latest_run_id, p.latest_at) is distinct from (latest.run_id, latest.created_at)
$$;

drop index pipeline_created, pipeline_app, pipeline_team;
create index pipeline_latest on pipeline (latest_at desc, id desc);
create index pipeline_latest_app on pipeline (app_id, latest_at desc, id desc);
create index pipeline_latest_team on pipeline (team_id, latest_at desc, id desc);
create index pipeline_latest_type on pipeline (type, latest_at desc, id desc);
create index pipeline_latest_trigger on pipeline (trigger, latest_at desc, id desc);
create index pipeline_names on pipeline using gin (names);
alter table pipeline_run add column is_latest boolean not null default true;
update pipeline_run set is_latest = false
  where exists (select from pipeline_run newer where newer.pipeline_id = pipeline_run.pipeline_id and newer.number > pipeline_run.number);
create index pipeline_run_state on pipeline_run (state, created_at desc, pipeline_id desc) where is_latest;

create function pipeline_run_is_latest() returns trigger language plpgsql as $$
begin
  update pipeline set latest_run_id = new.run_id, latest_at = new.created_at where id = new.pipeline_id and latest_run_id is distinct from new.run_id;
  if new.number > 1 then
    update pipeline_run set is_latest = false where pipeline_id = new.pipeline_id and number < new.number and is_latest;
  end if;
  return null;
end $$;
create trigger pipeline_run_latest after insert on pipeline_run for each row execute function pipeline_run_is_latest();

-- Every name that a pipeline was ever about, and the types: a search finds the few names first, then their pipelines.
create table pipeline_name (name text primary key);
create index pipeline_name_search on pipeline_name using gin (search_grams(lower(name)));
insert into pipeline_name select distinct unnest(names) from pipeline;

-- After the trigger that fills the subject of rows that older replicas write: triggers run in the order of their names.
create function pipeline_set_names() returns trigger language plpgsql as $$
begin
  new.names := pipeline_names(new);
  insert into pipeline_name select * from unnest(new.names) as fresh (name) where not exists (select from pipeline_name known where known.name = fresh.name)
    order by 1 on conflict do nothing;
  return new;
end $$;
create trigger pipeline_words before insert on pipeline for each row execute function pipeline_set_names();

-- The activity log of an app holds what has no environment, too: one order for all of it.
create index activity_app_newest on activity (app_id, at desc, id desc);
create index activity_team_newest on activity (team_id, at desc, id desc);
drop index activity_team;

-- Lists of teams, people and apps, in the orders that they offer.
create index team_display on team (display_name, id);
create index team_created on team (created_at, id);
create index team_search on team using gin (search_grams(lower(id || E'\n' || display_name)));
create index identity_display on identity (display_name, id);
create index identity_search on identity using gin (search_grams(lower(display_name || E'\n' || coalesce(email, ''))));
create index app_search on app using gin (search_grams(lower(id || E'\n' || display_name)));
create index app_display on app (display_name, id);
create index app_created on app (created_at, id);

select rebuild_app_overview();
