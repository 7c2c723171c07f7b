-- The container registry: what belongs to whom. The bytes of blobs and manifests are files named by their digest;
-- a row here is what makes them exist for clients. Prepared for several replicas writing at once.

create table registry_project (
  name text primary key,
  -- Who asked for it (an app's id). A second owner asking for the same name learns that it is taken.
  owner text not null,
  is_public boolean not null default false,
  created_at timestamptz not null,
  -- Null: what the registry gives every project.
  quota_bytes bigint
);

create table registry_robot (
  project text not null references registry_project (name) on delete cascade,
  name text not null,
  -- SHA-256 of a random 40-character secret; entropy makes a slow hash pointless.
  secret_hash bytea not null,
  actions text[] not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Called as Harbor calls them. Null where a replica of the version before made it: what its actions hold.
  permissions text[],
  description text not null default '',
  -- The last day, UTC.
  expires_on date,
  disabled_at timestamptz,
  secret_at timestamptz,
  -- The secret of before the last rotation, while it still works.
  previous_hash bytea,
  previous_until timestamptz,
  previous_used_at timestamptz,
  -- To the minute: a pull is no write.
  last_used_at timestamptz,
  last_used_address text,
  last_used_client text,
  -- Since it expired or was disabled; the day of the last one that stands in the activity log.
  refused_count integer not null default 0,
  refused_at timestamptz,
  refused_noted_on date,
  -- The last day that the team was warned of.
  warned_of date,
  created_by text,
  created_by_name text,
  -- The last number of days before the end of which a team was warned, besides the day in warned_of.
  warned_days integer,
  primary key (project, name)
);

create index registry_robot_expires on registry_robot (expires_on) where expires_on is not null;
create index registry_robot_refused on registry_robot (refused_at) where refused_at is not null;

create table registry_repository (
  -- '{project}/{name}'
  name text primary key,
  project text not null references registry_project (name) on delete cascade,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index registry_repository_project on registry_repository (project);

-- One row per file in the content-addressed store, manifests included.
create table registry_blob (
  digest text primary key,
  size_bytes bigint not null,
  -- Renewed by every push of the same bytes: garbage collection spares what is young.
  stored_at timestamptz not null
);
create index registry_blob_stored_at on registry_blob (stored_at);

-- A blob can be read only through a repository that has it.
create table registry_blob_link (
  repository text not null references registry_repository (name) on delete cascade,
  digest text not null references registry_blob (digest),
  linked_at timestamptz not null,
  primary key (repository, digest)
);
create index registry_blob_link_digest on registry_blob_link (digest);
create index registry_blob_link_project on registry_blob_link (split_part(repository, '/', 1), digest);

create table registry_manifest (
  repository text not null references registry_repository (name) on delete cascade,
  digest text not null references registry_blob (digest),
  media_type text not null,
  size_bytes bigint not null,
  -- Layers and configuration; for an index those of its images.
  content_bytes bigint not null,
  subject_digest text,
  artifact_type text,
  -- Text, because jsonb refuses the escaped NUL that a client may send.
  annotations text,
  pushed_at timestamptz not null,
  -- Of an index: its images, so that one of them is not deleted alone. Null for an index of before, which is read when it is asked.
  images text[],
  primary key (repository, digest)
);
create index registry_manifest_digest on registry_manifest (digest);
create index registry_manifest_subject on registry_manifest (repository, subject_digest, digest) where subject_digest is not null;
create index registry_manifest_index on registry_manifest (repository) where images is null or images <> '{}';

-- The blobs that a manifest needs: the marks of garbage collection.
create table registry_manifest_blob (
  repository text not null,
  manifest_digest text not null,
  blob_digest text not null,
  primary key (repository, manifest_digest, blob_digest),
  foreign key (repository, manifest_digest) references registry_manifest (repository, digest) on delete cascade
);
create index registry_manifest_blob_blob on registry_manifest_blob (repository, blob_digest);

create table registry_tag (
  repository text not null,
  -- Byte order is the order in which clients page through tags.
  name text collate "C" not null,
  digest text not null,
  pushed_at timestamptz not null,
  pushed_by text,
  primary key (repository, name),
  foreign key (repository, digest) references registry_manifest (repository, digest) on delete cascade
);
create index registry_tag_digest on registry_tag (repository, digest);
create index registry_tag_pushed_at on registry_tag (repository, pushed_at desc);
-- Pushes of every project, in their order.
create index registry_tag_pushes on registry_tag (pushed_at, repository, name);

create table registry_upload (
  id text primary key,
  project text not null references registry_project (name) on delete cascade,
  repository text not null,
  algorithm text not null,
  size_bytes bigint not null default 0,
  touched_at timestamptz not null
);
create index registry_upload_project on registry_upload (project);
create index registry_upload_touched_at on registry_upload (touched_at);

-- Every request writes a file of its own, so that two replicas never write to one file.
create table registry_upload_part (
  upload_id text not null references registry_upload (id) on delete cascade,
  start_byte bigint not null,
  size_bytes bigint not null,
  file text not null,
  digest text not null,
  primary key (upload_id, start_byte)
);

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
