/** Shapes that stored settings must have before any code uses them. */
import * as z from 'zod/mini';
import { newServiceSpec } from '@slipway/contract/service/service-spec.ts';

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

/** Replaces an unreadable spec of a revision that only needs to be stopped. */
export const stoppedSpec = newServiceSpec('');
