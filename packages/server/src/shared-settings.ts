/**
 * Ensures that replicas on one database agree on some settings. With two public URLs, each would stop the other's node agent with all
 * services. Every replica holds a shared advisory lock. The only replica writes its settings, and later replicas are compared with them.
 */
import { scryptSync } from 'node:crypto';
import type pg from 'pg';
import { keepConnection, sleep, type KeptConnection } from '#db/kept-connection.ts';
import { StartError } from '#kernel/start-error.ts';
import type { Config } from '#kernel/config.ts';
import type { Log } from '#ports/log.ts';

export type SharedSettings = Readonly<Record<string, string>>;

/** Variables that replicas may set differently. All others are shared. */
const OWN = new Set([
  'PORT',
  'DATABASE_URL',
  'SLIPWAY_ROLES',
  'SLIPWAY_TRUSTED_PROXIES',
  'SLIPWAY_LOG_LEVEL',
  'SLIPWAY_KUBERNETES_POD',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_SERVICE_NAME',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
  'SLIPWAY_DISK_FLOOR_MB',
  'SLIPWAY_RUNTIME_GRACE_SECONDS',
  'SLIPWAY_ALLOW_DEMO',
  'SLIPWAY_ALLOW_FILE_KEYS',
  'SLIPWAY_ALLOW_HOST_RUNTIME',
  // The password itself is compared.
  'SLIPWAY_KAFKA_PASSWORD_FILE_DEVELOPMENT',
  'SLIPWAY_KAFKA_PASSWORD_FILE_PRODUCTION',
]);
/** Variables that only matter to a replica that uses the runtime. */
const WORKERS = new Set(['HOST', 'SLIPWAY_INGRESS_PORT', 'SLIPWAY_KAFKA_ADVERTISED_HOST']);

const SECRET = /_TOKEN$|_PASSWORD_|_AUTHORIZATION|_CA_FILE_/;
const CREDENTIALS = /:\/\/[^/]*@/;
const HASHED = 'scrypt:';
/** Hides secrets. The hash is slow, since the database could otherwise be used to guess weak passwords. */
const hidden = (name: string, value: string): string =>
  value !== '' && (SECRET.test(name) || CREDENTIALS.test(value)) ? HASHED + scryptSync(value, name, 16).toString('hex') : value;

/** Values that Slipway derives or reads from files, by variable. */
const effective = ({ streaming, ...config }: Config): SharedSettings => ({
  SLIPWAY_PUBLIC_URL: config.publicUrl,
  SLIPWAY_DATA: config.dataDir,
  SLIPWAY_MODE: config.mode,
  SLIPWAY_DEMO: config.isDemo ? 'on' : 'off',
  SLIPWAY_OIDC_AUDIENCE: config.oidc?.audience ?? '',
  ...(streaming.kind === 'embedded' && { SLIPWAY_KAFKA_ADVERTISED_HOST: streaming.advertisedHost }),
  ...(streaming.kind === 'kafka' &&
    Object.fromEntries(
      Object.entries(streaming.clusters).flatMap(([environment, { password, tls }]) => [
        [`SLIPWAY_KAFKA_PASSWORD_${environment.toUpperCase()}`, password],
        [`SLIPWAY_KAFKA_TLS_CA_FILE_${environment.toUpperCase()}`, typeof tls === 'string' ? '' : tls.certificateAuthority],
      ]),
    )),
});

/** Settings by variable, with hashed secrets. */
export const sharedSettings = (config: Config): SharedSettings =>
  Object.fromEntries(
    Object.entries({ ...config.variables, ...effective(config) })
      .filter(([name]) => !OWN.has(name) && (config.roles.has('worker') || !WORKERS.has(name)))
      .map(([name, value]) => [name, hidden(name, value)]),
  );

const KEY = 'slipway:replicas';
/** The session of a replica that was just killed may persist briefly. */
const PATIENCE_MS = 5000;
const RETRY_MS = 100;

/** Resolves when the replicas agree. Throws a StartError that names the differing settings. */
export async function agreeOnSettings(connection: pg.ClientConfig, own: SharedSettings, log: Log): Promise<KeptConnection> {
  const first = Promise.withResolvers<void>();
  let hasAgreed = false;
  const session = keepConnection(connection, {
    name: 'replicas',
    log,
    use: async (client, signal) => {
      // After an interruption, the settings are still the same.
      if (hasAgreed) return void (await client.query('select pg_advisory_lock_shared(hashtextextended($1, 0))', [KEY]));
      const error = await agree(client, own, signal);
      hasAgreed = error === undefined;
      if (error) first.reject(error);
      else first.resolve();
    },
  });
  await first.promise.catch(async (error: unknown) => {
    await session.stop();
    throw error;
  });
  return session;
}

const lock = async (client: pg.Client, verb: 'pg_try_advisory_lock' | 'pg_try_advisory_lock_shared'): Promise<boolean> =>
  (await client.query<{ taken: boolean }>(`select ${verb}(hashtextextended($1, 0)) as taken`, [KEY])).rows[0]?.taken === true;
const unlock = (client: pg.Client, verb: 'pg_advisory_unlock' | 'pg_advisory_unlock_shared'): Promise<unknown> =>
  client.query(`select ${verb}(hashtextextended($1, 0))`, [KEY]);

const agree = async (client: pg.Client, own: SharedSettings, signal: AbortSignal): Promise<StartError | undefined> => {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    if (await lock(client, 'pg_try_advisory_lock')) {
      await client.query('update platform_state set settings = $1', [own]);
      await lock(client, 'pg_try_advisory_lock_shared');
      await unlock(client, 'pg_advisory_unlock');
      return undefined;
    }
    if (await lock(client, 'pg_try_advisory_lock_shared')) {
      const differences = await compare(client, own);
      if (differences.length === 0) return undefined;
      await unlock(client, 'pg_advisory_unlock_shared');
      if (performance.now() > deadline)
        return new StartError(
          `Another replica runs on this database with other settings. ${differences.join('. ')}. Give all replicas the same, or stop the others first.`,
        );
    }
    await sleep(RETRY_MS, signal);
  }
};

const shown = (value: string, secret = 'a value'): string => (value.startsWith(HASHED) ? secret : value || 'not set');

/** Adds settings that no replica had before. */
const compare = async (client: pg.Client, own: SharedSettings): Promise<string[]> => {
  const { rows } = await client.query<{ settings: SharedSettings }>('select settings from platform_state');
  const theirs = rows[0]?.settings ?? {};
  const differences = Object.entries(own).flatMap(([name, value]) => {
    const other = theirs[name];
    return other === undefined || other === value ? [] : [`${name}: ${shown(other)} there, ${shown(value, 'another value')} here`];
  });
  if (differences.length === 0) await client.query('update platform_state set settings = $1::jsonb || settings', [own]);
  return differences;
};
