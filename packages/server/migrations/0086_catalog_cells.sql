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
