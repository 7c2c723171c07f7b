-- The catalog of applications, platforms, portfolios and products.
do $$ begin
  create extension if not exists pg_trgm;
  create extension if not exists unaccent;
exception when insufficient_privilege or undefined_file then
  raise exception 'The database needs two extensions. Run as its superuser: create extension pg_trgm; create extension unaccent;';
end $$;

alter table identity add column employee_id text;
-- When the person left the company directory.
alter table identity add column left_at timestamptz;

create table catalog_approver (
  identity_id text primary key references identity (id) on delete cascade,
  added_at timestamptz not null default now(),
  added_by text not null
);

create table catalog_option (
  list text not null check (list in ('strategicIntents', 'mipLayers', 'informationClassifications', 'criticalityCategories')),
  id text not null,
  name text not null,
  position integer not null,
  primary key (list, id)
);
insert into catalog_option (list, id, name, position)
select list, id, name, row_number() over (partition by list) from (values
  ('criticalityCategories', 'mission-critical', 'Mission critical'), ('criticalityCategories', 'business-critical', 'Business critical'),
  ('criticalityCategories', 'important', 'Important'), ('criticalityCategories', 'supporting', 'Supporting'),
  ('informationClassifications', 'PUBLIC', 'PUBLIC'), ('informationClassifications', 'INTERNAL', 'INTERNAL'),
  ('informationClassifications', 'CONFIDENTIAL', 'CONFIDENTIAL'), ('informationClassifications', 'RESTRICTED', 'RESTRICTED'),
  ('mipLayers', 'experience', 'Experience'), ('mipLayers', 'process', 'Process'), ('mipLayers', 'system', 'System'), ('mipLayers', 'data', 'Data'),
  ('strategicIntents', 'invest', 'Invest'), ('strategicIntents', 'keep', 'Keep'), ('strategicIntents', 'move-off', 'Move off'),
  ('strategicIntents', 'retire', 'Retire')) as seed (list, id, name);

create table catalog_label (
  id text primary key,
  name text not null,
  description text not null,
  properties jsonb not null default '{}',
  is_archived boolean not null default false,
  created_at timestamptz not null default now(),
  created_by text not null
);
create unique index catalog_label_name on catalog_label (lower(name));

-- Last numbers of ids, by kind. A table and not sequences: a backup holds it, so that a restore reuses no id.
create table catalog_number (kind text primary key, n bigint not null);
insert into catalog_number (kind, n) values ('application', 10000), ('platform', 0), ('portfolio', 0), ('product', 0), ('label', 0);

-- Declared immutable for indexes: the rules of unaccent only change with the server's version.
create function catalog_norm(words text) returns text language sql immutable strict parallel safe as $$ select lower(unaccent(words)) $$;

-- Text for the parser of tsvector, which would otherwise read `MAC-10017` as a word and a negative number.
create function catalog_words(words text) returns text language sql immutable strict parallel safe as $$
  select regexp_replace(catalog_norm(words), '[^[:alnum:]]+', ' ', 'g')
$$;

