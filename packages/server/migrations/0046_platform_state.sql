-- The newest version that has served this database, and the settings that its replicas share. Replicas write it when they start.
create table platform_state (
  id boolean primary key default true check (id),
  version text not null,
  migration text not null,
  settings jsonb not null
);
