-- A monitor is also deleted with its app. What it collected has no foreign key, so each deletion is noted here, whoever performs it.
create function monitor_note_gone() returns trigger language plpgsql as $$
begin
  insert into monitor_gone (monitor_id) values (old.id) on conflict do nothing;
  return null;
end
$$;
create trigger monitor_gone after delete on monitor for each row execute function monitor_note_gone();

-- Events of monitors that were deleted with their app before. Each step finds the next monitor in the index, so no partition is read whole.
with recursive found as (
  select min(monitor_id) as id from monitor_event
  union all
  select (select min(monitor_id) from monitor_event where monitor_id > found.id) from found where found.id is not null)
insert into monitor_gone (monitor_id)
select id from found where id is not null and not exists (select from monitor where monitor.id = found.id)
on conflict do nothing;
