-- Robot accounts of the registry have holders, too: whoever was shown the secret of a robot that pushed an image does not decide to deploy it.
-- `account_id` is then the robot's user name, which is no identity.
-- Read before the lock on identity, which every request needs.
create temporary table robot_holder on commit drop as
select distinct 'robot$' || (subject_names ->> 'app') || '+' || (subject_names ->> 'robot') as account_id, actor_id as identity_id from activity
join identity on identity.id = activity.actor_id
where activity.type in ('robotAccountCreate', 'robotAccountRotate') and after ->> 'into' is null and subject_names ? 'app' and subject_names ? 'robot';

-- What an entry counts for. One definition for the writes and for the check of the counters.
create function catalog_facets(entry catalog_entry) returns table (facet text, value text) language sql stable as $$
  select facets.facet, facets.value from (values
    ('cell', jsonb_build_array(entry.status, entry.criticality, entry.classification,
      case when entry.kind = 'application' then entry.is_verified::text end)::text),
    -- Servers of the former version read these four.
    ('status', entry.status),
    ('criticality', case when entry.status = 'REJECTED' then null else entry.criticality end),
    ('classification', case when entry.status = 'REJECTED' then null else entry.classification end),
    ('verified', case when entry.kind = 'application' and entry.status <> 'REJECTED' then entry.is_verified::text end),
    ('platform', case when entry.status = 'REJECTED' then null else entry.platform_id end),
    ('portfolio', case when entry.status = 'REJECTED' then null else entry.portfolio_id end)) as facets (facet, value)
  where facets.value is not null
  union all select 'label', label from unnest(entry.labels) as label where entry.status <> 'REJECTED'
$$;
create or replace function catalog_tally(entry catalog_entry, sign integer) returns void language sql as $$
  insert into catalog_count (kind, facet, value, n) select entry.kind, facet, value, sign from catalog_facets(entry)
$$;

-- What the counters lack. Entries and counters are read in one snapshot, and a write changes both in one transaction.
create function catalog_count_differences() returns table (kind text, facet text, value text, n bigint) language sql stable as $$
  select kind, facet, value, coalesce(fresh.n, 0) - coalesce(kept.n, 0)
  from (select entry.kind, counted.facet, counted.value, count(*) as n from catalog_entry entry cross join lateral catalog_facets(entry) as counted
    group by 1, 2, 3) as fresh
  full join (select kind, facet, value, sum(n)::bigint as n from (select kind, facet, value, n from catalog_total where kind <> ''
    union all select kind, facet, value, n from catalog_count where kind <> '') as sums group by 1, 2, 3) as kept using (kind, facet, value)
  where coalesce(fresh.n, 0) <> coalesce(kept.n, 0)
$$;

-- A former app with the id of an app may have belonged to another team, whose requests are not those of this app.
update request set deciders = array_remove(deciders, 'app:' || app.id), askers = array_remove(askers, 'app:' || app.id)
from app where request.requested_at < app.created_at
  and (request.deciders @> array['app:' || app.id] or request.askers @> array['app:' || app.id]);

-- Last, because the lock is held until the end.
alter table service_account_holder drop constraint service_account_holder_account_id_fkey;
insert into service_account_holder (account_id, identity_id) select account_id, identity_id from robot_holder on conflict do nothing;

-- What a service account was shown, its own holders may know.
insert into service_account_holder (account_id, identity_id)
select distinct held.account_id, holder.identity_id from service_account_holder held
join service_account_holder holder on holder.account_id = held.identity_id
on conflict do nothing;
