/** Event streaming settings of the environment: where the embedded broker listens, or an operator's clusters. */
import { readFileSync } from 'node:fs';
import { brokersOf, type Broker } from './config/engine-settings.ts';
import type { Variables } from './config/settings.ts';
import { ConfigError } from './config-error.ts';

const ENVIRONMENTS = ['development', 'production'] as const;
type EnvironmentName = (typeof ENVIRONMENTS)[number];
type Mechanism = 'SCRAM-SHA-256' | 'SCRAM-SHA-512';

export interface KafkaCluster {
  readonly brokers: readonly Broker[];
  readonly user: string;
  readonly password: string;
  readonly mechanism: Mechanism;
  /** `system`: the machine's trusted authorities; otherwise PEM. */
  readonly tls: 'none' | 'system' | { readonly certificateAuthority: string };
}
export type StreamingConfig =
  | {
      readonly kind: 'embedded';
      readonly host: string;
      readonly ports: Readonly<Record<EnvironmentName, number>>;
      /** Host that clients get as the broker's address. */
      readonly advertisedHost: string;
    }
  | { readonly kind: 'kafka'; readonly clusters: Partial<Readonly<Record<EnvironmentName, KafkaCluster>>> };

type Suffix = 'DEVELOPMENT' | 'PRODUCTION';

export interface StreamingSurroundings {
  readonly host: string;
  /** Host as clients see it. */
  readonly publicHost: string;
  /** Ports used by the platform itself. */
  readonly ports: readonly number[];
}

export function streamingOf(data: Variables, surroundings: StreamingSurroundings): StreamingConfig {
  const clusters = Object.fromEntries(
    ENVIRONMENTS.flatMap((environment) => {
      const cluster = clusterOf(data, suffixes[environment]);
      return cluster ? [[environment, cluster] as const] : [];
    }),
  );
  if (data.SLIPWAY_STREAMING === 'embedded') return embeddedOf(data, surroundings, Object.keys(clusters).length > 0);
  if (Object.keys(clusters).length === 0)
    throw new ConfigError('SLIPWAY_STREAMING=kafka needs the brokers of at least one environment: SLIPWAY_KAFKA_BROKERS_DEVELOPMENT, say');
  return { kind: 'kafka', clusters };
}

const suffixes = { development: 'DEVELOPMENT', production: 'PRODUCTION' } as const satisfies Record<EnvironmentName, Suffix>;

function embeddedOf(data: Variables, { host, publicHost, ports: taken }: StreamingSurroundings, hasClusters: boolean): StreamingConfig {
  if (hasClusters) throw new ConfigError('SLIPWAY_KAFKA_BROKERS_… is for SLIPWAY_STREAMING=kafka');
  const ports = { development: data.SLIPWAY_KAFKA_PORT_DEVELOPMENT, production: data.SLIPWAY_KAFKA_PORT_PRODUCTION };
  const all = [...taken, ports.development, ports.production];
  if (new Set(all).size < all.length)
    throw new ConfigError(
      `SLIPWAY_KAFKA_PORT_DEVELOPMENT and SLIPWAY_KAFKA_PORT_PRODUCTION need ports of their own, not ${ports.development} and ${ports.production}`,
    );
  const isHere = ['localhost', '::1'].includes(host) || host.startsWith('127.');
  const advertisedHost = data.SLIPWAY_KAFKA_ADVERTISED_HOST ?? (isHere ? '127.0.0.1' : publicHost);
  return { kind: 'embedded', host: host === 'localhost' ? '127.0.0.1' : host, ports, advertisedHost };
}

function clusterOf(data: Variables, suffix: Suffix): KafkaCluster | undefined {
  const brokers = data[`SLIPWAY_KAFKA_BROKERS_${suffix}`];
  if (brokers === undefined) return undefined;
  const user = data[`SLIPWAY_KAFKA_USER_${suffix}`];
  if (user === undefined) throw new ConfigError(`SLIPWAY_KAFKA_USER_${suffix} is required with SLIPWAY_KAFKA_BROKERS_${suffix}`);
  return {
    brokers: brokersOf(brokers) ?? [],
    user,
    password: passwordOf(data, suffix),
    mechanism: data[`SLIPWAY_KAFKA_MECHANISM_${suffix}`],
    tls: tlsOf(data, suffix),
  };
}

function passwordOf(data: Variables, suffix: Suffix): string {
  const [given, file] = [data[`SLIPWAY_KAFKA_PASSWORD_${suffix}`], data[`SLIPWAY_KAFKA_PASSWORD_FILE_${suffix}`]];
  if ((given === undefined) === (file === undefined))
    throw new ConfigError(
      `SLIPWAY_KAFKA_BROKERS_${suffix} needs either SLIPWAY_KAFKA_PASSWORD_${suffix} or SLIPWAY_KAFKA_PASSWORD_FILE_${suffix}`,
    );
  return given ?? read(`SLIPWAY_KAFKA_PASSWORD_FILE_${suffix}`, file ?? '').replace(/\r?\n$/, '');
}

function tlsOf(data: Variables, suffix: Suffix): KafkaCluster['tls'] {
  const file = data[`SLIPWAY_KAFKA_TLS_CA_FILE_${suffix}`];
  if (data[`SLIPWAY_KAFKA_TLS_${suffix}`] === 'off') return 'none';
  if (file === undefined) return 'system';
  const certificateAuthority = read(`SLIPWAY_KAFKA_TLS_CA_FILE_${suffix}`, file);
  if (!certificateAuthority.includes('-----BEGIN CERTIFICATE-----'))
    throw new ConfigError(`SLIPWAY_KAFKA_TLS_CA_FILE_${suffix}: ${file} holds no certificate in PEM`);
  return { certificateAuthority };
}

function read(variable: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${variable}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
