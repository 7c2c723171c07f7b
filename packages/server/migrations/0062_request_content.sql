-- Who wrote the current content, if another person than the requester did. That person decides it as little as the requester.
alter table request add column revised_by text;
-- A request for topic access belongs to the app that asks. Its requester acts on it as a member of the app's team.
update request set askers = array_remove(askers, 'person:' || requested_by) where kind = 'TOPIC_ACCESS';
create index request_requested_by on request (requested_by, number desc);
