-- Which reader made the result. Replicas of earlier versions do not set it, so that what they scan during an upgrade is scanned once more.
alter table image_scan add column reader smallint not null default 0;
create index image_scan_reader on image_scan (reader) where state = 'COMPLETED' and renew_at is null;
