/** Settings of the server, its sign-in, its edge and its limits. */
import { OutgoingHost } from '@slipway/contract/kernel/fields.ts';
import { setting } from './setting.ts';
import {
  ANY,
  choice,
  choiceOr,
  consent,
  isNetwork,
  list,
  matching,
  number,
  numberOr,
  port,
  headerSecret,
  secret,
  secretUrl,
  share,
  text,
  textOr,
  toggle,
  url,
  type Value,
} from './value-kinds.ts';
import * as z from 'zod/mini';

const WEB = ['http:', 'https:'];
const MOST_GRACE_SECONDS = 86_400;
const MOST_MEGABYTES = 1e12;
const LEAST_INTERVAL_MS = 5000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Accepts only an origin, because the platform uses all paths below it. */
const isOrigin = ({ pathname, search, hash, username, password }: URL): boolean =>
  pathname === '/' && search === '' && hash === '' && username === '' && password === '';
/** A link for browsers: HTTP(S) only, without credentials. */
const link = (name: string, example = `https://kafka.example.com/{env}/{${name}}`) =>
  url(
    WEB,
    `must be an http or https URL with {${name}} in it, like ${example}`,
    ({ href, username, password }) => [`{${name}}`, `%7B${name}%7D`].some((place) => href.includes(place)) && username + password === '',
  );
const isHost = (entry: string): boolean => OutgoingHost.safeParse(entry.toLowerCase()).success && !entry.startsWith('*');
/** At least 32 characters, so that nobody guesses it. */
const adminToken = { ...secret, type: z.optional(z.string().check(z.minLength(32, { error: 'must have at least 32 characters' }))) };
/** `api`, `worker`, or both in one text. */
const roles: Value<z.ZodMiniDefault<z.ZodMiniString>> = {
  ...textOr('api,worker', /^(api|worker)(,(api|worker))?$/, 'must be api, worker or api,worker'),
  form: { kind: 'list' },
};
const sampled = ['always_on', 'always_off', 'traceidratio'] as const;
const samplers = [...sampled, ...sampled.map((name) => `parentbased_${name}` as const)];
const OWN = { shared: 'own' } as const;

