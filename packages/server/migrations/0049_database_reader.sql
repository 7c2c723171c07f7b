-- The read-only login of a database. Off: no version.
alter table database
  -- The name of its secret group, reserved from the moment that somebody turns it on.
  add column reader_group text,
  -- The login that the newest version of the group names.
  add column reader_login text check (reader_login in ('reader_a', 'reader_b')),
  add column reader_version integer,
  -- The pipeline that made the password.
  add column reader_by text,
  add unique (app_id, environment, reader_group);
