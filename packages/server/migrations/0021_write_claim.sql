-- The claim of a request with an Idempotency-Key is part of the write's own transaction (decision record 37).
alter table idempotency
  -- Names the attempt that works now. A transaction of an attempt that lost the claim is rolled back.
  add column token text,
  -- When that attempt last said that it works; after some seconds of silence a repeat takes the claim.
  add column seen_at timestamptz not null default now(),
  -- What the request has committed: entries of the activity log, with their pipelines. A repeat answers from them.
  add column made jsonb not null default '[]';
