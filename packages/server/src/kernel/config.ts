/**
 * The configuration: variables of the environment, or the configuration file where a variable is not set (decisions §8). An invalid value
 * stops the start with its name and the reason.
 */
import { resolve } from 'node:path';
import type { FileSettings } from './config/file-settings.ts';
import { auditOf, type AuditConfig } from './audit-config.ts';
import { explainPlaces } from './config/places.ts';
import { isSecret, settings, variablesSchema, type Variables } from './config/settings.ts';
import { ConfigError } from './config-error.ts';
import { runtimeOf, type RuntimeConfig } from './kubernetes-config.ts';
import { schemaRegistryOf, type SchemaRegistryConfig } from './schema-registry-config.ts';
import { smtpOf, type SmtpConfig } from './smtp-config.ts';
import { streamingOf, type StreamingConfig } from './streaming-config.ts';
import { serviceCollectorOf, telemetryOf, type TelemetryConfig } from './telemetry/telemetry-config.ts';

export { ConfigError };

/** The production value leaves enough time for maintenance of the machine. */
const GRACE_SECONDS = { development: 60, production: 600 };
const SECRET = /^SLIPWAY_(?:DATABASES_DSN|KAFKA_PASSWORD_(?!FILE_)|SCHEMA_REGISTRY_AUTHORIZATION)/;
const unset = Object.fromEntries([...settings.keys()].map((name) => [name, '']));

const roles = ['api', 'worker'] as const;
type Role = (typeof roles)[number];

