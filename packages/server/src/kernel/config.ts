/** The configuration: one schema over the environment variables (decisions §8). A wrong value stops the start with its name and why. */
import net from 'node:net';
import { resolve } from 'node:path';
import { OutgoingHost } from '@slipway/contract/kernel/fields.ts';
import * as z from 'zod/mini';
import { StartError } from './start-error.ts';

const HIGHEST_PORT = 65_535;
const LONGEST_GRACE_SECONDS = 86_400;
/** In production a machine's maintenance fits in. */
const GRACE_SECONDS = { development: 60, production: 600 };
/** Texts of digits alone: the empty text is no port, and port 0 is an address that nobody knows. */
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
/** A URL of one of the schemes, and what else it must be. */
const address = (schemes: readonly string[], error: string, isFit: (url: URL) => boolean = () => true) =>
  z.optional(
    z.string().check(z.refine((text) => URL.canParse(text) && schemes.includes(new URL(text).protocol) && isFit(new URL(text)), { error })),
  );
/** The origin alone: every path below it is the platform's own. */
const isOrigin = ({ pathname, search, hash, username, password }: URL): boolean =>
  pathname === '/' && search === '' && hash === '' && username === '' && password === '';
const embedded = z._default(z.enum(['embedded']), 'embedded');
const text = z.optional(z.string().check(z.minLength(1)));

/** `10.0.0.1,10.1.0.0/16`. */
const addresses = z.pipe(
  z._default(z.string(), ''),
  z.transform((list) => list.split(',').flatMap((part) => part.trim() || [])),
);
const isNetwork = (entry: string): boolean => {
  const [address = '', bits, ...rest] = entry.split('/');
  const most = { 0: -1, 4: 32, 6: 128 }[net.isIP(address)] ?? -1;
  return rest.length === 0 && most > 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most));
};

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
  SLIPWAY_RUNTIME: embedded,
  SLIPWAY_REGISTRY: embedded,
  SLIPWAY_SOURCE: embedded,
  SLIPWAY_KEYS: embedded,
  SLIPWAY_RUNTIME_GRACE_SECONDS: z.optional(
    z
      .string()
      .check(z.refine((text) => /^\d{1,5}$/.test(text) && Number(text) <= LONGEST_GRACE_SECONDS, { error: 'must be seconds, 0 to 86400' })),
  ),
  SLIPWAY_DISK_FLOOR_MB: z.optional(z.coerce.number().check(z.int(), z.minimum(0))),
  SLIPWAY_LOG_LEVEL: z._default(z.enum(['debug', 'info', 'warn', 'error', 'silent']), 'warn'),
  SLIPWAY_EGRESS_INSIDE: z._default(z.string(), ''),
  SLIPWAY_ALLOW_HOST_RUNTIME: z.optional(z.literal('yes')),
  SLIPWAY_ALLOW_FILE_KEYS: z.optional(z.literal('yes')),
  SLIPWAY_ALLOW_DEMO: z.optional(z.literal('yes')),
});

const roles = ['api', 'worker'] as const;
type Role = (typeof roles)[number];

export interface Config {
  readonly port: number;
  readonly host: string;
  readonly ingressPort: number;
  readonly publicUrl: string;
  /** Where this process reaches itself: the engines on its own origin are called over HTTP. */
  readonly internalUrl: string;
  /** Reverse proxies that are believed whom they speak for. */
  readonly trustedProxies: readonly string[];
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  /** How long services run on without a server. */
  readonly runtimeGraceSeconds: number;
  /** What is kept free of the data directory's disk; by its size when undefined. */
  readonly diskFloorMegabytes: number | undefined;
  readonly isDemo: boolean;
  readonly adminToken: string | undefined;
  readonly roles: ReadonlySet<Role>;
  /** Undefined: the embedded provider. */
  readonly oidc: { readonly authority: string; readonly clientId: string; readonly audience: string } | undefined;
  readonly hasLocalUsers: boolean;
  readonly mode: 'development' | 'production';
  readonly logLevel: string;
  /** Hosts of private networks that services may list among those they reach: `host` or `host:port`. */
  readonly egressInside: readonly string[];
  readonly allowances: { readonly hostRuntime: boolean; readonly fileKeys: boolean; readonly demo: boolean };
}

export class ConfigError extends StartError {
  override readonly name = 'ConfigError';
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || host === '::1' || host.startsWith('127.');

/** An address that listens on everything is reached by loopback; any other only by its own name. */
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

/** Production refuses what is only safe on one's own machine, each with the variable that allows it all the same. */
const refuseUnsafe = (config: Config): void => {
  if (config.mode !== 'production') return;
  if (config.isDemo && !config.allowances.demo)
    throw new ConfigError('Demo people are refused in production. Set SLIPWAY_DEMO=off, or SLIPWAY_ALLOW_DEMO=yes to allow them.');
  if (!config.allowances.fileKeys)
    throw new ConfigError('A key file as the only key is refused in production. Set SLIPWAY_ALLOW_FILE_KEYS=yes to allow it.');
};

/** Reads and checks the environment, and takes the administrator token out of it, so that no child can read it. */
export const readConfig = (env: NodeJS.ProcessEnv): Config => {
  const result = schema.safeParse(env);
  if (!result.success) {
    throw new ConfigError(result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n'));
  }
  delete env['SLIPWAY_ADMIN_TOKEN'];
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
    runtimeGraceSeconds: Number(data.SLIPWAY_RUNTIME_GRACE_SECONDS ?? GRACE_SECONDS[mode]),
    diskFloorMegabytes: data.SLIPWAY_DISK_FLOOR_MB,
    isDemo: (data.SLIPWAY_DEMO ?? (data.SLIPWAY_OIDC_AUTHORITY || data.SLIPWAY_LOCAL_USERS ? 'off' : 'on')) === 'on',
    adminToken: data.SLIPWAY_ADMIN_TOKEN,
    roles: new Set(roles.filter((role) => data.SLIPWAY_ROLES.split(',').includes(role))),
    oidc: oidcOf(data),
    hasLocalUsers: data.SLIPWAY_LOCAL_USERS === 'password',
    mode,
    logLevel: data.SLIPWAY_LOG_LEVEL,
    egressInside: insideOf(data.SLIPWAY_EGRESS_INSIDE),
    allowances: {
      hostRuntime: data.SLIPWAY_ALLOW_HOST_RUNTIME === 'yes',
      fileKeys: data.SLIPWAY_ALLOW_FILE_KEYS === 'yes',
      demo: data.SLIPWAY_ALLOW_DEMO === 'yes',
    },
  };
  refuseUnsafe(config);
  return config;
};
