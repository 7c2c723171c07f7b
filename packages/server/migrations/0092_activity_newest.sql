-- The audit search reads the log of the whole platform, newest first.
create index activity_newest on activity (at desc, id desc);
