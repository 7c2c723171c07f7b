/** A service's settings, as stored in its revisions: every field of the specification (core §3), with its limits (core §9). */
import * as z from 'zod/mini';
import { OutgoingHost } from '../kernel/fields.ts';

const Path = z
  .string({ error: 'Required' })
  .check(z.maxLength(1024, { error: 'ExceedsMaximumLength' }), z.regex(/^\/\S*$/, { error: 'NotAPath' }));
/** Only ASCII: URLs escape other letters, so no request path would start with them. */
const BasePath = z
  .string({ error: 'Required' })
  .check(z.maxLength(1024, { error: 'ExceedsMaximumLength' }), z.regex(/^\/[!-~]*$/, { error: 'NotAPath' }));
/** A lowercase host name, `planner.example.com` or `planner.localhost`; no port, wildcard or IP address. */
const Domain = z.string().check(
  z.maxLength(253, { error: 'ExceedsMaximumLength' }),
  z.regex(/^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*\.[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/, {
    error: 'DoesNotMatchPattern',
  }),
);
const int = (min: number, max: number) =>
  z.number({ error: 'NotANumber' }).check(z.int({ error: 'NotAnInteger' }), z.minimum(min), z.maximum(max));

export const regions = ['WESTEUROPE', 'NORTHEUROPE', 'CENTRALUS'] as const;
export const Region = z.enum(regions, { error: 'RegionDoesNotExist' });

export const outgoingTypes = ['NONE', 'LISTED', 'ANY'] as const;

export const HealthCheckSpec = z.object({
  enabled: z.boolean(),
  type: z.enum(['http', 'tcp', 'exec']),
  http: z.object({
    port: int(1, 65_535),
    path: Path,
  }),
  tcp: z.object({ port: int(1, 65_535) }),
  exec: z.object({ command: z.array(z.string().check(z.maxLength(4096, { error: 'ExceedsMaximumLength' }))).check(z.maxLength(64)) }),
  config: z.object({
    initialDelaySeconds: int(0, 3600),
    periodSeconds: int(1, 3600),
    timeoutSeconds: int(1, 300),
    successThreshold: int(1, 20),
    failureThreshold: int(1, 20),
  }),
});

/** Longer values belong in a file. */
export const maxEnvValueLength = 32_768;

export const EnvVar = z.object({
  name: z
    .string({ error: 'Required' })
    .check(z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'INVALID_ENV_VAR_NAME' }), z.maxLength(256, { error: 'ExceedsMaximumLength' })),
  source: z.enum(['STATIC', 'SECRET_KEY']),
  value: z.optional(z.string().check(z.maxLength(maxEnvValueLength, { error: 'ExceedsMaximumLength' }))),
  secretGroup: z.optional(z.string()),
  secretKey: z.optional(z.string()),
});
export type EnvVar = z.infer<typeof EnvVar>;

/** How keys are written to a mounted file. `file`: one file per key with its raw value. */
export const mountFormats = ['file', 'env', 'bash', 'powershell', 'json', 'yaml'] as const;
export const SecretFileMount = z.object({
  mountPath: Path,
  secretGroup: z.string({ error: 'Required' }).check(z.minLength(1, { error: 'Required' })),
  includeAllKeys: z.boolean(),
  fileFormat: z.string(),
  /** Null with `includeAllKeys`. */
  secretKey: z.nullable(z.string()),
});
export type SecretFileMount = z.infer<typeof SecretFileMount>;

export const rolloutStrategies = ['RED_BLACK', 'RECREATE', 'ROLLING_UPDATE'] as const;
export type RolloutStrategy = (typeof rolloutStrategies)[number];

export const ServiceSpec = z.object({
  containerImageName: z
    .string({ error: 'Required' })
    .check(z.trim(), z.minLength(1, { error: 'Required' }), z.maxLength(500, { error: 'ExceedsMaximumLength' })),
  region: Region,
  scaleDownAfterDays: z.nullable(int(1, 365)),
  resources: z.object({ cpuMillicores: int(50, 16_000), memoryMegabytes: int(64, 65_536) }),
  exposedPort: z.nullable(int(1, 65_535)),
  externalTraffic: z.object({
    type: z.enum(['NONE', 'DIRECT', 'API_PROXY']),
    domain: z.nullable(Domain),
    basePath: BasePath,
    config: z.object({
      connectionTimeoutMs: int(100, 60_000),
      readTimeoutMs: int(100, 600_000),
      writeTimeoutMs: int(100, 600_000),
      requestSizeLimitMb: int(1, 1024),
      spikeArrestPerMinute: int(0, 1_000_000),
      excludePathPrefixes: z.array(Path).check(z.maxLength(50)),
    }),
  }),
  externalTrafficAuthentication: z.enum(['AZURE_AUTH', 'BASIC_AUTH', 'NO_AUTH']),
  /** Allowed destinations of the program's connections, besides the edge. `hosts` applies only to LISTED. */
  outgoingTraffic: z.object({
    type: z.enum(outgoingTypes),
    hosts: z.array(OutgoingHost).check(z.maxLength(50)),
  }),
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
    envVars: z.array(EnvVar).check(z.maxLength(500)),
    secretFileMounts: z.array(SecretFileMount).check(z.maxLength(50)),
    vaultProxyEnabled: z.boolean(),
  }),
  rollout: z.object({ strategy: z.enum(rolloutStrategies) }),
  imageUpdatePolicy: z.object({
    type: z.enum(['MANUAL', 'REGEX']),
    regex: z.object({ pattern: z.string().check(z.maxLength(500, { error: 'ExceedsMaximumLength' })) }),
  }),
  observability: z.object({
    metrics: z.object({ enabled: z.boolean(), path: Path, port: z.nullable(int(1, 65_535)) }),
  }),
});
export type ServiceSpec = z.infer<typeof ServiceSpec>;
/** Settings of the edge, which apply immediately without new instances. */
export type EdgeSettings = Pick<ServiceSpec, 'externalTraffic' | 'externalTrafficAuthentication' | 'exposedPort'>;

/**
 * Defaults of a new service: the placeholders of the specification §9, except for faster probes (decisions §11: with the placeholders a
 * service takes 21 s to become healthy). `image` is the full reference without tag, `{host}/{app}/{service}`.
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
  outgoingTraffic: { type: 'NONE', hosts: [] },
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
