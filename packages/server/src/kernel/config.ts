/**
 * The configuration: one schema over the environment variables (decisions §8). An invalid value stops the start with its name and the
 * reason.
 */
import net from 'node:net';
import { resolve } from 'node:path';
import { OutgoingHost } from '@slipway/contract/kernel/fields.ts';
import * as z from 'zod/mini';
import { ConfigError } from './config-error.ts';
import { brokersOf, hideKafkaPasswords, streamingOf, type StreamingConfig } from './streaming-config.ts';
import { isEdgeSource, runtimeOf, type RuntimeConfig } from './kubernetes-config.ts';
import { smtpOf, type SmtpConfig } from './smtp-config.ts';
import { samplers, telemetryOf, type TelemetryConfig } from './telemetry/telemetry-config.ts';
import { hideRegistryCredentials, schemaRegistryOf, type SchemaRegistryConfig } from './schema-registry-config.ts';

export { ConfigError };

const HIGHEST_PORT = 65_535;
const LONGEST_GRACE_SECONDS = 86_400;
/** The production value leaves enough time for maintenance of the machine. */
const GRACE_SECONDS = { development: 60, production: 600 };
/** Accepts only digits: an empty text is not a port, and port 0 would be unpredictable. */
const port = (fallback: number) =>
  z._default(
    z.pipe(
      z
        .string()
        .check(z.refine((text) => /^[1-9]\d{0,4}$/.test(text) && Number(text) <= HIGHEST_PORT, { error: 'must be a port, 1 to 65535' })),
      z.transform(Number),
    ),
    fallback,
  );
/** A URL with one of the schemes that also passes `isFit`. */
const address = (schemes: readonly string[], error: string, isFit: (url: URL) => boolean = () => true) =>
  z.optional(
    z.string().check(z.refine((text) => URL.canParse(text) && schemes.includes(new URL(text).protocol) && isFit(new URL(text)), { error })),
  );
/** Accepts only an origin, because the platform uses all paths below it. */
const isOrigin = ({ pathname, search, hash, username, password }: URL): boolean =>
  pathname === '/' && search === '' && hash === '' && username === '' && password === '';
/** A link for browsers: HTTP(S) only, without credentials. */
const link = (name: string, example = `https://kafka.example.com/{env}/{${name}}`) =>
  address(
    ['http:', 'https:'],
    `must be an http or https URL with {${name}} in it, like ${example}`,
    ({ href, username, password }) => [`{${name}}`, `%7B${name}%7D`].some((place) => href.includes(place)) && username + password === '',
  );
const embedded = z._default(z.enum(['embedded']), 'embedded');
const text = z.optional(z.string().check(z.minLength(1)));

/**
 * Services reach the server by this name through a forward of the runtime. A numeric address is unreachable there, except this machine's
 * loopback address.
 */
const isReachable = ({ hostname, username, password }: URL): boolean =>
  username !== '' && password !== '' && (net.isIP(hostname) === 0 || hostname === '127.0.0.1') && hostname !== '';
/** Base URL of a registry. Request paths are appended to its path. */
const registryUrl = address(
  ['http:', 'https:'],
  'must be an http or https URL like https://registry.example.com/apis/ccompat/v7, without user name and query',
  ({ search, hash, username, password }) => search === '' && hash === '' && username === '' && password === '',
);
const SSL_MODES = new Set([null, 'disable', 'require', 'verify-ca', 'verify-full']);
const dsn = address(
  ['postgres:', 'postgresql:'],
  'must be a URL like postgres://admin:password@db.example.com:5432/postgres?sslmode=verify-full, with a name as its host',
  (url) => isReachable(url) && SSL_MODES.has(url.searchParams.get('sslmode')),
);

/** Comma-separated addresses and networks: `10.0.0.1,10.1.0.0/16`. */
const addresses = z.pipe(
  z._default(z.string(), ''),
  z.transform((list) => list.split(',').flatMap((part) => part.trim() || [])),
);
const isNetwork = (entry: string): boolean => {
  const [address = '', bits, ...rest] = entry.split('/');
  const most = { 0: -1, 4: 32, 6: 128 }[net.isIP(address)] ?? -1;
  return rest.length === 0 && most > 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most));
};
const brokers = z.optional(
  z.string().check(
    z.refine((list) => brokersOf(list) !== undefined, {
      error: 'must be brokers like kafka1.example.com:9092,kafka2.example.com:9092, each a name',
    }),
  ),
);
const mechanism = z._default(z.enum(['SCRAM-SHA-256', 'SCRAM-SHA-512']), 'SCRAM-SHA-512');
const tls = z._default(z.enum(['on', 'off']), 'on');

