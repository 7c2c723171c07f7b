-- Reads of the catalog that cost the same at any size: summed counters, covering indexes, and changes of large parents in parts.

-- Sums of the differences in catalog_count, which a task adds now and then. The kind '' holds the sums over all kinds.
create table catalog_total (
  facet text not null,
  kind text not null,
  value text not null,
  n bigint not null,
  primary key (facet, kind, value)
);
create index catalog_total_top on catalog_total (facet, kind, n desc, value);

-- Counts the sums. With the number of differences it identifies a state of the counters: between two sums, differences are only added.
create table catalog_sum (id boolean primary key default true check (id), n bigint not null default 0);
insert into catalog_sum default values;

create function catalog_sum_up() returns void language plpgsql as $$
begin
  if not exists (select from catalog_count) or not pg_try_advisory_xact_lock(hashtextextended('catalog_sum_up', 0)) then return; end if;
  with gone as (delete from catalog_count returning kind, facet, value, n),
    sums as (select facet, kind, value, sum(n) as n from gone group by grouping sets ((facet, kind, value), (facet, value)) having sum(n) <> 0)
  insert into catalog_total as total (facet, kind, value, n) select facet, coalesce(kind, ''), value, n from sums order by 1, 2, 3
    on conflict (facet, kind, value) do update set n = total.n + excluded.n;
  update catalog_sum set n = n + 1;
end $$;
select catalog_sum_up();

-- A renamed parent, label or option changes no counter. A difference of zero tells the replicas that names of values changed.
create function catalog_rename() returns trigger language plpgsql as $$
begin
  insert into catalog_count (kind, facet, value, n) values ('', 'name', '', 0);
  return null;
end $$;
create trigger catalog_entry_rename after update of name on catalog_entry for each row
  when (old.name <> new.name and new.kind in ('platform', 'portfolio')) execute function catalog_rename();
create trigger catalog_label_rename after update of name on catalog_label for each row when (old.name <> new.name) execute function catalog_rename();
create trigger catalog_option_rename after insert or delete or update on catalog_option for each statement execute function catalog_rename();

-- Pages and counts read the status from the index, and not each row.
drop index catalog_entry_name;
drop index catalog_entry_any_name;
drop index catalog_entry_any_modified;
drop index catalog_entry_modified;
drop index catalog_entry_target;
drop index catalog_entry_criticality;
drop index catalog_entry_platform;
drop index catalog_entry_portfolio;
create index catalog_entry_name on catalog_entry (kind, norm, id) include (status);
create index catalog_entry_any_name on catalog_entry (norm, id) include (status);
create index catalog_entry_any_modified on catalog_entry (modified_at, id) include (status);
create index catalog_entry_modified on catalog_entry (kind, modified_at, id) include (status);
create index catalog_entry_target on catalog_entry ((coalesce(target_date, 'infinity'::date)), id) include (status);
create index catalog_entry_criticality on catalog_entry (criticality, norm, id) include (status);
create index catalog_entry_platform on catalog_entry (platform_id, kind, norm, id) include (status);
create index catalog_entry_portfolio on catalog_entry (portfolio_id, kind, norm, id) include (status);
-- Rejected entries are visible to their owners: whether somebody has any is looked up with each call.
create index catalog_entry_rejected_owners on catalog_entry using gin (owners) with (fastupdate = off) where status = 'REJECTED';
-- Platforms and portfolios are filters, by words of their names.
create index catalog_entry_parent_words on catalog_entry using gin (document) with (fastupdate = off)
  where kind in ('platform', 'portfolio');

-- Searches look up how frequent the words with a beginning are.
drop index catalog_word_start;
create index catalog_word_start on catalog_word (word text_pattern_ops) include (uses);
-- Words with digits repair nothing, and most of them are ids.
drop index catalog_word_similar;
create index catalog_word_similar on catalog_word using gin (word gin_trgm_ops) with (fastupdate = off) where word !~ '[0-9]';

-- Parents whose entries below are still to be written after a change: what their documents, validity and portfolios follow.
create table catalog_renewal (
  id bigint generated always as identity primary key,
  parent_id text not null references catalog_entry (id) on delete cascade,
  -- The last entry that was written, in the order of kind, norm and id.
  after_kind text not null default '',
  after_norm text not null default '',
  after_id text not null default ''
);
create index catalog_renewal_parent on catalog_renewal (parent_id);

create or replace function catalog_follow() returns trigger language plpgsql as $$
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
  -- own update changes none of these columns. It takes less than a millisecond per entry, so only a few entries are written here. More of
  -- them are written by a task in parts.
  if tg_op = 'UPDATE' and (old.name <> new.name
    or new.kind = 'platform' and (old.status, old.portfolio_id) is distinct from (new.status, new.portfolio_id)) then
    if (select count(*) from (select from catalog_entry
        where platform_id = new.id or portfolio_id = new.id or product_id = new.id limit 501) as below) > 500 then
      insert into catalog_renewal (parent_id) values (new.id);
    else
      update catalog_entry set name = name
      where platform_id = new.id or portfolio_id = new.id or product_id = new.id;
    end if;
  end if;
  return null;
end $$;