-- One row for each entry, which is also its row in the search. A trigger keeps norm, document, is_valid, is_verified and failing.
create table catalog_entry (
  id text primary key,
  kind text not null check (kind in ('application', 'platform', 'portfolio', 'product')),
  name text not null,
  norm text not null default '',
  description text not null,
  status text not null check (status in ('PENDING', 'ACTIVE', 'REJECTED', 'DECOMMISSIONED')),
  owners text[] not null default '{}',
  ea_contacts text[] not null default '{}',
  -- Type of a platform, portfolio or product.
  type text,
  -- Short name of a portfolio, code of a product.
  code text,
  -- Of applications and products.
  platform_id text references catalog_entry (id),
  -- Of platforms, and kept for everything on them.
  portfolio_id text references catalog_entry (id),
  product_id text references catalog_entry (id),
  criticality text,
  classification text,
  mip_layer text,
  intent text,
  target_date date,
  decommissioned_on date,
  -- Approved decommissioning: the day from which the nightly run carries it out.
  decommission_due date,
  production_deployed boolean not null default false,
  exploration_app boolean not null default false,
  locally_managed boolean not null default false,
  source text not null default 'API' check (source in ('CONSOLE', 'API', 'IMPORT')),
  labels text[] not null default '{}',
  rejected_comments text,
  seen_running_at timestamptz,
  attested_at timestamptz,
  attested_by text,
  activated_at timestamptz,
  open_issues integer not null default 0,
  is_valid boolean not null default false,
  is_verified boolean not null default false,
  -- Checks of the scorecard that do not hold.
  failing text[] not null default '{}',
  document tsvector,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  created_by text not null,
  modified_at timestamptz not null default now(),
  modified_by text not null
);
create unique index catalog_application_name on catalog_entry (norm) where kind = 'application' and status in ('PENDING', 'ACTIVE');
create unique index catalog_platform_name on catalog_entry (portfolio_id, norm) where kind = 'platform' and status in ('PENDING', 'ACTIVE');
create unique index catalog_portfolio_name on catalog_entry (norm) where kind = 'portfolio' and status in ('PENDING', 'ACTIVE');
create unique index catalog_portfolio_code on catalog_entry (code) where kind = 'portfolio' and status in ('PENDING', 'ACTIVE');
create unique index catalog_product_code on catalog_entry (code) where kind = 'product';
create index catalog_entry_norm on catalog_entry (norm text_pattern_ops);
create index catalog_entry_name on catalog_entry (kind, norm, id);
create index catalog_entry_any_name on catalog_entry (norm, id);
create index catalog_entry_any_modified on catalog_entry (modified_at, id);
create index catalog_entry_status on catalog_entry (kind, status, norm, id);
create index catalog_entry_modified on catalog_entry (kind, modified_at, id);
create index catalog_entry_target on catalog_entry ((coalesce(target_date, 'infinity'::date)), id);
create index catalog_entry_criticality on catalog_entry (criticality, norm, id);
create index catalog_entry_due on catalog_entry (decommission_due) where decommission_due is not null;
create index catalog_entry_platform on catalog_entry (platform_id, kind, norm, id);
create index catalog_entry_portfolio on catalog_entry (portfolio_id, kind, norm, id);
create index catalog_entry_product on catalog_entry (product_id) where product_id is not null;
create index catalog_entry_rejected on catalog_entry (created_by) where status = 'REJECTED';
create index catalog_entry_owners on catalog_entry using gin (owners) with (fastupdate = off);
create index catalog_entry_labels on catalog_entry using gin (labels) with (fastupdate = off);
create index catalog_entry_document on catalog_entry using gin (document) with (fastupdate = off);
create index catalog_entry_part on catalog_entry using gin (search_grams(norm)) with (fastupdate = off);

-- Words of all documents, to repair misspelled search terms.
create table catalog_word (word text primary key, uses integer not null default 1);
create index catalog_word_start on catalog_word (word text_pattern_ops);
create index catalog_word_similar on catalog_word using gin (word gin_trgm_ops) with (fastupdate = off);

-- Numbers of entries by value. Writers add differences, which a task sums up now and then: no writer waits for another.
create table catalog_count (
  kind text not null,
  facet text not null,
  value text not null,
  n integer not null
);
create index catalog_count_value on catalog_count (facet, kind, value);

-- What monthly summaries count.
create table catalog_event (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  entry_id text not null,
  type text not null check (type in ('ONBOARDED', 'REJECTED', 'DECOMMISSIONED', 'PUT_BACK', 'MOVED')),
  platform_id text,
  -- Of a move.
  from_platform_id text,
  request text
);
create index catalog_event_platform on catalog_event (platform_id, at);
create index catalog_event_from on catalog_event (from_platform_id, at) where from_platform_id is not null;
create index catalog_event_type on catalog_event (type, at);

create table catalog_summary (
  platform_id text not null references catalog_entry (id) on delete cascade,
  month text not null,
  content jsonb not null,
  primary key (platform_id, month)
);

