/** The configuration file: every mistake has its place and a hint, secrets are references, and variables win. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ConfigError } from '../config-error.ts';
import { readConfig } from '../config.ts';
import { findConfigFile } from './find-file.ts';
import { loadConfig } from './load-config.ts';
import { readConfigFile } from './read-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'slipway-file-'));
afterAll(() => rmSync(directory, { recursive: true }));
const write = (text: string, name = 'slipway.config.yaml'): string => {
  writeFileSync(join(directory, name), text);
  return join(directory, name);
};
const published: object = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../../../../docs/slipway.config.schema.json'), 'utf8'));
const fitsSchema = new Ajv({ allowUnionTypes: true }).compile(published);
const messageOf = (text: string, env: NodeJS.ProcessEnv = {}): string => {
  try {
    readConfig(env, readConfigFile(write(text), env));
    return '';
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return error instanceof Error ? error.message : '';
  }
};

write('hunter-file\n', 'password');
write('', 'empty');
write('Basic hunter\nhunter\n', 'lines');
const REFERENCE = 'write { file: /run/secrets/name } or { env: NAME }';

/** The last column says whether the published schema finds the mistake too. */
test.each<readonly [text: string, message: string, isInSchema: boolean]>([
  ['servr: { port: 1 }', '1:1: servr is unknown. Did you mean server?', true],
  ['server:\n  publicurl: http://x', '2:3: server.publicurl is unknown. Did you mean publicUrl?', true],
  ['zebra: 1', '1:1: zebra is unknown. Known at the top: server, edge,', true],
  ['links: { zebra: 1 }', '1:10: links.zebra is unknown. Known in links: trace, topic, schema', true],
  ['server: 4000', '1:9: server must contain keys: port, host,', true],
  ['[]', '1:1: The file must contain keys: server,', true],
  ['server: { port: "4000" }', '1:17: server.port must be a number', true],
  ['server: { port: 65536 }', '1:17: server.port must be a port, 1 to 65535', true],
  ['server: { port: 80.5 }', '1:17: server.port must be a port, 1 to 65535', true],
  ['server: { logLevel: loud }', '1:21: server.logLevel must be debug, info, warn, error or silent', true],
  ['server: { logLevel: }', '1:21: server.logLevel must be text', true],
  ['server: { publicUrl: "https://x/y" }', '1:22: server.publicUrl must be an http or https URL without a path', false],
  ['server: { trustedProxies: 10.0.0.1 }', '1:27: server.trustedProxies must be a list of texts', true],
  ['server: { trustedProxies: [10.0.0.300] }', '1:27: server.trustedProxies must be addresses or networks', false],
  ['server: { trustedProxies: ["10.0.0.1,10.0.0.2"] }', '1:27: server.trustedProxies must be a list of texts', false],
  ['server: { data: 7 }', '1:17: server.data must be a path', true],
  ['edge: { egressInside: ["*.internal"] }', '1:23: edge.egressInside *.internal is no host and no host:port', false],
  ['signIn: { demo: maybe }', '1:17: signIn.demo must be on or off', true],
  ['allow: { demo: yes }', '1:16: allow.demo must be true or false', true],
  ['traces: { samplerArg: 2 }', '1:23: traces.samplerArg must be a number, 0 to 1', true],
  ['runtime: { kubernetes: { quota: [1] } }', '1:33: runtime.kubernetes.quota must contain names with values', true],
  ['runtime: { kubernetes: { regions: { WESTEUROP: { context: a } } } }', 'WESTEUROP is unknown. Did you mean WESTEUROPE?', true],
  ['smtp: { password: hunter }', `1:19: smtp.password is a secret, which does not belong in the file. Instead, ${REFERENCE}`, true],
  ['smtp: { password: { hunter: a } }', `1:19: smtp.password must be a reference: ${REFERENCE}`, true],
  ['smtp: { password: { file: password, env: A } }', '1:19: smtp.password must be one reference', true],
  ['smtp: { password: { env: "hunter two" } }', '1:19: smtp.password must be a reference', false],
  ['smtp: { password: { env: NOT_THERE } }', '1:19: smtp.password refers to the variable NOT_THERE, which is not set', false],
  ['smtp: { password: { file: nowhere } }', `1:19: smtp.password refers to ${directory}/nowhere, which does not exist`, false],
  ['smtp: { password: { file: . } }', `1:19: smtp.password refers to ${directory}, which is a directory`, false],
  ['smtp: { password: { file: empty } }', `1:19: smtp.password refers to ${directory}/empty, which is empty`, false],
  ['smtp:\n  password: |hunter', '2:14: Block scalar header', false],
  ['scanner: { authorization: { file: lines } }', '1:27: scanner.authorization must be the value of a header', false],
  ['signIn: { adminToken: { file: password } }', '1:23: signIn.adminToken must have at least 32 characters', false],
  ['a: &x [*x]\nserver: *x', '2:9: server must contain keys', true],
  ['server: { port: 1 }\nserver: { port: 2 }', '2:1: Map keys must be unique', false],
  ['server:\n  port: 1\n host: x', '3:1: All mapping items must start at the same column', false],
  ['server: {}\n---\nserver: {}', 'Source contains multiple documents', false],
])('%j is refused', (text, message, isInSchema) => {
  const refusal = messageOf(text);
  expect(refusal).toContain(message);
  for (const line of refusal.split('\n')) expect(line).toMatch(/^slipway\.config\.yaml:\d+:\d+: /);
  expect(refusal).not.toContain('hunter');
  if (isInSchema) expect(fitsSchema(parse(text))).toBe(false);
});

