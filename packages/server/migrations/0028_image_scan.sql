-- Scans of images, and the advisories that their packages are compared with.

create table advisory_set (
  name text primary key,
  title text not null,
  is_demo boolean not null,
  entries integer not null,
  withdrawn integer not null,
  refused integer not null,
  refusals jsonb not null,
  ecosystems jsonb not null,
  as_of timestamptz not null,
  imported_at timestamptz not null,
  imported_by text not null
);

-- One row for each package that an advisory is about.
create table advisory (
  set_name text not null references advisory_set (name) on delete cascade,
  ecosystem text not null,
  package text not null,
  id text not null,
  entry jsonb not null,
  primary key (ecosystem, package, id, set_name)
);
create index advisory_set_name on advisory (set_name);

-- Counts up with every import: a result that was made with a lower number is compared anew.
create table advisory_version (
  is_only boolean primary key default true check (is_only),
  number bigint not null
);
insert into advisory_version (number) values (0);

create table image_scan (
  -- Of the manifest or index. What it holds follows from it, whoever pushed it.
  digest text primary key,
  state text not null check (state in ('NOT_SCANNED', 'QUEUED', 'SCANNING', 'COMPLETED', 'FAILED')),
  since timestamptz not null,
  reason jsonb,
  -- The lower the sooner: what somebody waits for comes before what was pushed.
  turn smallint not null,
  -- When it may be begun: at once, or again after a failure.
  due_at timestamptz,
  tries integer not null default 0,
  owner text,
  lease_until timestamptz,
  -- When the image is looked into once more by itself: where an outside scanner learns of new vulnerabilities.
  renew_at timestamptz,

  -- The latest result; null until there is one.
  scanned_at timestamptz,
  scanner jsonb,
  advisories jsonb,
  matched_version bigint,
  counts jsonb,
  fixable integer,
  package_count integer,
  platforms text[] not null default '{}',
  -- The images of an index.
  parts text[] not null default '{}',
  -- What could not be read, and what could not be compared.
  read_notes jsonb not null default '[]',
  match_notes jsonb not null default '[]'
);
create index image_scan_due on image_scan (turn, due_at) where state = 'QUEUED';
create index image_scan_lease on image_scan (lease_until) where state = 'SCANNING';
create index image_scan_matched on image_scan (matched_version) where matched_version is not null;
create index image_scan_renew on image_scan (renew_at) where renew_at is not null;
create index image_scan_parts on image_scan using gin (parts);

-- The repositories that an image was pushed to or asked for in: it is read from the last, and shown in all.
create table image_scan_place (
  digest text not null references image_scan (digest) on delete cascade,
  repository text not null,
  project text not null,
  seen_at timestamptz not null,
  primary key (digest, repository)
);
create index image_scan_place_project on image_scan_place (project, digest);
create index image_scan_place_seen_at on image_scan_place (seen_at);

create table image_package (
  digest text not null references image_scan (digest) on delete cascade,
  -- In the order in which they are shown: the worst first.
  number integer not null,
  ecosystem text not null,
  name text not null,
  version text not null,
  source_name text,
  source_version text,
  purl text not null,
  path text,
  layer text,
  platforms text[] not null,
  vulnerabilities integer not null default 0,
  worst text,
  primary key (digest, number)
);

create table image_vulnerability (
  digest text not null references image_scan (digest) on delete cascade,
  -- The worst first.
  number integer not null,
  -- With all its other names.
  ids text[] not null,
  severity text not null,
  is_fixable boolean not null,
  package text not null,
  entry jsonb not null,
  primary key (digest, number)
);

-- How far pushes have been looked through: what came in after it and has no row is queued.
create table image_scan_watermark (
  is_only boolean primary key default true check (is_only),
  pushed_at timestamptz not null
);
insert into image_scan_watermark (pushed_at) values ('epoch');
-- Pushes of every project, in their order.
create index registry_tag_pushes on registry_tag (pushed_at, repository, name);