create table catalog_saved_search (
  id text primary key,
  identity_id text not null references identity (id) on delete cascade,
  name text not null,
  query text not null,
  created_at timestamptz not null default now()
);
create index catalog_saved_search_identity on catalog_saved_search (identity_id, created_at);

-- Nightly runs: one replica carries each out. Another one continues if the last step was done too long ago.
create table catalog_night (
  day date primary key,
  -- When the current step began.
  started_at timestamptz not null default now(),
  -- Names of the steps that are done.
  done text[] not null default '{}'
);

-- People who are active in the directory.
create function catalog_active(people text[]) returns text[] language sql stable parallel safe as $$
  select coalesce(array_agg(id order by id), '{}') from identity where id = any(people) and left_at is null
$$;

-- Who acts as owner: the active owners, else those of its platform or portfolio. Empty for an orphaned portfolio, which approvers handle.
create function catalog_hands(entry catalog_entry) returns text[] language sql stable as $$
  select coalesce(nullif(catalog_active(entry.owners), '{}'), nullif(catalog_active(platform.owners), '{}'),
    nullif(catalog_active(portfolio.owners), '{}'), '{}')
  from (select 1) as one
  left join catalog_entry platform on platform.id = entry.platform_id
  left join catalog_entry portfolio on portfolio.id = entry.portfolio_id
$$;

create function catalog_document(entry catalog_entry) returns tsvector language sql stable as $$
  select setweight(to_tsvector('simple', catalog_words(concat_ws(' ', entry.id, entry.name, entry.code))), 'A')
    || setweight(to_tsvector('simple', catalog_words(concat_ws(' ', product.name, platform.name, portfolio.name,
      (select string_agg(display_name, ' ') from identity where id = any(entry.owners))))), 'B')
    || setweight(to_tsvector('simple', catalog_words(concat_ws(' ', entry.description,
      (select string_agg(name, ' ') from catalog_label where id = any(entry.labels))))), 'C')
  from (select 1) as one
  left join catalog_entry product on product.id = entry.product_id
  left join catalog_entry platform on platform.id = entry.platform_id
  left join catalog_entry portfolio on portfolio.id = entry.portfolio_id
$$;

create function catalog_keep() returns trigger language plpgsql as $$
declare
  platform_status text;
  active integer := cardinality(catalog_active(new.owners));
  is_seen boolean := coalesce(new.seen_running_at > now() - interval '30 days', false);
begin
  new.norm := catalog_norm(new.name);
  if new.kind in ('application', 'product') then
    select status, portfolio_id into platform_status, new.portfolio_id from catalog_entry where id = new.platform_id;
  end if;
  if new.kind = 'application' then
    new.is_valid := new.status = 'ACTIVE' and coalesce(platform_status = 'ACTIVE', false) and active > 0
      and new.criticality is not null and new.classification is not null;
    new.is_verified := active > 0
      and case when new.locally_managed then coalesce(new.attested_at > now() - interval '365 days', false) else is_seen end;
    new.failing := array_remove(array[
      case when active < 2 then 'owners' end,
      case when not new.locally_managed and not is_seen then 'runs' end,
      case when new.criticality is null or new.classification is null then 'graded' end,
      case when char_length(new.description) < 40 or catalog_words(new.description) = catalog_words(new.name) then 'purpose' end,
      case when coalesce(new.attested_at, new.activated_at, new.created_at) < now() - interval '365 days' then 'true' end,
      case when new.open_issues > 0 then 'issues' end,
      case when new.target_date <= current_date then 'dates' end], null);
  end if;
  new.document := catalog_document(new);
  return new;
end $$;

create trigger catalog_entry_keep before insert or update on catalog_entry for each row execute function catalog_keep();

create function catalog_tally(entry catalog_entry, sign integer) returns void language sql as $$
  insert into catalog_count (kind, facet, value, n)
  select entry.kind, facet, value, sign from (values
    ('status', entry.status),
    ('criticality', case when entry.status = 'REJECTED' then null else entry.criticality end),
    ('classification', case when entry.status = 'REJECTED' then null else entry.classification end),
    ('verified', case when entry.kind = 'application' and entry.status <> 'REJECTED' then entry.is_verified::text end),
    ('platform', case when entry.status = 'REJECTED' then null else entry.platform_id end),
    ('portfolio', case when entry.status = 'REJECTED' then null else entry.portfolio_id end)) as facets (facet, value)
  where value is not null
  union all select entry.kind, 'label', label, sign from unnest(entry.labels) as label where entry.status <> 'REJECTED'
