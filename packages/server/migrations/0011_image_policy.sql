-- Deploying images that are pushed: who pushed a tag, and what a sweep over all services that wait for one needs to be cheap.
alter table registry_tag add column pushed_by text;
create index registry_tag_pushed_at on registry_tag (repository, pushed_at desc);

create index service_image_policy on service (id) where spec -> 'imageUpdatePolicy' ->> 'type' = 'REGEX';