export interface Config {
  readonly port: number;
  readonly host: string;
  readonly ingressPort: number;
  readonly publicUrl: string;
  /** URL at which this process reaches itself, to call the engines on its own origin over HTTP. */
  readonly internalUrl: string;
  /** Reverse proxies whose X-Forwarded-For header is trusted. */
  readonly trustedProxies: readonly string[];
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  /** The engine that runs services: processes on this machine, or Kubernetes clusters. */
  readonly runtime: RuntimeConfig;
  /** The servers for databases of apps: the embedded one, or one of an administrator's for each region. */
  readonly databases: { readonly kind: 'embedded' } | { readonly kind: 'postgres'; readonly servers: Readonly<Record<string, string>> };
  /** Kafka brokers: embedded, or an operator's. */
  readonly streaming: StreamingConfig;
  /** Schema registry for topics. */
  readonly schemaRegistry: SchemaRegistryConfig;
  /** URLs of topic and schema pages in an external manager. */
  readonly streamingLinks: { readonly topic: string | undefined; readonly schema: string | undefined };
  /** Seconds that services keep running without a server. */
  readonly runtimeGraceSeconds: number;
  /** Space to keep free on the data directory's disk. Depends on the disk size when undefined. */
  readonly diskFloorMegabytes: number | undefined;
  /** Storage quota of each registry project. Limited only by the disk when undefined. */
  readonly registryQuotaMegabytes: number | undefined;
  readonly isDemo: boolean;
  readonly adminToken: string | undefined;
  readonly roles: ReadonlySet<Role>;
  /** Undefined for the embedded provider. */
  readonly oidc: { readonly authority: string; readonly clientId: string; readonly audience: string } | undefined;
  readonly hasLocalUsers: boolean;
  readonly mode: 'development' | 'production';
  readonly logLevel: string;
  /** Undefined if only the built-in scanner is used. */
  readonly scanner: { readonly url: string; readonly authorization: string | undefined } | undefined;
  /** Mail server. Undefined for the embedded outbox. */
  readonly smtp: SmtpConfig | undefined;
  /** Receiver of the audit log. Undefined: it is not forwarded. */
  readonly audit: AuditConfig | undefined;
  /** Browser monitor that watches the console. Undefined unless keys and name are set. */
  readonly consoleMonitor: { readonly appKey: string; readonly apiKey: string; readonly name: string } | undefined;
  /** Collector of the platform's own traces. Undefined: no trace is recorded. */
  readonly telemetry: TelemetryConfig | undefined;
  /** URL of a trace's page, with the placeholder `{traceId}`. */
  /** Collector that also gets the traces of services. */
  readonly serviceCollector: Pick<TelemetryConfig, 'url' | 'headers'> | undefined;
  readonly traceUrl: string | undefined;
  /** Hosts in private networks that services may list as egress targets: `host` or `host:port`. */
  readonly egressInside: readonly string[];
  /** Internal targets the platform may call when users name the address: addresses, networks, hosts, or hosts with a port. */
  readonly outgoingAllow: readonly string[];
  readonly flagsClientKey: string | undefined;
  readonly allowances: { readonly hostRuntime: boolean; readonly fileKeys: boolean; readonly demo: boolean };
  /** Every variable as text, with its default, or empty. Contains secrets. */
  readonly variables: Readonly<Record<string, string>>;
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || host === '::1' || host.startsWith('127.');

/** A server that listens on all addresses is reached by loopback, any other only by its own address. */
const internalUrlOf = (host: string, port: number): string => {
  if (['0.0.0.0', '::', 'localhost'].includes(host)) return `http://127.0.0.1:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
};

const oidcOf = (env: Variables): Config['oidc'] => {
  if (env.SLIPWAY_OIDC_AUTHORITY === undefined) return undefined;
  if (env.SLIPWAY_OIDC_CLIENT_ID === undefined) throw new ConfigError('SLIPWAY_OIDC_CLIENT_ID is required with SLIPWAY_OIDC_AUTHORITY');
  return {
    authority: env.SLIPWAY_OIDC_AUTHORITY,
    clientId: env.SLIPWAY_OIDC_CLIENT_ID,
    audience: env.SLIPWAY_OIDC_AUDIENCE ?? env.SLIPWAY_OIDC_CLIENT_ID,
  };
};

/** Watching the console is optional: it does not start without its keys and its name (specification §5). */
const consoleMonitorOf = (env: Variables): Config['consoleMonitor'] => {
  const { SLIPWAY_MONITORING_APP_KEY: appKey, SLIPWAY_MONITORING_API_KEY: apiKey, SLIPWAY_MONITORING_NAME: name } = env;
  return appKey && apiKey && name ? { appKey, apiKey, name } : undefined;
};

const DSN = 'SLIPWAY_DATABASES_DSN_';
const databasesOf = (env: Variables): Config['databases'] => {
  const servers = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      name.startsWith(DSN) && typeof value === 'string' ? [[name.slice(DSN.length), value]] : [],
    ),
  );
  const isGiven = Object.keys(servers).length > 0;
  if (env.SLIPWAY_DATABASES === 'embedded') {
    if (isGiven) throw new ConfigError(`${DSN}… is for SLIPWAY_DATABASES=postgres`);
    return { kind: 'embedded' };
  }
  if (!isGiven) throw new ConfigError(`SLIPWAY_DATABASES=postgres needs a server for at least one region: ${DSN}WESTEUROPE, say`);
  return { kind: 'postgres', servers };
};

/** Rejects settings in production that are only safe on a personal machine. The error names the variable that allows each. */
const refuseUnsafe = (config: Config): void => {
  if (config.mode !== 'production') return;
  if (config.isDemo && !config.allowances.demo)
    throw new ConfigError('Demo people are refused in production. Set SLIPWAY_DEMO=off, or SLIPWAY_ALLOW_DEMO=yes to allow them.');
  if (!config.allowances.fileKeys)
    throw new ConfigError('A key file as the only key is refused in production. Set SLIPWAY_ALLOW_FILE_KEYS=yes to allow it.');
};

/** Variables win over the file, also over a value of the file that another variable supplies. */
const merged = (env: NodeJS.ProcessEnv, file: FileSettings): NodeJS.ProcessEnv => {
  const supplied = new Set(
    [...settings].flatMap(([name, { supplies }]) => (supplies !== undefined && env[name] !== undefined ? [supplies] : [])),
  );
  const given = [...file.values].filter(([name]) => !supplied.has(name)).map(([name, { text }]) => [name, text]);
  return { ...Object.fromEntries(given), ...env };
};

/**
 * Reads and validates the environment and the settings of the configuration file. Removes secrets from the environment, so that child
 * processes cannot read them.
 */
export const readConfig = (env: NodeJS.ProcessEnv, file?: FileSettings): Config => {
  const before = { ...env };
  try {
    return configOf(env, file ? merged(env, file) : env);
  } catch (error) {
    if (file && error instanceof ConfigError) throw new ConfigError(explainPlaces(error.message, file, before), { cause: error });
    throw error;
  }
};

const configOf = (env: NodeJS.ProcessEnv, given: NodeJS.ProcessEnv): Config => {
  const result = variablesSchema.safeParse(given);
  if (!result.success) {
    throw new ConfigError(result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n'));
  }
  for (const [name, setting] of settings) if (isSecret(setting)) delete env[name];
  // Misspelled names, too.
  for (const name of Object.keys(env)) if (SECRET.test(name)) delete env[name];
  const data = result.data;
  if (data.PORT === data.SLIPWAY_INGRESS_PORT)
    throw new ConfigError(`PORT and SLIPWAY_INGRESS_PORT are both ${data.PORT}: the platform and the edge need a port each`);
  const publicUrl = (data.SLIPWAY_PUBLIC_URL ?? `http://localhost:${data.PORT}`).replace(/\/$/, '');
  const isLocal = isLoopback(new URL(publicUrl).hostname) && isLoopback(data.HOST);
  const mode = data.SLIPWAY_MODE ?? (isLocal ? 'development' : 'production');
  const config: Config = {
    port: data.PORT,
    host: data.HOST,
    ingressPort: data.SLIPWAY_INGRESS_PORT,
    publicUrl,
    internalUrl: internalUrlOf(data.HOST, data.PORT),
    trustedProxies: data.SLIPWAY_TRUSTED_PROXIES,
    dataDir: resolve(data.SLIPWAY_DATA),
    databaseUrl: data.DATABASE_URL,
    runtime: runtimeOf(data, publicUrl),
    databases: databasesOf(data),
    streaming: streamingOf(data, {
      host: data.HOST,
      publicHost: new URL(publicUrl).hostname,
      ports: [data.PORT, data.SLIPWAY_INGRESS_PORT],
    }),
    schemaRegistry: schemaRegistryOf(data),
    consoleMonitor: consoleMonitorOf(data),
    telemetry: telemetryOf(data),
    serviceCollector: serviceCollectorOf(data),
    traceUrl: data.SLIPWAY_TRACE_URL,
    streamingLinks: { topic: data.SLIPWAY_TOPIC_LINK, schema: data.SLIPWAY_SCHEMA_LINK },
    runtimeGraceSeconds: data.SLIPWAY_RUNTIME_GRACE_SECONDS ?? GRACE_SECONDS[mode],
    diskFloorMegabytes: data.SLIPWAY_DISK_FLOOR_MB,
    registryQuotaMegabytes: data.SLIPWAY_REGISTRY_QUOTA_MB,
    isDemo: (data.SLIPWAY_DEMO ?? (data.SLIPWAY_OIDC_AUTHORITY || data.SLIPWAY_LOCAL_USERS ? 'off' : 'on')) === 'on',
    adminToken: data.SLIPWAY_ADMIN_TOKEN,
    roles: new Set(roles.filter((role) => data.SLIPWAY_ROLES.split(',').includes(role))),
    oidc: oidcOf(data),
    hasLocalUsers: data.SLIPWAY_LOCAL_USERS === 'password',
    mode,
    logLevel: data.SLIPWAY_LOG_LEVEL,
    scanner:
      data.SLIPWAY_SCANNER_URL === undefined
        ? undefined
        : { url: data.SLIPWAY_SCANNER_URL, authorization: data.SLIPWAY_SCANNER_AUTHORIZATION },
    smtp: smtpOf(data),
    audit: auditOf(data, publicUrl),
    egressInside: data.SLIPWAY_EGRESS_INSIDE.map((host) => host.toLowerCase()),
    outgoingAllow: data.SLIPWAY_OUTGOING_ALLOW,
    flagsClientKey: data.SLIPWAY_FLAGS_CLIENT_KEY,
    allowances: {
      hostRuntime: data.SLIPWAY_ALLOW_HOST_RUNTIME === 'yes',
      fileKeys: data.SLIPWAY_ALLOW_FILE_KEYS === 'yes',
      demo: data.SLIPWAY_ALLOW_DEMO === 'yes',
    },
    variables: { ...unset, ...Object.fromEntries(Object.entries(data).map(([name, value]) => [name, String(value ?? '')])) },
  };
  refuseUnsafe(config);
  return config;
};
