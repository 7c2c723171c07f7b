-- What the registry's screens show, what its projects let through, and how full they are.

-- Null: what the platform gives every project.
alter table registry_project add column quota_bytes bigint;

-- Of an index: its images, so that one of them is not deleted alone. Null for an index of before, which is read when it is asked.
alter table registry_manifest add column images text[];
update registry_manifest set images = '{}' where media_type not like '%index%' and media_type not like '%list%';

create index registry_blob_link_project on registry_blob_link (split_part(repository, '/', 1), digest);
create index registry_manifest_index on registry_manifest (repository) where images is null or images <> '{}';
create index revision_image on revision (image_repository, image_digest) where status <> 'DELETED';

-- How full repositories are: sums over rows that are only added, so that nobody waits for anybody; garbage collection makes one row of many.
-- No references: what a deleted repository leaves adds up to nothing.
create table registry_usage (
  id bigint generated always as identity primary key,
  project text not null,
  repository text not null,
  tags integer not null default 0,
  -- Of the repository's own blobs.
  bytes bigint not null default 0,
  -- Of those that no other repository of the project had first.
  project_bytes bigint not null default 0
);
create index registry_usage_project on registry_usage (project, repository) include (tags, bytes, project_bytes);

create function registry_link_counted() returns trigger language plpgsql as $$
declare
  link registry_blob_link := coalesce(new, old);
  size bigint := (select size_bytes from registry_blob where digest = link.digest);
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
  is_elsewhere boolean := exists (select from registry_blob_link other
    where split_part(other.repository, '/', 1) = split_part(link.repository, '/', 1) and other.digest = link.digest
      and other.repository <> link.repository);
begin
  insert into registry_usage (project, repository, bytes, project_bytes)
  values (split_part(link.repository, '/', 1), link.repository, sign * size, case when is_elsewhere then 0 else sign * size end);
  return null;
end $$;
create trigger registry_link_counted after insert or delete on registry_blob_link
  for each row execute function registry_link_counted();

create function registry_tag_counted() returns trigger language plpgsql as $$
declare
  tag registry_tag := coalesce(new, old);
begin
  insert into registry_usage (project, repository, tags)
  values (split_part(tag.repository, '/', 1), tag.repository, case tg_op when 'INSERT' then 1 else -1 end);
  return null;
end $$;
create trigger registry_tag_counted after insert or delete on registry_tag
  for each row execute function registry_tag_counted();

-- What a project's rows should add up to, repository by repository. A blob counts for the project with the first of its repositories.
create view registry_usage_now as
select r.project, r.name as repository,
  (select count(*)::integer from registry_tag t where t.repository = r.name) as tags,
  coalesce(sum(b.size_bytes), 0)::bigint as bytes,
  coalesce(sum(b.size_bytes) filter (where not exists (select from registry_blob_link other
    where split_part(other.repository, '/', 1) = r.project and other.digest = l.digest and other.repository < r.name)), 0)::bigint as project_bytes
from registry_repository r
left join registry_blob_link l on l.repository = r.name
left join registry_blob b on b.digest = l.digest
group by r.project, r.name;
insert into registry_usage (project, repository, tags, bytes, project_bytes) select * from registry_usage_now;

-- What an app's team has decided for its project. Without a row: what every project begins with.
create table container_registry (
  app_id text primary key references app (id) on delete cascade,
  state text not null default 'ACTIVE' check (state in ('ACTIVE', 'UPDATING', 'DELETING')),
  pipeline_id text,
  policy jsonb not null,
  -- While it is being applied, and what could not be.
  wanted jsonb,
  -- When retention was last begun, and what it deleted; null while it is at it.
  retained_at timestamptz,
  retained_tags integer,
  retained_bytes bigint
);
create index container_registry_retention on container_registry (retained_at) where policy ->> 'retention' is not null;
