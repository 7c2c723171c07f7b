-- What the holder's readiness says about services, so that all replicas answer the same. Null from versions that do not report it.
alter table runtime_holder add column serving text;
