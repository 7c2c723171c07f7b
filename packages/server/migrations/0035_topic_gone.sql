-- When a topic's deletion had taken it from the cluster: from then on nobody may be given rights to its name.
alter table topic add column gone_at timestamptz;
