/**
 * What columns hold where PostgreSQL does not say it: each jsonb by the type that is written into it, and texts whose values no check
 * lists. scripts/gen-db.ts puts them into the table types, and fails for a jsonb column that is missing here.
 */

/** `table.column` → a type, made of the names below. A jsonb that is only passed on is `unknown`. */
export const columnTypes: Readonly<Record<string, string>> = {
  'activity.after': 'unknown',
  'activity.before': 'unknown',
  'activity.level': "Activity['level']",
  'activity.origin': "Activity['origin']",
  'activity.outcome': "Activity['outcome']",
  'activity.subject_names': 'Record<string, string>',
  'api_token.scopes': 'TokenScope',
  'idempotency.made': 'unknown',
  'idempotency.response': 'unknown',
  'instance.last_exit': "NonNullable<Instance['lastExit']>",
  'instance.state': "Instance['state']",
  'instance_event.context': "NonNullable<InstanceEvent['context']>",
  'instance_event.type': "InstanceEvent['type']",
  'oidc_payload.payload': 'unknown',
  'pipeline.facts': 'Record<string, string>',
  'pipeline.subject_names': 'Record<string, string>',
  'pipeline_run.bag': 'object',
  'pipeline_run.input': 'object',
  'pipeline_run.status_message': 'StepMessage & { step: string }',
  'pipeline_step.message': 'StepMessage',
  'platform_key.public': 'unknown',
  'revision.reason': "Revision['reason']",
  'revision.secret_versions': 'Record<string, number>',
  'revision.spec': 'ServiceSpec',
  'runtime_holder.capabilities': 'RuntimeCapabilities',
  'service.edge': 'EdgeSettings',
  'service.spec': 'ServiceSpec',
  // Families with their samples; what they look like is the runtime module's own.
  'service_scrape.families': 'unknown',
};

/** Where the names come from. */
export const typeSources: Readonly<Record<string, readonly string[]>> = {
  '@slipway/contract/activity.ts': ['Activity'],
  '@slipway/contract/identity.ts': ['TokenScope'],
  '@slipway/contract/pipeline/pipeline.ts': ['StepMessage'],
  '@slipway/contract/service/revision.ts': ['Instance', 'InstanceEvent', 'Revision'],
  '@slipway/contract/service/service-spec.ts': ['EdgeSettings', 'ServiceSpec'],
  '#ports/runtime.ts': ['RuntimeCapabilities'],
};
