-- Who decides and asks, in the order of the inbox: one row for each key of a request, and for the team that owns the app of a key now.
-- A list reads a page of each of the caller's few keys, however many apps the teams own and however many requests there are.
create table request_holder (
  holder text not null,
  number bigint not null references request (number) on delete cascade,
  is_decider boolean not null,
  is_asker boolean not null,
  primary key (holder, number)
);
create index request_holder_number on request_holder (number);
create index request_kind_number on request (kind, number desc);

create function request_hold(requests bigint[]) returns void language sql as $$
  delete from request_holder where number = any(requests);
  insert into request_holder (holder, number, is_decider, is_asker)
  select holder, number, bool_or(is_decider), bool_or(not is_decider) from (
    select request.number, party.is_decider, own.holder from request
      cross join lateral (select key, true as is_decider from unnest(request.deciders) as key
        union all select key, false from unnest(request.askers) as key) as party
      cross join lateral (select party.key as holder
        union all select 'team:' || team_id from app where party.key like 'app:%' and id = substr(party.key, 5)) as own
    where request.number = any(requests) and party.key is not null) as held
  group by holder, number
$$;

create function request_keep_holders() returns trigger language plpgsql as $$
begin
  perform request_hold(array[new.number]);
  return null;
end $$;
create trigger request_held after insert on request for each row execute function request_keep_holders();
create trigger request_held_again after update of deciders, askers on request for each row
  when ((old.deciders, old.askers) is distinct from (new.deciders, new.askers)) execute function request_keep_holders();

-- Requests follow their app to another team.
create function app_keep_holders() returns trigger language plpgsql as $$
declare
  keys text[] := array['app:' || coalesce(new.id, old.id)];
begin
  perform request_hold(array(select number from request where deciders @> keys union select number from request where askers @> keys));
  return null;
end $$;
create trigger app_held after insert or delete on app for each row execute function app_keep_holders();
create trigger app_held_again after update of team_id on app for each row when (old.team_id is distinct from new.team_id)
  execute function app_keep_holders();

select request_hold(array(select number from request));
