/** Invalid environment variables: errors contain the name and the expected value. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError, readConfig } from './config.ts';

const read = (env: Record<string, string>) => readConfig({ ...env });

const onCluster = { SLIPWAY_RUNTIME: 'kubernetes', SLIPWAY_KUBERNETES_EDGE_SOURCES: '10.0.0.1, namespace:slipway' };
type Row = readonly [env: Record<string, string>, message: string];

const kafka = {
  SLIPWAY_STREAMING: 'kafka',
  SLIPWAY_KAFKA_BROKERS_PRODUCTION: 'kafka1.example.com:9092, kafka2.example.com:9093',
  SLIPWAY_KAFKA_USER_PRODUCTION: 'slipway',
  SLIPWAY_KAFKA_PASSWORD_PRODUCTION: 'hidden',
};
const without = (env: Record<string, string>, name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter(([key]) => key !== name));

test.each<Row>([
  [{ PORT: '' }, 'PORT: must be a port, 1 to 65535'],
  [{ PORT: '0' }, 'PORT: must be a port'],
  [{ PORT: '65536' }, 'PORT: must be a port'],
  [{ PORT: ' 80' }, 'PORT: must be a port'],
  [{ PORT: '1e3' }, 'PORT: must be a port'],
  [{ SLIPWAY_INGRESS_PORT: '' }, 'SLIPWAY_INGRESS_PORT: must be a port'],
  [{ PORT: '4000', SLIPWAY_INGRESS_PORT: '4000' }, 'PORT and SLIPWAY_INGRESS_PORT are both 4000'],
  [{ PORT: '4080' }, 'PORT and SLIPWAY_INGRESS_PORT are both 4080'],
  [{ HOST: '' }, 'HOST: must be an address'],
  [{ HOST: 'http://localhost' }, 'HOST: must be an address'],
  [{ SLIPWAY_DATA: '' }, 'SLIPWAY_DATA: must be a directory'],
  ...[
    '',
    'localhost:4000',
    'ftp://x/y',
    'javascript:alert(1)',
    'http://localhost/slipway',
    'http://localhost?x',
    'http://localhost#x',
    'http://a:b@localhost',
  ].map((value) => [{ SLIPWAY_PUBLIC_URL: value }, 'SLIPWAY_PUBLIC_URL: must be an http or https URL without a path'] as const),
  ...['', 'notaurl', 'mysql://localhost/x', 'localhost:5432', 'http://localhost/slipway'].map((value): Row => [
    { DATABASE_URL: value },
    'DATABASE_URL: must be a URL like postgres://',
  ]),
  [{ SLIPWAY_OIDC_AUTHORITY: 'ldap://x', SLIPWAY_OIDC_CLIENT_ID: 'x' }, 'SLIPWAY_OIDC_AUTHORITY: must be an http or https URL'],
  ...['', '-1', '1.5', '1e3', 'forever', '86401'].map((value): Row => [
    { SLIPWAY_RUNTIME_GRACE_SECONDS: value },
    'SLIPWAY_RUNTIME_GRACE_SECONDS: must be seconds, 0 to 86400',
  ]),
  ...['', 'db.internal', 'mysql://a:b@db/x', 'postgres://db/x', 'postgres://a:b@10.0.0.7/x', 'postgres://a:b@db/x?sslmode=prefer'].map(
    (value): Row => [
      { SLIPWAY_DATABASES: 'postgres', SLIPWAY_DATABASES_DSN_WESTEUROPE: value },
      'SLIPWAY_DATABASES_DSN_WESTEUROPE: must be a URL like postgres://admin:password@db.example.com:5432/postgres',
    ],
  ),
  [{ SLIPWAY_RUNTIME: 'docker' }, 'SLIPWAY_RUNTIME: '],
  [{ SLIPWAY_RUNTIME: 'kubernetes' }, 'SLIPWAY_RUNTIME=kubernetes needs SLIPWAY_KUBERNETES_EDGE_SOURCES'],
  [{ SLIPWAY_KUBERNETES_EDGE_SOURCES: '10.0.0.1' }, 'SLIPWAY_KUBERNETES_… is for SLIPWAY_RUNTIME=kubernetes'],
  ...['edge', '10.0.0.0/33', 'namespace:', 'namespace:Upper', '10.0.0.1;10.0.0.2'].map((value): Row => [
    { SLIPWAY_RUNTIME: 'kubernetes', SLIPWAY_KUBERNETES_EDGE_SOURCES: value },
    'SLIPWAY_KUBERNETES_EDGE_SOURCES: must be addresses, networks or namespace:<name>',
  ]),
  ...['pods', 'pods=many', 'pods=1=2', 'Pods=1', ''].map((value): Row => [
    { ...onCluster, SLIPWAY_KUBERNETES_QUOTA: value },
    'SLIPWAY_KUBERNETES_QUOTA: must be like pods=200',
  ]),
  [{ ...onCluster, SLIPWAY_KUBERNETES_CPU_REQUEST_PERCENT: '0' }, 'SLIPWAY_KUBERNETES_CPU_REQUEST_PERCENT: '],
  [
    { ...onCluster, SLIPWAY_KUBERNETES_REGISTRY: 'https://registry.example.com' },
    'SLIPWAY_KUBERNETES_REGISTRY: must be a host or host:port',
  ],
  [
    { ...onCluster, SLIPWAY_KUBERNETES_CONTEXT: 'one', SLIPWAY_KUBERNETES_CONTEXT_WESTEUROPE: 'two' },
    'SLIPWAY_KUBERNETES_CONTEXT is the cluster of all regions',
  ],
  [{ SLIPWAY_DATABASES: 'postgres' }, 'SLIPWAY_DATABASES=postgres needs a server for at least one region'],
  [{ SLIPWAY_DATABASES_DSN_CENTRALUS: 'postgres://a:b@db/x' }, 'is for SLIPWAY_DATABASES=postgres'],
  [{ SLIPWAY_DATABASES: 'oracle' }, 'SLIPWAY_DATABASES: '],
  ...['*', '*.internal', 'http://db.internal', 'db.internal:0', 'db.internal:65536', 'db.internal;wiki', 'fd00::1'].map((value): Row => [
    { SLIPWAY_EGRESS_INSIDE: value },
    `SLIPWAY_EGRESS_INSIDE: ${value} is no host and no host:port`,
  ]),
  [{ SLIPWAY_STREAMING: 'redpanda' }, 'SLIPWAY_STREAMING: '],
  [{ SLIPWAY_STREAMING: 'kafka' }, 'SLIPWAY_STREAMING=kafka needs the brokers of at least one environment'],
  [{ SLIPWAY_KAFKA_PORT_DEVELOPMENT: '0' }, 'SLIPWAY_KAFKA_PORT_DEVELOPMENT: must be a port'],
  [{ SLIPWAY_KAFKA_PORT_DEVELOPMENT: '4000' }, 'SLIPWAY_KAFKA_PORT_DEVELOPMENT and SLIPWAY_KAFKA_PORT_PRODUCTION need ports of their own'],
  [{ SLIPWAY_KAFKA_PORT_PRODUCTION: '19092' }, 'need ports of their own, not 19092 and 19092'],
  [{ SLIPWAY_KAFKA_ADVERTISED_HOST: 'http://kafka' }, 'SLIPWAY_KAFKA_ADVERTISED_HOST: must be a name or address'],
  ...['', 'kafka', 'kafka:0', 'kafka:70000', '10.0.0.7:9092', 'kafka:9092,', 'kafka:9092;kafka:9093', 'PLAINTEXT://kafka:9092'].map(
    (value): Row => [
      { ...kafka, SLIPWAY_KAFKA_BROKERS_PRODUCTION: value },
      'SLIPWAY_KAFKA_BROKERS_PRODUCTION: must be brokers like kafka1.example.com:9092',
    ],
  ),
  [{ ...kafka, SLIPWAY_STREAMING: 'embedded' }, 'SLIPWAY_KAFKA_BROKERS_… is for SLIPWAY_STREAMING=kafka'],
  [without(kafka, 'SLIPWAY_KAFKA_USER_PRODUCTION'), 'SLIPWAY_KAFKA_USER_PRODUCTION is required with SLIPWAY_KAFKA_BROKERS_PRODUCTION'],
  [
    without(kafka, 'SLIPWAY_KAFKA_PASSWORD_PRODUCTION'),
    'needs either SLIPWAY_KAFKA_PASSWORD_PRODUCTION or SLIPWAY_KAFKA_PASSWORD_FILE_PRODUCTION',
  ],
  [{ ...kafka, SLIPWAY_KAFKA_PASSWORD_FILE_PRODUCTION: '/x' }, 'needs either SLIPWAY_KAFKA_PASSWORD_PRODUCTION'],
  [{ ...kafka, SLIPWAY_KAFKA_MECHANISM_PRODUCTION: 'PLAIN' }, 'SLIPWAY_KAFKA_MECHANISM_PRODUCTION: '],
  [{ ...kafka, SLIPWAY_KAFKA_TLS_CA_FILE_PRODUCTION: '/nowhere/ca.pem' }, 'SLIPWAY_KAFKA_TLS_CA_FILE_PRODUCTION: ENOENT'],
  [{ ...kafka, SLIPWAY_KAFKA_TLS_CA_FILE_PRODUCTION: import.meta.filename }, 'holds no certificate in PEM'],
])('%j is refused', (env, message) => {
  expect(() => read(env)).toThrow(ConfigError);
  expect(() => read(env)).toThrow(message);
});

test('services run on without a server for a minute in development, longer in production, or as long as is said', () => {
  const graceOf = (env: Record<string, string>): number => read(env).runtimeGraceSeconds;
  const production = { SLIPWAY_MODE: 'production', SLIPWAY_ALLOW_FILE_KEYS: 'yes', SLIPWAY_DEMO: 'off' };
  expect([graceOf({}), graceOf(production)]).toEqual([60, 600]);
  expect([graceOf({ SLIPWAY_RUNTIME_GRACE_SECONDS: '0' }), graceOf({ SLIPWAY_RUNTIME_GRACE_SECONDS: '86400' })]).toEqual([0, 86_400]);
});

test('all errors are reported at once', () => {
  expect(() => read({ PORT: '', DATABASE_URL: 'mysql://x/y' })).toThrow(/^PORT: .*\nDATABASE_URL: /);
});

test.each([
  [{ SLIPWAY_PUBLIC_URL: 'http://localhost:4000/' }, { publicUrl: 'http://localhost:4000' }],
  [{ PORT: '4001' }, { port: 4001, ingressPort: 4080, publicUrl: 'http://localhost:4001' }],
  [
    { DATABASE_URL: 'postgres://slipway:a%40b@db.example:5432/slipway?sslmode=require' },
    { databaseUrl: 'postgres://slipway:a%40b@db.example:5432/slipway?sslmode=require' },
  ],
  [{ DATABASE_URL: 'postgresql:///slipway?host=/run/postgresql' }, { databaseUrl: 'postgresql:///slipway?host=/run/postgresql' }],
  [{ HOST: '::1' }, { host: '::1', internalUrl: 'http://[::1]:4000' }],
  [{ HOST: 'localhost' }, { host: 'localhost' }],
])('%j is taken', (env, expected) => {
  expect(read(env as Record<string, string>)).toMatchObject(expected);
});

test('hosts inside that services may list are read with or without a port', () => {
  expect(read({}).egressInside).toEqual([]);
  expect(read({ SLIPWAY_EGRESS_INSIDE: ' DB.internal:5432, wiki.internal ,,10.0.0.7:9200' }).egressInside).toEqual([
    'db.internal:5432',
    'wiki.internal',
    '10.0.0.7:9200',
  ]);
});

test('servers of databases are known by region, and their passwords leave the environment', () => {
  const env: NodeJS.ProcessEnv = {
    SLIPWAY_DATABASES: 'postgres',
    SLIPWAY_DATABASES_DSN_CENTRALUS: 'postgres://a:b@db.internal/x?sslmode=require',
  };
  expect(readConfig(env).databases).toEqual({ kind: 'postgres', servers: { CENTRALUS: 'postgres://a:b@db.internal/x?sslmode=require' } });
  expect(Object.keys(env)).toEqual(['SLIPWAY_DATABASES']);
  expect(readConfig({}).databases).toEqual({ kind: 'embedded' });
});

test('the embedded broker listens where the platform does, and says the address by which clients find it', () => {
  const streaming = (env: Record<string, string>) => read(env).streaming;
  const ports = { development: 19_092, production: 19_093 };
  expect(streaming({})).toEqual({ kind: 'embedded', host: '127.0.0.1', ports, advertisedHost: '127.0.0.1' });
  const outside = {
    HOST: '0.0.0.0',
    SLIPWAY_PUBLIC_URL: 'https://slipway.example.com',
    SLIPWAY_ALLOW_FILE_KEYS: 'yes',
    SLIPWAY_DEMO: 'off',
  };
  expect(streaming(outside)).toMatchObject({ host: '0.0.0.0', advertisedHost: 'slipway.example.com' });
  expect(streaming({ ...outside, SLIPWAY_KAFKA_ADVERTISED_HOST: 'kafka.example.com' })).toMatchObject({
    advertisedHost: 'kafka.example.com',
  });
});

test('secrets with misspelt names leave the environment, too', () => {
  const env: NodeJS.ProcessEnv = {
    SLIPWAY_DATABASES_DSN_WESTEUROP: 'postgres://a:b@db/x',
    SLIPWAY_KAFKA_PASSWORD_PROD: 'hunter',
    SLIPWAY_KAFKA_PASSWORD_FILE_PROD: '/run/secrets/kafka',
    SLIPWAY_SCHEMA_REGISTRY_AUTHORIZATION_PROD: 'Basic hunter',
  };
  readConfig(env);
  expect(Object.keys(env)).toEqual(['SLIPWAY_KAFKA_PASSWORD_FILE_PROD']);
});

test("an operator's Kafka is read for each environment, its password is taken out of the environment", () => {
  const env: Record<string, string> = { ...kafka };
  const production = {
    brokers: [
      { host: 'kafka1.example.com', port: 9092 },
      { host: 'kafka2.example.com', port: 9093 },
    ],
    user: 'slipway',
    password: 'hidden',
    mechanism: 'SCRAM-SHA-512',
    tls: 'system',
  };
  expect(readConfig(env).streaming).toEqual({ kind: 'kafka', clusters: { production } });
  expect(Object.values(env)).not.toContain('hidden');
  const file = join(mkdtempSync(join(tmpdir(), 'slipway-config-')), 'password');
  writeFileSync(file, 'from a file\n');
  const byFile = {
    ...without(kafka, 'SLIPWAY_KAFKA_PASSWORD_PRODUCTION'),
    SLIPWAY_KAFKA_PASSWORD_FILE_PRODUCTION: file,
    SLIPWAY_KAFKA_TLS_PRODUCTION: 'off',
  };
  expect(read(byFile).streaming).toMatchObject({ clusters: { production: { password: 'from a file', tls: 'none' } } });
});

test('clusters come by region, or one serves all; nodes find the registry at the public URL by default', () => {
  const one = readConfig({ ...onCluster, SLIPWAY_PUBLIC_URL: 'http://localhost:4000' });
  expect(one.runtime).toMatchObject({
    kind: 'kubernetes',
    contexts: { '*': undefined },
    registryHost: 'localhost:4000',
    edgeSources: ['10.0.0.1', 'namespace:slipway'],
    quota: { pods: '200', 'requests.cpu': '32', 'limits.memory': '64Gi' },
    cpuRequestPercent: 100,
  });
  const two = readConfig({
    ...onCluster,
    SLIPWAY_KUBERNETES_CONTEXT_WESTEUROPE: 'west',
    SLIPWAY_KUBERNETES_REGISTRY: 'registry.example.com',
  });
  expect(two.runtime).toMatchObject({ contexts: { WESTEUROPE: 'west' }, registryHost: 'registry.example.com' });
  expect(readConfig({}).runtime).toEqual({ kind: 'embedded' });
});
