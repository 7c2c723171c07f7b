-- The parts of a pipeline that promotes an app to production. No part holds the value of a secret.
create table promotion_part (
  pipeline_id text not null references pipeline on delete cascade,
  index integer not null,
  kind text not null check (kind in ('secretGroup', 'database', 'schema', 'topic', 'account', 'service')),
  name text not null,
  mark text not null,
  -- Differences of a service to promote. Null: the usual ones.
  fields text[],
  state text not null default 'WAITING' check (state in ('WAITING', 'RUNNING', 'DONE', 'ASKED', 'FAILED')),
  -- The part's own pipeline. Without a foreign key, because it can be deleted earlier.
  part_pipeline_id text,
  request text,
  failure text,
  primary key (pipeline_id, index)
);
