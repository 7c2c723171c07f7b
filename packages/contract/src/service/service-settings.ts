/**
 * Everything that a settings change may modify: the settings, and each field's section (core §2), label, unit and effect on running
 * instances.
 */
import * as z from 'zod/mini';
import { RepositoryName } from '../kernel/fields.ts';
import type { ChangeEffect, SettingsSection } from '../pipeline/service-change.ts';
import { ServiceSpec } from './service-spec.ts';

export const ServiceSettings = z.object({
  githubRepositoryName: z.nullable(RepositoryName),
  active: z.boolean({ error: 'Required' }),
  spec: ServiceSpec,
});
export type ServiceSettings = z.infer<typeof ServiceSettings>;

export interface SettingsField {
  readonly label: string;
  readonly section: SettingsSection;
  readonly effect: ChangeEffect;
  readonly unit?: 'm' | 'MB' | 'ms' | 's' | 'days' | '%' | '/min';
}
const field = (section: SettingsSection, label: string, effect: ChangeEffect, unit?: SettingsField['unit']): SettingsField => ({
  label,
  section,
  effect,
  ...(unit ? { unit } : {}),
});
const traffic = 'spec.externalTraffic';
const outgoing = 'spec.outgoingTraffic';
const health = 'spec.template.healthCheck';
const scaling = 'spec.template.replicaScaling';

/** Fields by path, in the order of the screen. Lists (variables, mounts) have their own path; their items are compared one by one. */
export const settingsFields: Readonly<Record<string, SettingsField>> = {
  githubRepositoryName: field('general', 'GitHub repository', 'POLICY'),
  'spec.containerImageName': field('general', 'Container image', 'RESTART'),
  'spec.region': field('general', 'Region', 'RESTART'),
  active: field('general', 'Active', 'ACTIVE'),
  'spec.scaleDownAfterDays': field('general', 'Scale down after', 'POLICY', 'days'),
  'spec.resources.cpuMillicores': field('resources', 'CPU', 'RESTART', 'm'),
  'spec.resources.memoryMegabytes': field('resources', 'Memory', 'RESTART', 'MB'),
  [`${scaling}.scalingType`]: field('resources', 'Scaling', 'SCALE'),
  [`${scaling}.count`]: field('resources', 'Replicas', 'SCALE'),
  [`${scaling}.minReplicas`]: field('resources', 'Min replicas', 'SCALE'),
  [`${scaling}.maxReplicas`]: field('resources', 'Max replicas', 'SCALE'),
  [`${scaling}.cpuUtilization`]: field('resources', 'CPU utilization', 'SCALE', '%'),
  'spec.spotComputeEnabled': field('resources', 'Spot compute', 'RESTART'),
  'spec.template.secretFileMounts': field('volumes', 'File volume', 'RESTART'),
  'spec.template.envVars': field('environment', 'Environment variable', 'RESTART'),
  'spec.rollout.strategy': field('rollout', 'Rollout strategy', 'POLICY'),
  'spec.imageUpdatePolicy.type': field('rollout', 'Image update policy', 'POLICY'),
  'spec.imageUpdatePolicy.regex.pattern': field('rollout', 'Tag pattern', 'POLICY'),
  'spec.exposedPort': field('network', 'Exposed port', 'RESTART'),
  [`${traffic}.type`]: field('network', 'External traffic', 'EDGE'),
  'spec.externalTrafficAuthentication': field('network', 'Authentication', 'EDGE'),
  [`${traffic}.domain`]: field('network', 'Domain', 'EDGE'),
  [`${traffic}.basePath`]: field('network', 'Base path', 'EDGE'),
  [`${traffic}.config.connectionTimeoutMs`]: field('network', 'Connection timeout', 'EDGE', 'ms'),
  [`${traffic}.config.readTimeoutMs`]: field('network', 'Read timeout', 'EDGE', 'ms'),
  [`${traffic}.config.writeTimeoutMs`]: field('network', 'Write timeout', 'EDGE', 'ms'),
  [`${traffic}.config.requestSizeLimitMb`]: field('network', 'Request size limit', 'EDGE', 'MB'),
  [`${traffic}.config.spikeArrestPerMinute`]: field('network', 'Spike arrest', 'EDGE', '/min'),
  [`${traffic}.config.excludePathPrefixes`]: field('network', 'Excluded path prefixes', 'EDGE'),
  [`${outgoing}.type`]: field('network', 'Outgoing traffic', 'RESTART'),
  [`${outgoing}.hosts`]: field('network', 'Outgoing hosts', 'RESTART'),
  [`${health}.enabled`]: field('health', 'Health check', 'RESTART'),
  [`${health}.type`]: field('health', 'Check by', 'RESTART'),
  [`${health}.http.port`]: field('health', 'HTTP port', 'RESTART'),
  [`${health}.http.path`]: field('health', 'HTTP path', 'RESTART'),
  [`${health}.tcp.port`]: field('health', 'TCP port', 'RESTART'),
  [`${health}.exec.command`]: field('health', 'Command', 'RESTART'),
  [`${health}.config.initialDelaySeconds`]: field('health', 'Initial delay', 'RESTART', 's'),
  [`${health}.config.periodSeconds`]: field('health', 'Period', 'RESTART', 's'),
  [`${health}.config.timeoutSeconds`]: field('health', 'Timeout', 'RESTART', 's'),
  [`${health}.config.successThreshold`]: field('health', 'Success threshold', 'RESTART'),
  [`${health}.config.failureThreshold`]: field('health', 'Failure threshold', 'RESTART'),
  'spec.observability.metrics.enabled': field('observability', 'Metrics', 'POLICY'),
  'spec.observability.metrics.path': field('observability', 'Metrics path', 'POLICY'),
  'spec.observability.metrics.port': field('observability', 'Metrics port', 'POLICY'),
  'spec.template.vaultProxyEnabled': field('advanced', 'Vault proxy', 'RESTART'),
};

/**
 * Returns the field of a path: `spec.template.envVars.3.name` and `spec.template.envVars.LOG_LEVEL` → the field that contains them.
 * Undefined for paths outside the settings.
 */
export const settingsFieldOf = (path: string): SettingsField | undefined => {
  if (Object.hasOwn(settingsFields, path)) return settingsFields[path];
  const parent = path.slice(0, path.lastIndexOf('.'));
  return parent === '' ? undefined : settingsFieldOf(parent);
};
