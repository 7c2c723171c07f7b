-- Trace context (W3C traceparent) of the request that started the run, so that its steps join the request's trace on any replica.
alter table pipeline_run add column trace_context text;
