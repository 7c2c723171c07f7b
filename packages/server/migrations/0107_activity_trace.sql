-- In a file of its own: with the new column it would keep readers out of the activity log, too, while it reads the log once.
create index activity_trace on activity (trace_id, at desc) where trace_id is not null;
