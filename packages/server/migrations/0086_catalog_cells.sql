-- Filters by kind, status, criticality, classification and verification are answered from counters: a cell is one combination of the five.
-- Writers wait, so that no entry is counted twice or never.
lock table catalog_entry in share row exclusive mode;

create or replace function catalog_tally(entry catalog_entry, sign integer) returns void language sql as $$
  insert into catalog_count (kind, facet, value, n)
  select entry.kind, facet, value, sign from (values
    ('cell', jsonb_build_array(entry.status, entry.criticality, entry.classification,
      case when entry.kind = 'application' then entry.is_verified::text end)::text),
    -- Servers of the former version read these four.
    ('status', entry.status),
    ('criticality', case when entry.status = 'REJECTED' then null else entry.criticality end),
    ('classification', case when entry.status = 'REJECTED' then null else entry.classification end),
    ('verified', case when entry.kind = 'application' and entry.status <> 'REJECTED' then entry.is_verified::text end),
    ('platform', case when entry.status = 'REJECTED' then null else entry.platform_id end),
    ('portfolio', case when entry.status = 'REJECTED' then null else entry.portfolio_id end)) as facets (facet, value)
  where value is not null
  union all select entry.kind, 'label', label, sign from unnest(entry.labels) as label where entry.status <> 'REJECTED'
$$;
insert into catalog_count (kind, facet, value, n)
select kind, 'cell', jsonb_build_array(status, criticality, classification, case when kind = 'application' then is_verified::text end)::text, count(*)
from catalog_entry group by 1, 3;

-- The other facets are counted in this index alone. It has few combinations of leading columns, so any of them may be missing in a filter.
create index catalog_entry_cell on catalog_entry (status, criticality, classification, kind, is_verified)
  include (id, platform_id, portfolio_id, labels);

-- Who was shown a token of a service account: its requests are not decided by them. Rows outlive the tokens.
create table service_account_holder (
  account_id text not null references identity (id) on delete cascade,
  identity_id text not null references identity (id) on delete cascade,
  primary key (account_id, identity_id)
);
insert into service_account_holder (account_id, identity_id)
select distinct token.identity_id, activity.actor_id from activity
join api_token token on token.id = activity.after ->> 'id' or token.identity_id = activity.after ->> 'id'
join identity account on account.id = token.identity_id and account.type = 'SERVICE_ACCOUNT'
join identity actor on actor.id = activity.actor_id
where activity.type in ('serviceAccountCreate', 'serviceAccountTokenCreate');

-- Whoever pushed the image that a request deploys wrote its content.
update request set revised_by = payload ->> 'pushedBy'
where kind = 'PRODUCTION_CHANGE' and status = 'PENDING' and revised_by is null and payload ->> 'pushedBy' is not null;

-- Numbers of a checked or finished import.
alter table catalog_import add column counts jsonb;
