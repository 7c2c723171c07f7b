-- Imports of catalog entries from files. A file is stored once, as its rows; workers check and apply them.

-- Id of the entry in the system that it was imported from: `leanix:…`, `backstage:component:default/…`.
alter table catalog_entry add column external_id text;
create unique index catalog_entry_external on catalog_entry (external_id) where external_id is not null;

create table catalog_import (
  id text primary key,
  identity_id text not null references identity (id) on delete cascade,
  file_name text not null,
  format text not null default 'CSV' check (format in ('CSV', 'LEANIX', 'BACKSTAGE')),
  state text not null default 'UPLOADING' check (state in ('UPLOADING', 'CHECKING', 'CHECKED', 'APPLYING', 'DONE', 'CANCELED')),
  columns text[] not null default '{}',
  mapping jsonb not null default '{}',
  rows integer not null default 0,
  -- Code that says why it was canceled.
  failure text,
  created_at timestamptz not null default now(),
  -- When a worker or an upload last wrote rows.
  worked_at timestamptz not null default now(),
  ended_at timestamptz
);
create index catalog_import_identity on catalog_import (identity_id, created_at);
create index catalog_import_open on catalog_import (created_at) where state in ('UPLOADING', 'CHECKING', 'APPLYING');

create table catalog_import_row (
  import_id text not null references catalog_import (id) on delete cascade,
  line integer not null,
  cells text[] not null,
  kind text,
  -- Parents come before children: 1 for portfolios to 4 for applications.
  place smallint not null default 0,
  name text,
  norm text,
  external_id text,
  outcome text check (outcome in ('CREATE', 'CHANGE', 'SAME', 'REFUSED', 'LEFT_OUT')),
  -- Written to the catalog, or refused when it was written.
  is_applied boolean not null default false,
  entry_id text,
  request_id text,
  code text,
  field text,
  context jsonb,
  primary key (import_id, line)
);
create index catalog_import_row_unchecked on catalog_import_row (import_id, place, line) where outcome is null;
create index catalog_import_row_open on catalog_import_row (import_id, place, line) where not is_applied and outcome in ('CREATE', 'CHANGE');
create index catalog_import_row_outcome on catalog_import_row (import_id, outcome, is_applied, line);
create index catalog_import_row_name on catalog_import_row (import_id, kind, norm);
create index catalog_import_row_external on catalog_import_row (import_id, external_id);

-- What rows of one import are about, so that no two rows change the same entry.
create table catalog_import_key (
  import_id text not null references catalog_import (id) on delete cascade,
  key text not null,
  line integer not null,
  primary key (import_id, key)
);
