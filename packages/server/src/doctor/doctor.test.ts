/** The doctor beside engines that work, and beside engines that refuse: what is wrong is said in words, and no secret is. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import { connectionUrl, testDatabase, type TestDatabase } from '#testing/database.ts';
import { freePort } from '#testing/free-port.ts';
import type { Findings } from '#ports/engine-probe.ts';
import { asText, doctorCommand } from './doctor-command.ts';
import { runChecks, type Row } from './check.ts';
import { neededRights } from './kubernetes-checks.ts';

const directory = mkdtempSync(join(tmpdir(), 'slipway-doctor-'));
const path = join(directory, 'slipway.config.yaml');
const secret = 'hunter-secret';
let database: TestDatabase;
let web: string;
/** Whether the outside engines refuse. */
let isBroken = false;

const body = async (request: IncomingMessage): Promise<unknown> => {
  let text = '';
  for await (const part of request) text += String(part);
  return JSON.parse(text);
};
const answers: Readonly<
  Record<string, (url: URL, request: IncomingMessage) => [status: number, body: unknown, location?: string] | Promise<[number, unknown]>>
> = {
  '/oidc/.well-known/openid-configuration': () => [
    200,
    {
      issuer: isBroken ? 'https://other.example.com' : `${web}/oidc`,
      jwks_uri: `${web}/oidc/keys`,
      authorization_endpoint: `${web}/oidc/authorize`,
    },
  ],
  '/oidc/keys': () => [200, { keys: [{ kty: 'RSA' }] }],
  '/oidc/authorize': ({ searchParams }) => [302, {}, `${searchParams.get('redirect_uri')}?error=login_required`],
  '/registry/config': (_url, { headers }) =>
    isBroken || headers.authorization !== secret ? [401, {}] : [200, { compatibilityLevel: 'BACKWARD' }],
  '/v1/traces': (_url, { headers }) => (isBroken || headers['x-key'] !== secret ? [401, {}] : [200, {}]),
  '/siem': (_url, { headers }) => (isBroken || headers.authorization !== `Bearer ${secret}` ? [403, {}] : [400, {}]),
  '/scanner/api/v1/metadata': () => [200, { scanner: { name: 'Trivy', vendor: 'Aqua', version: '1' }, capabilities: [] }],
  '/version': () => [200, { gitVersion: isBroken ? 'v1.20.1' : 'v1.36.0', minor: isBroken ? '20+' : '36' }],
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews': async (_url, request) => {
    const asked = await body(request);
    const spec = isRecord(asked) && isRecord(asked['spec']) ? asked['spec']['resourceAttributes'] : undefined;
    const isAllowed = !isBroken || !isRecord(spec) || spec['resource'] !== 'deployments';
    return [201, { status: { allowed: isAllowed } }];
  },
  '/apis/metrics.k8s.io/v1beta1': () => (isBroken ? [404, {}] : [200, {}]),
};
const http = createServer((request, response) => {
  const url = new URL(request.url ?? '', 'http://here');
  const answer = async (): Promise<void> => {
    const [status, found, location] = (await answers[url.pathname]?.(url, request)) ?? [404, {}];
    response.writeHead(status, location === undefined ? {} : { location }).end(JSON.stringify(found));
  };
  void answer();
});
const mail = new SMTPServer({
  hideSTARTTLS: true,
  allowInsecureAuth: true,
  onAuth: ({ username, password }, _session, done) =>
    !isBroken && password === secret
      ? done(null, { user: username })
      : done(Object.assign(new Error('Invalid credentials'), { responseCode: 535 })),
});
mail.on('error', () => {});

beforeAll(async () => {
  database = await testDatabase({ isEmpty: true });
  await once(http.listen(0, '127.0.0.1'), 'listening');
  await once(mail.listen(0, '127.0.0.1'), 'listening');
  web = `http://127.0.0.1:${(http.address() as net.AddressInfo).port}`;
  const named = { name: 'test' };
  writeFileSync(
    join(directory, 'kubeconfig'),
    JSON.stringify({
      clusters: [{ ...named, cluster: { server: web, 'insecure-skip-tls-verify': true } }],
      users: [{ ...named, user: {} }],
      contexts: [{ ...named, context: { cluster: 'test', user: 'test' } }],
      'current-context': 'test',
    }),
  );
});
afterAll(async () => {
  await database?.drop();
  http.close();
  await new Promise<void>((resolve) => mail.close(resolve));
  rmSync(directory, { recursive: true });
});

