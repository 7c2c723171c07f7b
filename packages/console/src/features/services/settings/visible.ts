/** Decides which settings are visible. Some depend on another choice, and errors in hidden settings must not block the form. Pure. */
import type { Draft } from './draft.ts';

const scaling = 'spec.template.replicaScaling';
const traffic = 'spec.externalTraffic';
const health = 'spec.template.healthCheck';

const rules: readonly (readonly [prefix: string, isOn: (draft: Draft) => boolean])[] = [
  [`${scaling}.minReplicas`, isAutomatic],
  [`${scaling}.maxReplicas`, isAutomatic],
  [`${scaling}.cpuUtilization`, isAutomatic],
  ['spec.imageUpdatePolicy.regex', ({ spec }) => spec.imageUpdatePolicy.type === 'REGEX'],
  ['spec.externalTrafficAuthentication', hasTraffic],
  [`${traffic}.domain`, hasTraffic],
  [`${traffic}.basePath`, hasTraffic],
  [`${traffic}.config`, hasTraffic],
  [`${health}.type`, hasCheck],
  [`${health}.config`, hasCheck],
  ...(['http', 'tcp', 'exec'] as const).map(
    (type) => [`${health}.${type}`, (draft: Draft) => hasCheck(draft) && draft.spec.template.healthCheck.type === type] as const,
  ),
  ['spec.outgoingTraffic.hosts', ({ spec }) => spec.outgoingTraffic.type === 'LISTED'],
  ['spec.observability.metrics.path', hasMetrics],
  ['spec.observability.metrics.port', hasMetrics],
];

function isAutomatic({ spec }: Draft): boolean {
  return spec.template.replicaScaling.scalingType === 'AUTO';
}
function hasTraffic({ spec }: Draft): boolean {
  return spec.externalTraffic.type !== 'NONE';
}
function hasCheck({ spec }: Draft): boolean {
  return spec.template.healthCheck.enabled;
}
function hasMetrics({ spec }: Draft): boolean {
  return spec.observability.metrics.enabled;
}

export const isVisible = (draft: Draft, path: string): boolean =>
  rules.every(([prefix, isOn]) => (path !== prefix && !path.startsWith(`${prefix}.`)) || isOn(draft));
