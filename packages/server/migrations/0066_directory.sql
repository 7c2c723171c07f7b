-- The embedded directory: when an administrator deactivated the person. identity.left_at follows from the directory in use.
alter table identity add column deactivated_at timestamptz;
create index identity_left on identity (left_at) where left_at is not null;
