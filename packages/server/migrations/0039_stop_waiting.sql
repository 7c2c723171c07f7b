-- When somebody asked the step that waits for instances to end now, with what it has seen.
alter table pipeline_run add column stop_waiting_at timestamptz;
