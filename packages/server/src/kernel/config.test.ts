/** Values of the environment that cannot be meant: each is named, with what it must be. */
import { expect, test } from 'vitest';
import { ConfigError, readConfig } from './config.ts';

const read = (env: Record<string, string>) => readConfig({ ...env });

type Row = readonly [env: Record<string, string>, message: string];

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
  ...['*', '*.internal', 'http://db.internal', 'db.internal:0', 'db.internal:65536', 'db.internal;wiki', 'fd00::1'].map((value): Row => [
    { SLIPWAY_EGRESS_INSIDE: value },
    `SLIPWAY_EGRESS_INSIDE: ${value} is no host and no host:port`,
  ]),
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