const file = async (): Promise<string> => `
server: { port: ${await freePort()}, data: . }
edge: { port: ${await freePort()} }
database: { url: { env: DB } }
signIn: { oidc: { authority: "${web}/oidc", clientId: console } }
runtime: { engine: kubernetes, kubernetes: { kubeconfig: kubeconfig, edgeSources: [10.0.0.1] } }
streaming: { environments: { development: { port: ${await freePort()} }, production: { port: ${await freePort()} } } }
schemaRegistry: { engine: http, environments: { production: { url: "${web}/registry", authorization: { env: KEY } } } }
scanner: { url: "${web}/scanner" }
traces: { endpoint: "${web}", headers: { env: HEADERS } }
smtp: { host: 127.0.0.1, port: ${(mail.server.address() as net.AddressInfo).port}, tls: off, from: a@example.com, user: slipway, password: { env: KEY } }
audit: { url: "${web}/siem", authorization: { env: BEARER } }
`;
const examine = async (
  db: string,
  text: string,
  env: NodeJS.ProcessEnv = {},
): Promise<{ rows: readonly Row[]; exitCode: number; output: string }> => {
  writeFileSync(path, text);
  const { output, exitCode } = await doctorCommand(
    ['--json'],
    { DB: db, KEY: secret, HEADERS: `x-key=${secret}`, BEARER: `Bearer ${secret}`, ...env },
    { path },
  );
  const rows = JSON.parse(output) as readonly Row[];
  expect(output).not.toContain('hunter');
  return { rows, exitCode, output: asText(rows) };
};
/** The failed rows as `subject: message → next`. */
const failures = (rows: readonly Row[]): string[] =>
  rows.filter(({ state }) => state === 'failed').map(({ subject, message, next }) => `${subject}: ${message} → ${next}`);

test('healthy engines: every check is passed, and nothing is left behind', async () => {
  const { rows, exitCode, output } = await examine(connectionUrl(database.config), await file());
  expect(failures(rows)).toEqual([]);
  expect(exitCode).toBe(0);
  for (const line of [
    `${path} and the variables are valid`,
    'as user',
    'The extensions pg_trgm and unaccent exist or can be created.',
    `The client console may redirect to`,
    `The account has all ${neededRights().length} rights of deploy/kubernetes/rbac.yaml.`,
    'Trivy 1 answers',
    'accepts the user slipway. No message was sent.',
    'accepts traces.',
    `${web} answers. No entry was sent.`,
  ])
    expect(output.replaceAll(/\s+/g, ' ')).toContain(line.replaceAll(/\s+/g, ' '));
  const { rows: tables } = await database.pool.query('select from pg_tables where schemaname = $1', ['public']);
  expect(tables).toEqual([]);
});

