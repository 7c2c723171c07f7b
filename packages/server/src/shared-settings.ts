/**
 * Ensures that replicas on one database agree on some settings. With two public URLs, each would stop the other's node agent with all
 * services. Every replica holds a shared advisory lock. The only replica writes its settings, and later replicas are compared with them.
 */
import { scryptSync } from 'node:crypto';
import type pg from 'pg';
import { keepConnection, sleep, type KeptConnection } from '#db/kept-connection.ts';
import { StartError } from '#kernel/start-error.ts';
import type { Config } from '#kernel/config.ts';
import type { Setting } from '#kernel/config/setting.ts';
import { isSecret, settings } from '#kernel/config/settings.ts';
import { entriesOf } from '#kernel/config/value-kinds.ts';
import type { Log } from '#ports/log.ts';

export type SharedSettings = Readonly<Record<string, string>>;

const CREDENTIALS = /:\/\/[^/]*@/;
const HASHED = 'scrypt:';
/** Certificates are not secret, but long. */
const isHidden = (name: string): boolean => {
  const setting = settings.get(name);
  return setting !== undefined && (isSecret(setting) || name.includes('_CA_FILE_'));
};
/** Hides secrets. The hash is slow, since the database could otherwise be used to guess weak passwords. */
const hidden = (name: string, value: string): string =>
  value !== '' && (isHidden(name) || CREDENTIALS.test(value)) ? HASHED + scryptSync(value, name, 16).toString('hex') : value;

/** Values that Slipway derives from others, by variable. */
export const derived = ({ streaming, ...config }: Config): SharedSettings => ({
  SLIPWAY_PUBLIC_URL: config.publicUrl,
  SLIPWAY_DATA: config.dataDir,
  SLIPWAY_MODE: config.mode,
  SLIPWAY_DEMO: config.isDemo ? 'on' : 'off',
  SLIPWAY_OIDC_AUDIENCE: config.oidc?.audience ?? '',
  SLIPWAY_RUNTIME_GRACE_SECONDS: String(config.runtimeGraceSeconds),
  ...(streaming.kind === 'embedded' && { SLIPWAY_KAFKA_ADVERTISED_HOST: streaming.advertisedHost }),
});

/** Values that Slipway reads from files, by variable. */
const fromFiles = ({ streaming }: Config): SharedSettings =>
  streaming.kind === 'embedded'
    ? {}
    : Object.fromEntries(
        Object.entries(streaming.clusters).flatMap(([environment, { password, tls }]) => [
          [`SLIPWAY_KAFKA_PASSWORD_${environment.toUpperCase()}`, password],
          [`SLIPWAY_KAFKA_TLS_CA_FILE_${environment.toUpperCase()}`, typeof tls === 'string' ? '' : tls.certificateAuthority],
        ]),
      );

const isShared = (shared: Setting['shared'], { roles }: Config): boolean =>
  shared !== 'own' && (shared !== 'worker' || roles.has('worker'));

/** Settings by variable, with hashed secrets. */
export const sharedSettings = (config: Config): SharedSettings =>
  Object.fromEntries(
    Object.entries({ ...config.variables, ...derived(config), ...fromFiles(config) })
      .filter(([name]) => isShared(settings.get(name)?.shared, config))
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

/** Earlier versions stored some values that are hashed now, and lists as somebody wrote them. */
const isSame = (name: string, other: string, value: string): boolean =>
  [other, hidden(name, other), settings.get(name)?.form.kind === 'list' && entriesOf(other).join(',')].includes(value);

/** Adds settings that no replica had before, and hides secrets that an earlier version stored in clear text. */
const compare = async (client: pg.Client, own: SharedSettings): Promise<string[]> => {
  const { rows } = await client.query<{ settings: SharedSettings }>('select settings from platform_state');
  const theirs = rows[0]?.settings ?? {};
  const differences = Object.entries(own).flatMap(([name, value]) => {
    const other = theirs[name];
    return other === undefined || isSame(name, other, value)
      ? []
      : [`${name}: ${shown(other)} there, ${shown(value, 'another value')} here`];
  });
  if (differences.length > 0) return differences;
  const hiddenNow = Object.entries(own).filter(([name, value]) => value.startsWith(HASHED) && theirs[name] !== value);
  await client.query('update platform_state set settings = $1::jsonb || settings || $2::jsonb', [own, Object.fromEntries(hiddenNow)]);
  return differences;
};
