-- Where a service's program may connect to. Nothing leaves an instance's network unless its settings say so: what was there before is closed,
-- as a new service is.
update service set spec = jsonb_set(spec, '{outgoingTraffic}', '{"type": "NONE", "hosts": []}')
  where not spec ? 'outgoingTraffic';
update revision set spec = jsonb_set(spec, '{outgoingTraffic}', '{"type": "NONE", "hosts": []}')
  where not spec ? 'outgoingTraffic';