test('all mistakes are reported at once, in the order of the file', () => {
  const refusal = messageOf('server: { port: 0 }\nsmtp: { password: hunter }\ndatabse: {}\n');
  expect(refusal.split('\n').map((line) => line.split(':')[1])).toEqual(['1', '2', '3']);
});

test('a mistake in how settings belong together names the keys and the lines of both', () => {
  expect(messageOf('smtp:\n  host: mail.example.com\n')).toBe(
    'SLIPWAY_SMTP_FROM (smtp.from) is required with SLIPWAY_SMTP_HOST (smtp.host, slipway.config.yaml:2)',
  );
  expect(messageOf('runtime: { engine: kubernetes }')).toMatch(
    /^SLIPWAY_RUNTIME=kubernetes \(runtime.engine, slipway.config.yaml:1\) needs SLIPWAY_KUBERNETES_EDGE_SOURCES \(runtime/,
  );
  // A variable has no place in the file.
  expect(messageOf('smtp:\n  from: a@b.c\n', { SLIPWAY_SMTP_HOST: 'mail', SLIPWAY_SMTP_USER: 'x' })).toBe(
    'SLIPWAY_SMTP_USER (smtp.user) and SLIPWAY_SMTP_PASSWORD (smtp.password) belong together',
  );
});

const full = `
server: { port: 4100, data: store, roles: [api], trustedProxies: [10.0.0.1, 10.1.0.0/16] }
database: { url: { env: DB } }
signIn: { demo: on, adminToken: { env: TOKEN } }
allow: { demo: true, fileKeys: false }
streaming:
  engine: kafka
  environments:
    production:
      brokers: [kafka1.example.com:9092, kafka2.example.com:9092]
      user: slipway
      password: { file: password }
      tls: off
databases: { engine: postgres, regions: { WESTEUROPE: { url: { env: DSN } } } }
runtime: { kubernetes: { quota: { pods: 20, requests.cpu: "4" } } }
schemaRegistry:
  engine: http
  environments: { development: { url: "https://registry.example.com", authorization: { env: TOKEN } } }
traces: { samplerArg: 0.5 }
smtp:
`;
const secrets = { DB: 'postgres://a:hunter@db/x', DSN: 'postgres://a:hunter@db/x', TOKEN: 'hunter-'.repeat(6) };

test('a whole file is read, and fits the published schema; its secrets leave the environment', () => {
  const env: NodeJS.ProcessEnv = { ...secrets };
  const config = readConfig(env, readConfigFile(write(full), env));
  expect(env).toEqual({});
  expect(config).toMatchObject({
    port: 4100,
    dataDir: join(directory, 'store'),
    roles: new Set(['api']),
    databaseUrl: secrets.DB,
    adminToken: secrets.TOKEN,
    trustedProxies: ['10.0.0.1', '10.1.0.0/16'],
    allowances: { demo: true, fileKeys: false },
    databases: { servers: { WESTEUROPE: secrets.DSN } },
    streaming: { clusters: { production: { password: 'hunter-file', tls: 'none', brokers: [{ port: 9092 }, { port: 9092 }] } } },
    schemaRegistry: { registries: { development: { authorization: secrets.TOKEN } } },
  });
  expect(config.variables['SLIPWAY_KUBERNETES_QUOTA']).toBe('pods=20,requests.cpu=4');
  expect(fitsSchema({ ...parse(full), smtp: {} }) || fitsSchema.errors).toBe(true);
});

test('a variable wins over the file, also one that names the file of a password', () => {
  const env: NodeJS.ProcessEnv = { ...secrets, PORT: '4200', SLIPWAY_KAFKA_PASSWORD_FILE_PRODUCTION: join(directory, 'other') };
  write('from the variable\n', 'other');
  const config = readConfig(env, readConfigFile(write(full), env));
  expect(config.port).toBe(4200);
  expect(config.streaming).toMatchObject({ clusters: { production: { password: 'from the variable' } } });
});

test('the file is named, or lies in the working or the data directory; no file changes nothing', async () => {
  const file = write('server: { port: 4300 }');
  const here = process.cwd();
  expect(findConfigFile({ SLIPWAY_DATA: directory })).toBe(file);
  expect(findConfigFile({ SLIPWAY_DATA: directory, SLIPWAY_CONFIG: '' })).toBeUndefined();
  expect(findConfigFile({ SLIPWAY_CONFIG: file })).toBe(file);
  expect(findConfigFile({}, { path: 'slipway.config.yaml', from: directory })).toBe(file);
  expect(() => findConfigFile({ SLIPWAY_CONFIG: `${file}x` })).toThrow(`SLIPWAY_CONFIG: there is no file ${file}x`);
  expect(() => findConfigFile({}, { path: '', from: here })).toThrow('--config: there is no file');
  expect((await loadConfig({ SLIPWAY_CONFIG: file })).port).toBe(4300);
  expect(await loadConfig({ SLIPWAY_CONFIG: '' })).toEqual(readConfig({}));
});
