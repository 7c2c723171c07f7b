/** A service's settings, as a revision snapshots them: every field of the specification (core §3), with its limits (core §9). */
import * as z from 'zod/mini';

const int = (min: number, max: number) =>
  z.number({ error: 'NotANumber' }).check(z.int({ error: 'NotAnInteger' }), z.minimum(min), z.maximum(max));

export const regions = ['WESTEUROPE', 'NORTHEUROPE', 'CENTRALUS'] as const;
export const Region = z.enum(regions);

export const HealthCheckSpec = z.object({
  enabled: z.boolean(),
  type: z.enum(['http', 'tcp', 'exec']),
  http: z.object({
    port: int(1, 65_535),
    path: z.string().check(z.regex(/^\/\S*$/, { error: 'NotAPath' })),
  }),
  tcp: z.object({ port: int(1, 65_535) }),
  exec: z.object({ command: z.array(z.string()) }),
  config: z.object({
    initialDelaySeconds: int(0, 3600),
    periodSeconds: int(1, 3600),
    timeoutSeconds: int(1, 300),
    successThreshold: int(1, 20),
    failureThreshold: int(1, 20),
  }),
});

export const EnvVar = z.object({
  name: z.string({ error: 'Required' }).check(z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'INVALID_ENV_VAR_NAME' })),
  source: z.enum(['STATIC', 'SECRET_KEY']),
  value: z.optional(z.string()),
  secretGroup: z.optional(z.string()),
  secretKey: z.optional(z.string()),
});

export const ServiceSpec = z.object({
  containerImageName: z.string(),
  region: Region,
  scaleDownAfterDays: z.nullable(int(1, 365)),
  resources: z.object({ cpuMillicores: int(50, 16_000), memoryMegabytes: int(64, 65_536) }),
  exposedPort: z.nullable(int(1, 65_535)),
  externalTraffic: z.object({
    type: z.enum(['NONE', 'DIRECT', 'API_PROXY']),
    domain: z.nullable(z.string()),
    basePath: z.string().check(z.regex(/^\/\S*$/, { error: 'NotAPath' })),
    config: z.object({
      connectionTimeoutMs: int(100, 60_000),
      readTimeoutMs: int(100, 600_000),
      writeTimeoutMs: int(100, 600_000),
      requestSizeLimitMb: int(1, 1024),
      spikeArrestPerMinute: int(0, 1_000_000),
      excludePathPrefixes: z.array(z.string()),
    }),
  }),
  externalTrafficAuthentication: z.enum(['AZURE_AUTH', 'BASIC_AUTH', 'NO_AUTH']),
  spotComputeEnabled: z.boolean(),
  template: z.object({
    replicaScaling: z.object({
      scalingType: z.enum(['STATIC', 'AUTO']),
      count: int(0, 10),
      minReplicas: int(1, 10),
      maxReplicas: int(1, 10),
      cpuUtilization: int(60, 100),
    }),
    healthCheck: HealthCheckSpec,
    envVars: z.array(EnvVar),
    secretFileMounts: z.array(
      z.object({
        mountPath: z.string(),
        secretGroup: z.string(),
        includeAllKeys: z.boolean(),
        fileFormat: z.string(),
        secretKey: z.nullable(z.string()),
      }),
    ),
    vaultProxyEnabled: z.boolean(),
  }),
  rollout: z.object({ strategy: z.enum(['RED_BLACK', 'RECREATE', 'ROLLING_UPDATE']) }),
  imageUpdatePolicy: z.object({
    type: z.enum(['MANUAL', 'REGEX']),
    regex: z.object({ pattern: z.string() }),
  }),
  observability: z.object({
    metrics: z.object({ enabled: z.boolean(), path: z.string(), port: z.nullable(int(1, 65_535)) }),
  }),
});
export type ServiceSpec = z.infer<typeof ServiceSpec>;

/**
 * A new service: the placeholders of the specification §9, but quick probes (decisions §11: the placeholders need 21 s to healthy).
 * `image` is the full reference without tag, `{host}/{app}/{service}`.
 */
export const newServiceSpec = (image: string): ServiceSpec => ({
  containerImageName: image,
  region: 'WESTEUROPE',
  scaleDownAfterDays: null,
  resources: { cpuMillicores: 250, memoryMegabytes: 256 },
  exposedPort: 8080,
  externalTraffic: {
    type: 'DIRECT',
    domain: null,
    basePath: '/',
    config: {
      connectionTimeoutMs: 3000,
      readTimeoutMs: 58_000,
      writeTimeoutMs: 58_000,
      requestSizeLimitMb: 15,
      spikeArrestPerMinute: 0,
      excludePathPrefixes: [],
    },
  },
  externalTrafficAuthentication: 'NO_AUTH',
  spotComputeEnabled: false,
  template: {
    replicaScaling: {
      scalingType: 'STATIC',
      count: 1,
      minReplicas: 1,
      maxReplicas: 10,
      cpuUtilization: 70,
    },
    healthCheck: {
      enabled: true,
      type: 'http',
      http: { port: 8080, path: '/healthz' },
      tcp: { port: 8080 },
      exec: { command: [] },
      config: {
        initialDelaySeconds: 0,
        periodSeconds: 1,
        timeoutSeconds: 2,
        successThreshold: 1,
        failureThreshold: 3,
      },
    },
    envVars: [],
    secretFileMounts: [],
    vaultProxyEnabled: false,
  },
  rollout: { strategy: 'ROLLING_UPDATE' },
  imageUpdatePolicy: { type: 'MANUAL', regex: { pattern: '' } },
  observability: { metrics: { enabled: false, path: '/metrics', port: null } },
});
