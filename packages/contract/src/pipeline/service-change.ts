/** One changed setting of a service, as plans list it, with the sections and effects that a setting may have. */
import * as z from 'zod/mini';

/** In the order of the screen. */
export const settingsSectionIds = [
  'general',
  'resources',
  'volumes',
  'environment',
  'rollout',
  'network',
  'health',
  'observability',
  'advanced',
] as const;
export type SettingsSection = (typeof settingsSectionIds)[number];
export const settingsSections: Readonly<Record<SettingsSection, string>> = {
  general: 'General',
  resources: 'Resource management',
  volumes: 'File volumes',
  environment: 'Environment variables',
  rollout: 'Rollout',
  network: 'Network',
  health: 'Health',
  observability: 'Observability',
  advanced: 'Advanced',
};

/**
 * RESTART: a new revision with new instances. SCALE: more or fewer instances of the same revision. EDGE: only the edge, immediately.
 * POLICY: no effect on running instances; the platform applies it from then on. ACTIVE: the service starts or stops.
 */
export const changeEffects = ['RESTART', 'SCALE', 'EDGE', 'POLICY', 'ACTIVE'] as const;
export type ChangeEffect = (typeof changeEffects)[number];

export const ServiceChange = z.object({
  /** `spec.resources.cpuMillicores`; list items by key: `spec.template.envVars.LOG_LEVEL`, `spec.template.secretFileMounts./etc/tls`. */
  path: z.string(),
  section: z.enum(settingsSectionIds),
  label: z.string(),
  unit: z.nullable(z.string()),
  effect: z.enum(changeEffects),
  /** As JSON. Null if the field is absent before or after. */
  before: z.unknown(),
  after: z.unknown(),
});
export type ServiceChange = z.infer<typeof ServiceChange>;
