-- The embedded container registry: what belongs to whom. The bytes of blobs and manifests are files named by their digest;
-- a row here is what makes them exist for clients. Prepared for several replicas writing at once.

create table registry_project (
  name text primary key,
  -- Who asked for it (an app's id). A second owner asking for the same name learns that it is taken.
  owner text not null,
  is_public boolean not null default false,
  created_at timestamptz not null
);

create table registry_robot (
  project text not null references registry_project (name) on delete cascade,
  name text not null,
  -- SHA-256 of a random 40-character secret; entropy makes a slow hash pointless.
  secret_hash bytea not null,
  actions text[] not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (project, name)
);

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
  primary key (repository, digest)
);
create index registry_manifest_digest on registry_manifest (digest);
create index registry_manifest_subject on registry_manifest (repository, subject_digest, digest) where subject_digest is not null;

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
  primary key (repository, name),
  foreign key (repository, digest) references registry_manifest (repository, digest) on delete cascade
);
create index registry_tag_digest on registry_tag (repository, digest);

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
