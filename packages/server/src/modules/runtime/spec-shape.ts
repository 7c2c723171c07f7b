/** Shapes that stored settings must have before any code uses them. */
import * as z from 'zod/mini';
import { newServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { mustFit } from '#kernel/rows/unreadable.ts';

/**
 * Fields of a spec that the runtime needs. Checks only their shape: the values were checked when they were written, by the rules of that
 * time.
 */
export const SpecShape = z.object({
  region: z.string(),
  exposedPort: z.nullable(z.number()),
  externalTraffic: z.object({ basePath: z.string() }),
  resources: z.object({ cpuMillicores: z.number(), memoryMegabytes: z.number() }),
  template: z.object({
    envVars: z.array(z.object({ name: z.string(), source: z.string() })),
    secretFileMounts: z.array(z.object({ mountPath: z.string(), secretGroup: z.string() })),
    healthCheck: z.object({ enabled: z.boolean(), type: z.string(), config: z.object({ periodSeconds: z.number() }) }),
  }),
});
export const isReadableSpec = (spec: unknown): boolean => SpecShape.safeParse(spec).success;
export const VersionsShape = z.record(z.string(), z.number());
export const EdgeShape = z.object({
  exposedPort: z.nullable(z.number()),
  externalTrafficAuthentication: z.string(),
  externalTraffic: z.object({
    type: z.string(),
    domain: z.nullable(z.string()),
    basePath: z.string(),
    config: z.object({ readTimeoutMs: z.number(), requestSizeLimitMb: z.number(), excludePathPrefixes: z.array(z.string()) }),
  }),
});
/** Fields of a service's settings that the platform reads outside the runtime, too. */
const SettingsShape = z.extend(SpecShape, {
  containerImageName: z.string(),
  externalTraffic: EdgeShape.shape.externalTraffic,
  observability: z.object({ metrics: z.object({ enabled: z.boolean() }) }),
  rollout: z.object({ strategy: z.string() }),
});
interface StoredSettings {
  readonly spec: unknown;
  readonly edge: unknown;
}
/** Throws if a service's settings cannot be read, naming the fields. */
export const mustFitSettings = ({ spec, edge }: StoredSettings): void => {
  mustFit(SettingsShape, spec, 'settings');
  if (edge !== null) mustFit(EdgeShape, edge, 'settings of the edge');
};
export const areReadableSettings = ({ spec, edge }: StoredSettings): boolean =>
  SettingsShape.safeParse(spec).success && (edge === null || EdgeShape.safeParse(edge).success);

/** Replaces an unreadable spec of a revision that only needs to be stopped. */
export const stoppedSpec = newServiceSpec('');