export const platformSettings = {
  PORT: setting('server.port', port(4000), 'the port of the console, the API, git, the registry and sign-in, 1 to 65535', OWN),
  HOST: setting(
    'server.host',
    textOr('127.0.0.1', /^[\w.:-]+$/, 'must be an address of this machine'),
    'the address to listen on. `0.0.0.0` for all. It must include loopback, since the platform calls its own registry at 127.0.0.1',
    { shared: 'worker' },
  ),
  SLIPWAY_INGRESS_PORT: setting(
    'edge.port',
    port(4080),
    'the port of the edge, which serves the services; it listens on `HOST`. Another than `PORT`. While another program has it, no service is served, and the start and `/readyz` say so',
    { shared: 'worker' },
  ),
  SLIPWAY_PUBLIC_URL: setting(
    'server.publicUrl',
    url(WEB, 'must be an http or https URL without a path, like https://slipway.example.com', isOrigin),
    "the origin as browsers and clients see it: http or https, without a path. Requests for other hosts get 421, except loopback names on `PORT`, and the server's own address for `/healthz`, `/readyz` and `/metrics`",
    { usually: '`http://localhost:{PORT}`' },
  ),
  SLIPWAY_TRUSTED_PROXIES: setting(
    'server.trustedProxies',
    list(isNetwork, 'must be addresses or networks like 10.0.0.1,10.1.0.0/16'),
    'addresses and networks of your reverse proxies, `10.0.0.1,10.1.0.0/16`. Limits by address then count the client that they name in `X-Forwarded-For`; from anybody else that header is not believed',
    OWN,
  ),
  SLIPWAY_DATA: setting(
    'server.data',
    textOr('./data', /./, 'must be a directory', 'path'),
    'where the embedded engines keep everything; made with mode 0700',
  ),
  DATABASE_URL: setting(
    'database.url',
    secretUrl(['postgres:', 'postgresql:'], 'must be a URL like postgres://user:password@host:5432/database'),
    'PostgreSQL 15 or newer, instead of the embedded one: `postgres://user:password@host:5432/database`. A start waits 20 seconds for it. No PgBouncer in transaction mode',
    OWN,
  ),
  SLIPWAY_DEMO: setting('signIn.demo', toggle, 'demo people to sign in as, and on an empty platform two teams and three apps', {
    usually: '`on` with the embedded sign-in, `off` with `SLIPWAY_OIDC_AUTHORITY` or `SLIPWAY_LOCAL_USERS`',
  }),
  SLIPWAY_LOCAL_USERS: setting(
    'signIn.localUsers',
    choice(['password']),
    '`password`: people sign in with a user name and a password that Slipway keeps',
  ),
  SLIPWAY_OIDC_AUTHORITY: setting(
    'signIn.oidc.authority',
    url(WEB, 'must be an http or https URL'),
    'URL of your OpenID Connect provider, exactly its issuer; its discovery document is read at the start',
    { usually: 'none: the embedded provider' },
  ),
  SLIPWAY_OIDC_CLIENT_ID: setting('signIn.oidc.clientId', text, "the console's client id there; required with the authority"),
  SLIPWAY_OIDC_AUDIENCE: setting('signIn.oidc.audience', text, 'the audience that access tokens must carry', { usually: 'the client id' }),
  SLIPWAY_ADMIN_TOKEN: setting(
    'signIn.adminToken',
    adminToken,
    "an administrator's API token for automation, 32 characters or more. Stored as a hash, taken out of the environment, revoked when it is changed or unset, with every token that was made with it",
  ),
  SLIPWAY_ROLES: setting(
    'server.roles',
    roles,
    'what this replica does. Without `worker` it starts pipelines but works on none, and never drives the runtime',
    OWN,
  ),
  SLIPWAY_MODE: setting(
    'server.mode',
    choice(['development', 'production']),
    "production refuses what is only safe on one's own machine, see below",
    { usually: '`production` when the public URL or `HOST` is not loopback, else `development`' },
  ),
  SLIPWAY_RUNTIME_GRACE_SECONDS: setting(
    'runtime.graceSeconds',
    number(0, MOST_GRACE_SECONDS, 'must be seconds, 0 to 86400'),
    'how long services run on without a server, 0 to 86400. [Until another server takes them over](operations.md#start-and-stop), which every start on the same data directory does; then they end. `0`: they end with their server',
    { usually: '`60` in development, `600` in production', shared: 'own' },
  ),
  SLIPWAY_DISK_FLOOR_MB: setting(
    'server.diskFloorMb',
    number(0, MOST_MEGABYTES, 'must be megabytes, 0 or more', ANY),
    "how many megabytes of the data directory's disk are [kept free](operations.md#when-the-disk-gets-short). `0` for none",
    { usually: 'the larger of 1 GiB and 5 %, at most 5 GiB and a tenth of the disk', shared: 'own' },
  ),
  SLIPWAY_REGISTRY_QUOTA_MB: setting(
    'registry.quotaMb',
    number(1, MOST_MEGABYTES, 'must be megabytes, 1 or more', ANY),
    'how many megabytes every [registry project](guide/container-registry.md#quota) may hold. An administrator can give a project another quota',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    'traces.endpoint',
    url(WEB, 'must be an http or https URL like http://collector.example.com:4318'),
    "base URL of a collector for the platform's [traces](operations.md#traces), like `http://collector.example.com:4318`. Each replica has its own `OTEL_…` variables",
    { usually: 'none: no traces', ...OWN },
  ),
  OTEL_EXPORTER_OTLP_HEADERS: setting(
    'traces.headers',
    secret,
    'headers for the collector, with percent-encoded values: `authorization=Bearer%20secret`. Taken out of the environment after the start',
    OWN,
  ),
  OTEL_SERVICE_NAME: setting(
    'traces.serviceName',
    textOr('slipway', /./, 'must not be empty'),
    'the name of the service in traces. `OTEL_RESOURCE_ATTRIBUTES` adds attributes',
    OWN,
  ),
  OTEL_TRACES_SAMPLER: setting(
    'traces.sampler',
    choiceOr('parentbased_always_on', samplers),
    'which traces are recorded: `always_on`, `always_off` or `traceidratio`, each also with `parentbased_`',
    OWN,
  ),
  OTEL_TRACES_SAMPLER_ARG: setting('traces.samplerArg', share, 'with `traceidratio`, the share of traces, 0 to 1', OWN),
  OTEL_METRICS_EXPORTER: setting(
    'traces.metricsExporter',
    choiceOr('none', ['none', 'otlp']),
    '`otlp` sends the [metrics](operations.md#health-and-metrics) of `/metrics` to the collector, too',
    OWN,
  ),
  OTEL_METRIC_EXPORT_INTERVAL: setting(
    'traces.metricIntervalMs',
    numberOr(MINUTE_MS, LEAST_INTERVAL_MS, HOUR_MS, 'must be milliseconds, 5000 to 3600000'),
    'milliseconds between two of these exports',
    OWN,
  ),
  SLIPWAY_SERVICE_TRACES_ENDPOINT: setting(
    'traces.services.endpoint',
    url(WEB, 'must be an http or https URL like http://collector.example.com:4318'),
    'base URL of a collector that also gets the [traces of services](operations.md#traces-of-services), like `http://collector.example.com:4318`',
    { usually: 'none: they stay on the platform' },
  ),
  SLIPWAY_SERVICE_TRACES_HEADERS: setting(
    'traces.services.headers',
    secret,
    'headers for that collector, with percent-encoded values. Taken out of the environment after the start',
  ),
  SLIPWAY_TRACE_URL: setting(
    'links.trace',
    link('traceId', 'https://grafana.example.com/trace/{traceId}'),
    "address of a trace's page, with `{traceId}`: `https://grafana.example.com/trace/{traceId}`. Administrators get it as a link in the banner of an error",
  ),
  SLIPWAY_LOG_LEVEL: setting(
    'server.logLevel',
    choiceOr('warn', ['debug', 'info', 'warn', 'error', 'silent']),
    '`debug`, `info`, `warn`, `error` or `silent`. JSON lines on standard error',
    OWN,
  ),
  SLIPWAY_AUDIT_URL: setting(
    'audit.url',
    url(
      [...WEB, 'tcp:', 'tls:'],
      'must be like tls://siem.example.com:6514, tcp://… or https://…, without credentials',
      ({ hostname, username, password }) => hostname !== '' && username + password === '',
    ),
    'where the [audit log is forwarded](operations.md#forwarding-the-audit-log): `tls://siem.example.com:6514` or `tcp://…` for syslog, `https://…` or `http://…` for JSON lines',
    { usually: 'none: it is not forwarded' },
  ),
  SLIPWAY_AUDIT_AUTHORIZATION: setting(
    'audit.authorization',
    headerSecret,
    'with HTTP, the value of the `Authorization` header: `Bearer …`. Taken out of the environment',
  ),
  SLIPWAY_SCANNER_URL: setting(
    'scanner.url',
    url(WEB, 'must be an http or https URL, without /api/v1'),
    "a scanner that speaks Harbor's pluggable scanner API, without `/api/v1`. It reaches the registry at `SLIPWAY_PUBLIC_URL`",
    { usually: 'none: the built-in scanner with [imported advisories](guide/scanning.md#advisories)' },
  ),
  SLIPWAY_SCANNER_AUTHORIZATION: setting(
    'scanner.authorization',
    headerSecret,
    'the value of the `Authorization` header for that scanner. Taken out of the environment',
  ),
  SLIPWAY_SMTP_HOST: setting('smtp.host', matching(/^[\w.:-]+$/, 'must be a name or address'), 'the mail server for notifications', {
    usually: 'none: e-mail is kept in the [outbox](guide/notifications.md#when-nothing-arrives), which administrators read',
  }),
  SLIPWAY_SMTP_PORT: setting('smtp.port', port(587), 'its port'),
  SLIPWAY_SMTP_TLS: setting(
    'smtp.tls',
    choiceOr('required', ['required', 'implicit', 'off']),
    '`required`: STARTTLS; `implicit`: TLS from the first byte, usually on port 465; `off`: plain text, for a server on the same machine',
  ),
  SLIPWAY_SMTP_USER: setting('smtp.user', text, 'the user there, if it requires one'),
  SLIPWAY_SMTP_PASSWORD: setting('smtp.password', secret, 'the password. Taken out of the environment'),
  SLIPWAY_SMTP_FROM: setting(
    'smtp.from',
    matching(/^(?:[^<>@\r\n]+ <[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/, 'must be like Slipway <slipway@example.com>'),
    'the sender: `Slipway <slipway@example.com>`',
    { usually: 'none, required with a host' },
  ),
  SLIPWAY_MONITORING_APP_KEY: setting(
    'consoleMonitor.appKey',
    matching(/^[a-z0-9]{24}$/, 'must be the app key of a browser monitor'),
    "the app key of a [browser monitor](guide/monitoring.md) that watches the console itself. The console loads the SDK only if all three of these variables are set. The public URL must be one of the monitor's allowed origins",
  ),
  SLIPWAY_MONITORING_API_KEY: setting('consoleMonitor.apiKey', text, "the monitor's API key"),
  SLIPWAY_MONITORING_NAME: setting('consoleMonitor.name', text, 'the name under which the console reports'),
  SLIPWAY_TOPIC_LINK: setting(
    'links.topic',
    link('topic'),
    "the address of a topic's page in a Kafka console of yours, with `{topic}` for its name on the cluster and `{env}` for `development` or `production`: `https://kafka.example.com/{env}/topics/{topic}`. The pages of topics link there",
  ),
  SLIPWAY_SCHEMA_LINK: setting(
    'links.schema',
    link('subject'),
    'the same for schemas, with `{subject}`: `https://registry.example.com/{env}/subjects/{subject}`',
  ),
  SLIPWAY_EGRESS_INSIDE: setting(
    'edge.egressInside',
    list(isHost, (entry) => `${entry} is no host and no host:port`),
    'hosts of private networks that services may list as [outgoing traffic](guide/settings.md#outgoing-traffic): `db.internal:5432,wiki.internal`, separated by commas. Without a port they are 80 and 443. Only those that a service lists by name are in its reach',
  ),
  SLIPWAY_OUTGOING_ALLOW: setting(
    'server.outgoingAllow',
    list(
      (entry) => isNetwork(entry) || isHost(entry),
      (entry) => `${entry} is no address, network, host or host:port`,
    ),
    'inside addresses that the platform itself may call where users name them, as [webhooks](guide/webhooks.md) and [notification channels](guide/notifications.md) do: addresses, networks, hosts or hosts with a port, `10.20.0.0/16,board.internal,hooks.internal:9000`. A named host may be called on the named port, or on any; whatever it leads to',
  ),
  SLIPWAY_FLAGS_CLIENT_KEY: setting(
    'flags.clientKey',
    matching(/^sdk-[\w-]{1,80}$/, 'must be a client key of feature flags'),
    'a client key of [feature flags](guide/feature-flags.md), in which the console looks its own features up. Without one, the console uses its defaults',
  ),
  SLIPWAY_ALLOW_DEMO: setting('allow.demo', consent, '`yes` allows demo people in production', OWN),
  SLIPWAY_ALLOW_FILE_KEYS: setting('allow.fileKeys', consent, '`yes` allows a key file as the only key in production', OWN),
  SLIPWAY_ALLOW_HOST_RUNTIME: setting(
    'allow.hostRuntime',
    consent,
    "`yes` allows instances without a sandbox, or in one that shares the machine's network, in production",
    OWN,
  ),
};