const schema = z.object({
  PORT: port(4000),
  HOST: z._default(z.string().check(z.regex(/^[\w.:-]+$/, { error: 'must be an address of this machine' })), '127.0.0.1'),
  SLIPWAY_INGRESS_PORT: port(4080),
  SLIPWAY_PUBLIC_URL: address(
    ['http:', 'https:'],
    'must be an http or https URL without a path, like https://slipway.example.com',
    isOrigin,
  ),
  SLIPWAY_TRUSTED_PROXIES: addresses.check(
    z.refine((list) => list.every(isNetwork), { error: 'must be addresses or networks like 10.0.0.1,10.1.0.0/16' }),
  ),
  SLIPWAY_DATA: z._default(z.string().check(z.minLength(1, { error: 'must be a directory' })), './data'),
  DATABASE_URL: address(['postgres:', 'postgresql:'], 'must be a URL like postgres://user:password@host:5432/database'),
  SLIPWAY_DEMO: z.optional(z.enum(['on', 'off'])),
  SLIPWAY_ADMIN_TOKEN: z.optional(z.string().check(z.minLength(32, { error: 'must have at least 32 characters' }))),
  SLIPWAY_ROLES: z._default(
    z.string().check(z.regex(/^(api|worker)(,(api|worker))?$/, { error: 'must be api, worker or api,worker' })),
    'api,worker',
  ),
  SLIPWAY_OIDC_AUTHORITY: address(['http:', 'https:'], 'must be an http or https URL'),
  SLIPWAY_OIDC_CLIENT_ID: text,
  SLIPWAY_OIDC_AUDIENCE: text,
  SLIPWAY_LOCAL_USERS: z.optional(z.enum(['password'])),
  SLIPWAY_MODE: z.optional(z.enum(['development', 'production'])),
  SLIPWAY_RUNTIME: z._default(z.enum(['embedded', 'kubernetes']), 'embedded'),
  SLIPWAY_KUBERNETES_KUBECONFIG: text,
  SLIPWAY_KUBERNETES_CONTEXT: text,
  SLIPWAY_KUBERNETES_CONTEXT_WESTEUROPE: text,
  SLIPWAY_KUBERNETES_CONTEXT_NORTHEUROPE: text,
  SLIPWAY_KUBERNETES_CONTEXT_CENTRALUS: text,
  SLIPWAY_KUBERNETES_REGISTRY: z.optional(
    z.string().check(z.regex(/^[A-Za-z0-9.-]+(?::[1-9]\d{0,4})?$/, { error: 'must be a host or host:port' })),
  ),
  SLIPWAY_KUBERNETES_EDGE_SOURCES: addresses.check(
    z.refine((list) => list.every(isEdgeSource), {
      error: 'must be addresses, networks or namespace:<name>, like 10.0.0.1,namespace:slipway',
    }),
  ),
  SLIPWAY_KUBERNETES_POD: z.optional(
    z.string().check(z.regex(/^[a-z0-9-]+\/[a-z0-9.-]+$/, { error: 'must be the namespace and name of a pod, like slipway/slipway-0' })),
  ),
  SLIPWAY_KUBERNETES_QUOTA: z._default(z.string(), 'pods=200,requests.cpu=32,limits.memory=64Gi'),
  SLIPWAY_KUBERNETES_CPU_REQUEST_PERCENT: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(100)), 100),
  SLIPWAY_REGISTRY: embedded,
  SLIPWAY_SOURCE: embedded,
  SLIPWAY_KEYS: embedded,
  SLIPWAY_DATABASES: z._default(z.enum(['embedded', 'postgres']), 'embedded'),
  SLIPWAY_DATABASES_DSN_WESTEUROPE: dsn,
  SLIPWAY_DATABASES_DSN_NORTHEUROPE: dsn,
  SLIPWAY_DATABASES_DSN_CENTRALUS: dsn,
  SLIPWAY_STREAMING: z._default(z.enum(['embedded', 'kafka']), 'embedded'),
  SLIPWAY_KAFKA_PORT_DEVELOPMENT: port(19_092),
  SLIPWAY_KAFKA_PORT_PRODUCTION: port(19_093),
  SLIPWAY_KAFKA_ADVERTISED_HOST: z.optional(
    z.string().check(z.regex(/^[\w.:-]+$/, { error: 'must be a name or address of this machine' })),
  ),
  SLIPWAY_KAFKA_BROKERS_DEVELOPMENT: brokers,
  SLIPWAY_KAFKA_BROKERS_PRODUCTION: brokers,
  SLIPWAY_KAFKA_USER_DEVELOPMENT: text,
  SLIPWAY_KAFKA_USER_PRODUCTION: text,
  SLIPWAY_KAFKA_PASSWORD_DEVELOPMENT: text,
  SLIPWAY_KAFKA_PASSWORD_PRODUCTION: text,
  SLIPWAY_KAFKA_PASSWORD_FILE_DEVELOPMENT: text,
  SLIPWAY_KAFKA_PASSWORD_FILE_PRODUCTION: text,
  SLIPWAY_KAFKA_MECHANISM_DEVELOPMENT: mechanism,
  SLIPWAY_KAFKA_MECHANISM_PRODUCTION: mechanism,
  SLIPWAY_KAFKA_TLS_DEVELOPMENT: tls,
  SLIPWAY_KAFKA_TLS_PRODUCTION: tls,
  SLIPWAY_KAFKA_TLS_CA_FILE_DEVELOPMENT: text,
  SLIPWAY_KAFKA_TLS_CA_FILE_PRODUCTION: text,
  SLIPWAY_SCHEMA_REGISTRY: z._default(z.enum(['embedded', 'http']), 'embedded'),
  SLIPWAY_SCHEMA_REGISTRY_URL_DEVELOPMENT: registryUrl,
  SLIPWAY_SCHEMA_REGISTRY_URL_PRODUCTION: registryUrl,
  SLIPWAY_SCHEMA_REGISTRY_AUTHORIZATION_DEVELOPMENT: text,
  SLIPWAY_SCHEMA_REGISTRY_AUTHORIZATION_PRODUCTION: text,
  SLIPWAY_TOPIC_LINK: link('topic'),
  SLIPWAY_SCHEMA_LINK: link('subject'),
  SLIPWAY_RUNTIME_GRACE_SECONDS: z.optional(
    z
      .string()
      .check(z.refine((text) => /^\d{1,5}$/.test(text) && Number(text) <= LONGEST_GRACE_SECONDS, { error: 'must be seconds, 0 to 86400' })),
  ),
  SLIPWAY_DISK_FLOOR_MB: z.optional(z.coerce.number().check(z.int(), z.minimum(0))),
  SLIPWAY_REGISTRY_QUOTA_MB: z.optional(z.coerce.number().check(z.int(), z.minimum(1))),
  SLIPWAY_LOG_LEVEL: z._default(z.enum(['debug', 'info', 'warn', 'error', 'silent']), 'warn'),
  SLIPWAY_SCANNER_URL: address(['http:', 'https:'], 'must be an http or https URL, without /api/v1'),
  SLIPWAY_SCANNER_AUTHORIZATION: text,
  SLIPWAY_SMTP_HOST: z.optional(z.string().check(z.regex(/^[\w.:-]+$/, { error: 'must be a name or address' }))),
  SLIPWAY_SMTP_PORT: port(587),
  SLIPWAY_SMTP_TLS: z._default(z.enum(['required', 'implicit', 'off']), 'required'),
  SLIPWAY_SMTP_USER: text,
  SLIPWAY_SMTP_PASSWORD: text,
  SLIPWAY_SMTP_FROM: z.optional(
    z
      .string()
      .check(
        z.regex(/^(?:[^<>@\r\n]+ <[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/, { error: 'must be like Slipway <slipway@example.com>' }),
      ),
  ),
  SLIPWAY_MONITORING_APP_KEY: z.optional(
    z.string().check(z.regex(/^[a-z0-9]{24}$/, { error: 'must be the app key of a browser monitor' })),
  ),
  SLIPWAY_MONITORING_API_KEY: text,
  SLIPWAY_MONITORING_NAME: text,
  SLIPWAY_TRACE_URL: link('traceId', 'https://grafana.example.com/trace/{traceId}'),
  OTEL_EXPORTER_OTLP_ENDPOINT: address(['http:', 'https:'], 'must be an http or https URL like http://collector.example.com:4318'),
  OTEL_EXPORTER_OTLP_HEADERS: text,
  OTEL_SERVICE_NAME: z._default(z.string().check(z.minLength(1)), 'slipway'),
  OTEL_TRACES_SAMPLER: z._default(z.enum(samplers), 'parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z._default(z.coerce.number().check(z.minimum(0), z.maximum(1)), 1),
  SLIPWAY_EGRESS_INSIDE: z._default(z.string(), ''),
  SLIPWAY_OUTGOING_ALLOW: addresses,
  SLIPWAY_FLAGS_CLIENT_KEY: z.optional(z.string().check(z.regex(/^sdk-[\w-]{1,80}$/, { error: 'must be a client key of feature flags' }))),
  SLIPWAY_ALLOW_HOST_RUNTIME: z.optional(z.literal('yes')),
  SLIPWAY_ALLOW_FILE_KEYS: z.optional(z.literal('yes')),
  SLIPWAY_ALLOW_DEMO: z.optional(z.literal('yes')),
});

const unset = Object.fromEntries(Object.keys(schema.shape).map((name) => [name, '']));

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
  /** Browser monitor that watches the console. Undefined unless keys and name are set. */
  readonly consoleMonitor: { readonly appKey: string; readonly apiKey: string; readonly name: string } | undefined;
  /** Collector of the platform's own traces. Undefined: no trace is recorded. */
  readonly telemetry: TelemetryConfig | undefined;
  /** URL of a trace's page, with the placeholder `{traceId}`. */
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

const oidcOf = (env: z.infer<typeof schema>): Config['oidc'] => {
  if (env.SLIPWAY_OIDC_AUTHORITY === undefined) return undefined;
  if (env.SLIPWAY_OIDC_CLIENT_ID === undefined) throw new ConfigError('SLIPWAY_OIDC_CLIENT_ID is required with SLIPWAY_OIDC_AUTHORITY');
  return {
    authority: env.SLIPWAY_OIDC_AUTHORITY,
    clientId: env.SLIPWAY_OIDC_CLIENT_ID,
    audience: env.SLIPWAY_OIDC_AUDIENCE ?? env.SLIPWAY_OIDC_CLIENT_ID,
  };
};

/** Watching the console is optional: it does not start without its keys and its name (specification §5). */
const consoleMonitorOf = (env: z.infer<typeof schema>): Config['consoleMonitor'] => {
  const { SLIPWAY_MONITORING_APP_KEY: appKey, SLIPWAY_MONITORING_API_KEY: apiKey, SLIPWAY_MONITORING_NAME: name } = env;
  return appKey && apiKey && name ? { appKey, apiKey, name } : undefined;
};

const DSN = 'SLIPWAY_DATABASES_DSN_';
const databasesOf = (env: z.infer<typeof schema>): Config['databases'] => {
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

const insideOf = (text: string): readonly string[] => {
  const hosts = text
    .split(',')
    .map((host) => host.trim().toLowerCase())
    .filter((host) => host !== '');
  for (const host of hosts)
    if (!OutgoingHost.safeParse(host).success || host.startsWith('*'))
      throw new ConfigError(`SLIPWAY_EGRESS_INSIDE: ${host} is no host and no host:port`);
  return hosts;
};

const outgoingOf = (entries: readonly string[]): readonly string[] => {
  for (const entry of entries)
    if (!isNetwork(entry) && (!OutgoingHost.safeParse(entry.toLowerCase()).success || entry.startsWith('*')))
      throw new ConfigError(`SLIPWAY_OUTGOING_ALLOW: ${entry} is no address, network, host or host:port`);
  return entries;
};

/** Rejects settings in production that are only safe on a personal machine. The error names the variable that allows each. */
const refuseUnsafe = (config: Config): void => {
  if (config.mode !== 'production') return;
  if (config.isDemo && !config.allowances.demo)
    throw new ConfigError('Demo people are refused in production. Set SLIPWAY_DEMO=off, or SLIPWAY_ALLOW_DEMO=yes to allow them.');
  if (!config.allowances.fileKeys)
    throw new ConfigError('A key file as the only key is refused in production. Set SLIPWAY_ALLOW_FILE_KEYS=yes to allow it.');
};

/**
 * Reads and validates the environment. Removes the administrator token and the servers' passwords from it, so that child processes cannot
 * read them.
 */
export const readConfig = (env: NodeJS.ProcessEnv): Config => {
  const result = schema.safeParse(env);
  if (!result.success) {
    throw new ConfigError(result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n'));
  }
  delete env['SLIPWAY_ADMIN_TOKEN'];
  for (const name of Object.keys(env)) if (name.startsWith(DSN)) delete env[name];
  delete env['SLIPWAY_SCANNER_AUTHORIZATION'];
  delete env['SLIPWAY_SMTP_PASSWORD'];
  delete env['OTEL_EXPORTER_OTLP_HEADERS'];
  hideKafkaPasswords(env);
  hideRegistryCredentials(env);
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
    traceUrl: data.SLIPWAY_TRACE_URL,
    streamingLinks: { topic: data.SLIPWAY_TOPIC_LINK, schema: data.SLIPWAY_SCHEMA_LINK },
    runtimeGraceSeconds: Number(data.SLIPWAY_RUNTIME_GRACE_SECONDS ?? GRACE_SECONDS[mode]),
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
    egressInside: insideOf(data.SLIPWAY_EGRESS_INSIDE),
    outgoingAllow: outgoingOf(data.SLIPWAY_OUTGOING_ALLOW),
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
