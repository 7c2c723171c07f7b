-- The indexes of searches take new entries at once. By default they are kept in a list that every search reads to its end until a vacuum.
alter index app_overview_search set (fastupdate = off);
alter index pipeline_names set (fastupdate = off);
alter index pipeline_name_search set (fastupdate = off);
alter index team_search set (fastupdate = off);
alter index identity_search set (fastupdate = off);
alter index app_search set (fastupdate = off);
-- What is listed already.
select gin_clean_pending_list(index) from unnest(array['app_overview_search', 'pipeline_names', 'pipeline_name_search', 'team_search', 'identity_search', 'app_search']::regclass[]) index;
