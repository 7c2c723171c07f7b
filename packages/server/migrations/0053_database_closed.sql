-- A database that exceeds its storage and its reserve: no login can connect until its storage is larger.
alter table database add column is_closed boolean not null default false;
