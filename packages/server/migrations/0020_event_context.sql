-- The values of an event. Its code stands in `reason`, and the sentence is made from both when the event is read. Null in a row that an
-- earlier version wrote: that one has its sentence in `message`, which is empty from now on.
alter table instance_event add column context jsonb;
alter table instance_event alter column message set default '';
