/** Replicas on one database: which settings they share, and how a replica with other settings is refused. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '#kernel/config.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { markVersion } from './data-version.ts';
import { agreeOnSettings, sharedSettings } from './shared-settings.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const directory = mkdtempSync(join(tmpdir(), 'slipway-shared-'));
const passwordFile = (name: string, password: string): string => {
  writeFileSync(join(directory, name), `${password}\n`);
  return join(directory, name);
};
const settingsOf = (env: Record<string, string>) => sharedSettings(readConfig({ SLIPWAY_DATA: directory, ...env }));

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await markVersion(database.pool, directory, {});
});
afterAll(async () => {
  await database?.drop();
  rmSync(directory, { recursive: true });
});

const SHARED = {
  SLIPWAY_DATABASES: 'postgres',
  SLIPWAY_DATABASES_DSN_WESTEUROPE: 'postgres://admin:hunter-one@db1.example.com:5432/postgres',
  SLIPWAY_STREAMING: 'kafka',
  SLIPWAY_KAFKA_BROKERS_PRODUCTION: 'kafka1.example.com:9092',
  SLIPWAY_KAFKA_USER_PRODUCTION: 'slipway',
  SLIPWAY_KAFKA_PASSWORD_FILE_PRODUCTION: passwordFile('one', 'hunter-one'),
  SLIPWAY_SCHEMA_REGISTRY: 'http',
  SLIPWAY_SCHEMA_REGISTRY_URL_PRODUCTION: 'https://registry1.example.com',
  SLIPWAY_SCHEMA_REGISTRY_AUTHORIZATION_PRODUCTION: 'Bearer hunter-one',
  SLIPWAY_SCANNER_URL: 'https://scanner1.example.com',
  SLIPWAY_SCANNER_AUTHORIZATION: 'Bearer hunter-one',
  SLIPWAY_SMTP_HOST: 'mail1.example.com',
  SLIPWAY_SMTP_FROM: 'slipway1@example.com',
  SLIPWAY_SMTP_USER: 'user1',
  SLIPWAY_SMTP_PASSWORD: 'hunter-one',
  SLIPWAY_EGRESS_INSIDE: 'wiki1.internal',
  SLIPWAY_OUTGOING_ALLOW: 'board1.internal',
  SLIPWAY_REGISTRY_QUOTA_MB: '1',
  SLIPWAY_ADMIN_TOKEN: 'hunter-one-of-more-than-thirty-two-characters',
};
const OTHER = Object.fromEntries(
  Object.entries(SHARED).map(([name, value]) => [name, value.replace('hunter-one', 'hunter-two').replace('1', '2')]),
);

test('a replica is refused by the name of every shared setting that differs, and no secret is stored or printed', async () => {
  const first = await agreeOnSettings(database.config, settingsOf(SHARED), log);
  const other = settingsOf({ ...OTHER, SLIPWAY_KAFKA_PASSWORD_FILE_PRODUCTION: passwordFile('two', 'hunter-two') });
  const refusal = await agreeOnSettings(database.config, other, log).then(
    () => '',
    (error: Error) => error.message,
  );
  const names = Object.keys(SHARED)
    .filter(
      (name) => !['SLIPWAY_DATABASES', 'SLIPWAY_STREAMING', 'SLIPWAY_SCHEMA_REGISTRY', 'SLIPWAY_KAFKA_USER_PRODUCTION'].includes(name),
    )
    .map((name) => name.replace('PASSWORD_FILE', 'PASSWORD'));
  expect([...refusal.matchAll(/(SLIPWAY_\w+): /g)].map(([, name]) => name).toSorted()).toEqual(names.toSorted());
  expect(refusal).toContain('SLIPWAY_KAFKA_BROKERS_PRODUCTION: kafka1.example.com:9092 there, kafka2.example.com:9092 here.');
  expect(refusal).toContain('SLIPWAY_KAFKA_PASSWORD_PRODUCTION: a value there, another value here.');
  const { rows } = await database.pool.query<{ settings: string }>('select settings::text from platform_state');
  expect(`${refusal} ${rows[0]?.settings}`).not.toContain('hunter');
  await first.stop();
});

test('a secret that an earlier version stored in clear text is hidden beside running replicas', async () => {
  const first = await agreeOnSettings(database.config, settingsOf(SHARED), log);
  await database.pool.query(`update platform_state set settings = settings || '{"SLIPWAY_SMTP_PASSWORD": "hunter-one"}'`);
  const second = await agreeOnSettings(database.config, settingsOf(SHARED), log);
  const { rows } = await database.pool.query<{ settings: string }>('select settings::text from platform_state');
  expect(rows[0]?.settings).not.toContain('hunter');
  await second.stop();
  await first.stop();
});

test('a setting that only one replica has is named', async () => {
  const first = await agreeOnSettings(database.config, settingsOf({ SLIPWAY_SCANNER_URL: 'https://scanner.example.com' }), log);
  await expect(agreeOnSettings(database.config, settingsOf({}), log)).rejects.toThrow(
    'with other settings. SLIPWAY_SCANNER_URL: https://scanner.example.com there, not set here. Give all replicas the same',
  );
  await first.stop();
});

test('replicas differ in what is their own, and give one password by a file or by a variable', async () => {
  const { SLIPWAY_KAFKA_PASSWORD_FILE_PRODUCTION: _, ...shared } = SHARED;
  const first = await agreeOnSettings(database.config, settingsOf({ ...SHARED, SLIPWAY_LOCAL_USERS: 'password' }), log);
  const own = {
    SLIPWAY_LOCAL_USERS: 'password',
    SLIPWAY_DEMO: 'off',
    SLIPWAY_KAFKA_PASSWORD_PRODUCTION: 'hunter-one',
    SLIPWAY_PUBLIC_URL: 'http://localhost:4000/',
    PORT: '4001',
    SLIPWAY_ROLES: 'api',
    SLIPWAY_INGRESS_PORT: '4099',
    SLIPWAY_LOG_LEVEL: 'debug',
    SLIPWAY_TRUSTED_PROXIES: '10.0.0.1',
  };
  const second = await agreeOnSettings(database.config, settingsOf({ ...shared, ...own }), log);
  await second.stop();
  await first.stop();
});