test('engines that refuse: each says which right, address or password is wrong, and where it is set', async () => {
  isBroken = true;
  try {
    const { rows, exitCode } = await examine(connectionUrl({ ...database.config, password: 'hunter-wrong' }), await file());
    expect(exitCode).toBe(1);
    const found = failures(rows).join('\n');
    for (const line of [
      /^database: The server refuses the user or the password\. → Correct user and password of DATABASE_URL \(database.url, slipway.config.yaml:4\)/m,
      /^sign-in: .* names https:\/\/other.example.com as its issuer.* → Set SLIPWAY_OIDC_AUTHORITY \(signIn.oidc.authority, slipway.config.yaml:5\)/m,
      /^kubernetes: It is Kubernetes v1\.20\.1\. → Use Kubernetes 1\.\d+ or newer\./m,
      /^kubernetes: The account may not .*delete.* deployments\.apps in all namespaces\. → Run: kubectl apply/m,
      /^schema registry production: The registry refuses the platform \(401\)\. → Correct SLIPWAY_SCHEMA_REGISTRY_AUTHORIZATION_PRODUCTION \(/m,
      /^traces: The collector refuses the platform \(401\)\. → Correct OTEL_EXPORTER_OTLP_HEADERS \(traces.headers, slipway.config.yaml:10\)/m,
      /^audit receiver: .*: It refuses the credentials \(403\)\. → Correct SLIPWAY_AUDIT_URL \(audit.url, slipway.config.yaml:12\)/m,
      /^mail: .*Invalid (?:login|credentials).* → Correct SLIPWAY_SMTP_USER \(smtp.user, slipway.config.yaml:11\) and SLIPWAY_SMTP_PASSWORD/m,
    ])
      expect(found).toMatch(line);
    expect(rows).toContainEqual(expect.objectContaining({ subject: 'kubernetes', state: 'warning', next: 'Install metrics-server.' }));
  } finally {
    isBroken = false;
  }
});

test('nothing listens: each engine is named with its address', async () => {
  const closed = await freePort();
  const text = `
server: { data: . }
edge: { port: ${await freePort()} }
database: { url: { env: DB } }
signIn: { oidc: { authority: "http://127.0.0.1:${closed}", clientId: console } }
databases: { engine: postgres, regions: { WESTEUROPE: { url: { env: DSN } } } }
streaming: { engine: kafka, environments: { production: { brokers: ["127.0.0.1:${closed}"], user: slipway, password: { env: KEY } } } }
schemaRegistry: { engine: http, environments: { production: { url: "http://127.0.0.1:${closed}" } } }
traces: { endpoint: "http://127.0.0.1:${closed}" }
smtp: { host: 127.0.0.1, port: ${closed}, from: a@example.com }
`;
  const taken = net.createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as net.AddressInfo;
  const url = `postgres://a:${secret}@127.0.0.1:${closed}/postgres`;
  const { rows } = await examine(url, text, { DSN: url, PORT: String(port) });
  taken.close();
  expect(failures(rows).map((row) => row.split(' →')[0])).toEqual([
    `ports: Port ${port} (PORT (server.port)) is in use by another program.`,
    'database: Nothing listens there.',
    'databases WESTEUROPE: Nothing listens there.',
    expect.stringMatching(`^kafka production: The broker 127.0.0.1:${closed} cannot be reached: .*ECONNREFUSED`),
    `sign-in: http://127.0.0.1:${closed}/.well-known/openid-configuration does not answer`,
    `schema registry production: http://127.0.0.1:${closed} does not answer: connect ECONNREFUSED 127.0.0.1:${closed}.`,
    `mail: 127.0.0.1:${closed}: connect ECONNREFUSED 127.0.0.1:${closed}.`,
    `traces: http://127.0.0.1:${closed}/v1/traces does not answer: connect ECONNREFUSED 127.0.0.1:${closed}.`,
  ]);
});

test('a database user without rights: the missing rights are named', async () => {
  const { user, database: name } = database.config;
  await database.pool.query(`revoke create on schema public from pg_database_owner; revoke create on database ${name} from ${user}`);
  const { rows } = await examine(
    connectionUrl(database.config),
    `server: { port: ${await freePort()}, data: . }\nedge: { port: ${await freePort()} }\ndatabase: { url: { env: DB } }\n`,
  );
  expect(failures(rows).filter((row) => row.startsWith('database'))).toEqual([
    expect.stringContaining('The user may not create tables in the schema public. → Run: alter database'),
    expect.stringContaining('The extensions pg_trgm and unaccent are missing, and the user cannot create them.'),
  ]);
});

test('an invalid configuration is reported without asking the engines', async () => {
  const { rows, exitCode } = await examine('', 'servr: {}\nsmtp: { password: hunter }\n');
  expect(exitCode).toBe(1);
  expect(rows.map(({ subject, message }) => `${subject} ${message.slice(0, 28)}`)).toEqual([
    'configuration slipway.config.yaml:1:1: ser',
    'configuration slipway.config.yaml:2:19: sm',
  ]);
  await expect(doctorCommand(['--yaml'], {}, {})).rejects.toThrow('slipway doctor [--json]');
});

test('a check that hangs or throws fails alone, with what it found until then', async () => {
  const hangs = (findings: Findings): Promise<void> => {
    findings.ok('It answers.');
    return new Promise(() => {});
  };
  const rows = await runChecks(
    [
      { subject: 'one', run: hangs },
      { subject: 'two', run: () => Promise.reject(new Error('Broken')) },
    ],
    50,
  );
  expect(rows.map(({ subject, state, message }) => [subject, state, message])).toEqual([
    ['one', 'ok', 'It answers.'],
    ['one', 'failed', expect.stringContaining('did not end within')],
    ['two', 'failed', 'Broken'],
  ]);
});