$$;

create function catalog_follow() returns trigger language plpgsql as $$
begin
  if tg_op <> 'UPDATE' or (old.status, old.criticality, old.classification, old.is_verified, old.platform_id, old.portfolio_id, old.labels)
    is distinct from (new.status, new.criticality, new.classification, new.is_verified, new.platform_id, new.portfolio_id, new.labels) then
    if tg_op <> 'INSERT' then perform catalog_tally(old, -1); end if;
    if tg_op <> 'DELETE' then perform catalog_tally(new, 1); end if;
  end if;
  if tg_op = 'DELETE' then return null; end if;
  insert into catalog_word (word)
    select lexeme from unnest(new.document) where lexeme not in (select lexeme from unnest(old.document)) order by lexeme on conflict do nothing;
  -- Everything below contains the names of its parents, and follows a platform's status and portfolio. Each entry below is written once: its
  -- own update changes none of these columns. A rename takes less than a millisecond per entry, so 13 seconds for 20,000 on a busy machine.
  if tg_op = 'UPDATE' and (old.name <> new.name
    or new.kind = 'platform' and (old.status, old.portfolio_id) is distinct from (new.status, new.portfolio_id)) then
    update catalog_entry set name = name
    where platform_id = new.id or portfolio_id = new.id or product_id = new.id;
  end if;
  return null;
end $$;
create trigger catalog_entry_gone after insert or delete on catalog_entry for each row execute function catalog_follow();
create trigger catalog_entry_follow after update on catalog_entry for each row
  when ((old.name, old.status, old.criticality, old.classification, old.is_verified, old.platform_id, old.portfolio_id, old.labels, old.document)
    is distinct from (new.name, new.status, new.criticality, new.classification, new.is_verified, new.platform_id, new.portfolio_id, new.labels, new.document))
  execute function catalog_follow();

-- The entries of the former small catalogue, on platforms without owners in one portfolio: approvers handle them.
insert into catalog_entry (id, kind, name, description, status, type, code, created_by, modified_by, activated_at)
select 'PFO-001', 'portfolio', 'Company', 'Applications from before the portfolios were entered.',
  'ACTIVE', 'BUSINESS', 'COM', 'system', 'system', now()
where exists (select from catalogue_entry);
insert into catalog_entry (id, kind, name, description, status, type, portfolio_id, created_by, modified_by, activated_at)
select 'PLT-' || lpad((row_number() over (order by platform_name))::text, 4, '0'), 'platform', platform_name, 'Applications of ' || platform_name || '.',
  'ACTIVE', 'OPERATIONS', (select id from catalog_entry where kind = 'portfolio'), 'system', 'system', now()
from (select distinct on (catalog_norm(platform_name)) platform_name from catalogue_entry
  order by catalog_norm(platform_name), id) as platforms;
-- Of waiting and active entries with one name, an active one keeps it. The others get their ids into their names.
insert into catalog_entry (id, kind, name, description, status, platform_id, created_by, modified_by, activated_at)
select former.id, 'application', case when is_living and place > 1 then former.name || ' (' || former.id || ')' else former.name end, former.description,
  former.state, platform.id, 'system', 'system', now()
from (
  select *, row_number() over (partition by catalog_norm(name), is_living order by state = 'PENDING', id) as place
  from (
    select *, status not in ('REJECTED', 'DECOMMISSIONED') as is_living,
      case when status in ('PENDING', 'REJECTED', 'DECOMMISSIONED') then status else 'ACTIVE' end as state
    from catalogue_entry
  ) as known
) as former
join catalog_entry platform on platform.kind = 'platform' and platform.norm = catalog_norm(former.platform_name);
