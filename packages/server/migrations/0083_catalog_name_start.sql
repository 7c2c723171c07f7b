-- The step of a search that compares beginnings of names reads this index alone. Without the columns, the planner passes over a whole other
-- index that has them.
drop index catalog_entry_norm;
create index catalog_entry_norm on catalog_entry (norm text_pattern_ops) include (id, kind, status);
