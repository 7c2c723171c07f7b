// @long: waits for limits, or starts programs
/** Two services behind the edge. The program of one tries all that a network may lead to: nothing is there but what its doorways offer. */
import { createServer, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { hostname, networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import { serviceSettingsView, serviceUpdate, type ServiceSettingsView } from '@slipway/contract/service/service-operations.ts';
import type { ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { NetworkNamespace } from '@slipway/runtime/sandbox/network/network-namespace.ts';
import { testApp, type TestApp } from '../app.ts';
import { networkProber } from './network.fixture.ts';

/** 127.0.0.2, say, is a host inside that is not the sandbox's own loopback: what would come there came through the proxy. */
const [LISTED, OTHER] = ['127.0.0.2', '127.0.0.3'];
/** Without root services share the machine's network, and there is nothing to hold (docs/security.md). */
const hasNetworks = NetworkNamespace.isPermitted();
const ABSTRACT = `\0slipway-attack-${process.pid}`;
const FILE = join(tmpdir(), `slipway-attack-${process.pid}.sock`);

let app: TestApp;
let inside: Server;
let port: number;
/** Holds what reached the servers that nobody may reach, and the listed server. */
const reached: string[] = [];
const sockets = [ABSTRACT, FILE].map((path) => ({
  path,
  server: createTcpServer((socket) => {
    reached.push(path);
    socket.destroy();
  }),
}));

const settingsOf = async (service: string): Promise<ServiceSettingsView> => {
  const answer = await app.call('member', serviceSettingsView, { params: { app: service, env: 'development', service } });
  return answer.body as ServiceSettingsView;
};
const makeService = async (id: string, outgoingTraffic?: ServiceSpec['outgoingTraffic']): Promise<void> => {
  const made = await app.run('member', quickstartApplicationCreate, { body: { id, teamId: 'cranes', template: 'node-http-api' } });
  expect(made, made.statusMessage ?? '').toMatchObject({ status: { state: 'COMPLETED' } });
  if (!outgoingTraffic) return;
  const { githubRepositoryName, active, spec } = await settingsOf(id);
  const body = { githubRepositoryName, active, spec: { ...spec, outgoingTraffic } };
  const run = await app.run('member', serviceUpdate, { params: { app: id, env: 'development', service: id }, body });
  expect(run, run.statusMessage ?? '').toMatchObject({ status: { state: 'COMPLETED' } });
};
const hostOf = (service: string): string => `${service}.${service}.development.localhost:${app.ingressPort}`;
const act = async <T = string>(name: string, rest: object = {}, service = 'berth'): Promise<T> => {
  const asked = Buffer.from(JSON.stringify({ act: name, ...rest })).toString('base64url');
  const { text } = await app.get(`http://${hostOf(service)}/act-${asked}`);
  return JSON.parse(text) as T;
};
const own = Object.values(networkInterfaces()).flatMap((entries) => entries?.map(({ address }) => address) ?? []);

beforeAll(async () => {
  inside = createServer((asked, answer) => {
    reached.push(`${asked.socket.localAddress} ${asked.url}`);
    if (asked.url === '/redirect') return answer.writeHead(302, { location: `http://${OTHER}:${port}/private` }).end();
    answer.end('listed');
  });
  await new Promise<void>((resolve) => inside.listen(0, '::', resolve));
  ({ port } = inside.address() as AddressInfo);
  for (const { path, server } of sockets) await new Promise<void>((resolve) => server.listen(path, resolve));
  app = await testApp({ templates: async () => networkProber(), egressInside: [`${LISTED}:${port}`] });
  await makeService('berth', { type: 'ANY', hosts: [] });
  await makeService('quay', { type: 'LISTED', hosts: [`${LISTED}:${port}`, '*.slipway.test'] });
});
afterAll(async () => {
  await app?.close();
  for (const { server } of [...sockets, { server: inside }]) server.close();
});
const untouched = async (attack: () => Promise<void>): Promise<void> => {
  reached.length = 0;
  await attack();
  expect(reached).toEqual([]);
};

describe.runIf(hasNetworks)('without the proxy', () => {
  test('of all ports, those of the doorways answer, and its own', async () => {
    const platform = Number(new URL(app.url).port);
    expect(await act('scan', { host: '127.0.0.1' })).toEqual([3128, 8080, app.ingressPort, platform].toSorted((a, b) => a - b));
    // Its own port alone, since it listens on all addresses.
    expect(await act('scan', { host: '::1' })).toEqual([8080]);
  });

  test('its one interface is loopback', async () => {
    const addresses = await act<string[]>('interfaces');
    expect(addresses.filter((address) => address !== '127.0.0.1' && address !== '::1')).toEqual([]);
  });

  test.each([
    ...own.filter((address) => !address.startsWith('127.') && address !== '::1' && !address.startsWith('fe80')),
    '169.254.169.254',
    'fd00:ec2::254',
  ])('%s is not there', async (host) => {
    await untouched(async () => {
      for (const to of [port, 53, 80, 4000, 5432])
        expect(await act('open', { where: { host, port: to } })).toMatch(/^E(NETUNREACH|ADDRNOTAVAIL|AFNOSUPPORT)$/);
      expect(await act('send', { host, port: 53, type: host.includes(':') ? 'udp6' : 'udp4' })).toMatch(
        /^E(NETUNREACH|ADDRNOTAVAIL|AFNOSUPPORT)$/,
      );
    });
  });

  test('no name is found but localhost', async () => {
    expect(await act('lookup', { name: 'localhost' })).toMatch(/^(127\.0\.0\.1|::1)$/);
    for (const name of ['slipway.test', hostname() === 'localhost' ? 'slipway.test' : hostname()])
      expect(await act('lookup', { name })).toMatch(/^E(AI_AGAIN|NOTFOUND)$/);
    expect(await act('resolve', { name: 'slipway.test' })).toMatch(/^E(CONNREFUSED|TIMEOUT)$/);
  });

  test('sockets of the machine are out of reach, in files and without', async () => {
    await untouched(async () => {
      expect(await act('open', { where: { path: ABSTRACT } })).toBe('ECONNREFUSED');
      const { host } = app.database.config;
      for (const path of [
        FILE,
        join(host, '.s.PGSQL.5432'),
        join(app.dataDir, 'agent.sock'),
        '/var/run/docker.sock',
        '/run/dbus/system_bus_socket',
      ])
        expect(await act('open', { where: { path } })).toMatch(/^E(NOENT|ACCES)$/);
    });
  });
});

describe.runIf(hasNetworks)('at the doorways', () => {
  test('the edge answers for other services, by their rules', async () => {
    expect(await act('ask', { port: app.ingressPort, path: '/', headers: { host: hostOf('quay') } })).toBe(200);
    expect(await act('ask', { port: app.ingressPort, path: '/', headers: { host: 'localhost' } })).toBe(421);
  });

  test('of the platform the keys and access tokens are there, and nothing else', async () => {
    const { SLIPWAY_URL: url = '' } = await act<Record<string, string>>('environment');
    const ask = (path: string, method = 'GET') => act<number>('ask', { port: Number(new URL(url).port), path, method });
    expect(await ask('/.well-known/slipway-edge.json')).toBe(200);
    expect(await ask('/api/v1/apps/berth/development/services/berth/access-tokens', 'POST')).toBe(401);
    const paths = [
      '/',
      '/api/v1/me',
      '/healthz',
      '/readyz',
      '/metrics',
      '/v2/',
      '/git/berth/berth.git/info/refs',
      '/oidc/slipway/auth',
      '/assets/',
    ];
    const tricks = [
      '//api/v1/me',
      '/.well-known/slipway-edge.json/../../api/v1/me',
      '/.well-known/slipway-edge.json%2f..',
      `${app.url}/api/v1/me`,
    ];
    for (const path of [...paths, ...tricks]) expect([path, await ask(path)]).toEqual([path, 403]);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      expect([method, await ask('/.well-known/slipway-edge.json', method)]).toEqual([method, 403]);
  });
});

/** Spellings of this machine; the second part is the machine's own. */
const spellings = [
  '127.0.0.1',
  'localhost',
  'LOCALHOST',
  'localhost.',
  '[::1]',
  '[::]',
  '0.0.0.0',
  '0',
  '127.1',
  '2130706433',
  '0177.1',
  '0x7f.1',
  '0x7f000001',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '127.0.0.1.',
  '%31%32%37.0.0.1',
  'x@127.0.0.1',
  '169.254.169.254',
  '2852039166',
  '[fd00:ec2::254]',
  LISTED,
  hostname(),
  ...own.filter((address) => !address.startsWith('fe80')).map((address) => (address.includes(':') ? `[${address}]` : address)),
];
describe.runIf(hasNetworks)('through the proxy', () => {
  test.each(spellings)('%s leads nowhere, though any public address is allowed', async (host) => {
    await untouched(async () => {
      const tunnel = `CONNECT ${host}:${port} HTTP/1.1\r\nhost: ${host}:${port}\r\n\r\nGET /tunnel HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`;
      expect((await act('say', { bytes: tunnel })).split('\r\n')[0]).toMatch(/^HTTP\/1\.1 (403|502|400) /);
      const plain = `GET http://${host}:${port}/plain HTTP/1.1\r\nhost: public.example\r\nconnection: close\r\n\r\n`;
      expect((await act('say', { bytes: plain })).split('\r\n')[0]).toMatch(/^HTTP\/1\.1 (403|502|400) /);
    });
  });

  test('a listed host inside is reached where an administrator allows it, and no other', async () => {
    reached.length = 0;
    expect(await act('fetch', { url: `http://${LISTED}:${port}/a` }, 'quay')).toBe('200 listed');
    expect(reached.map((line) => line.replace('::ffff:', ''))).toEqual([`${LISTED} /a`]);
    await untouched(async () => {
      for (const url of [`http://${OTHER}:${port}/`, `http://${LISTED}:${app.ingressPort}/`, `http://127.0.0.4:${port}/`])
        expect(await act('fetch', { url }, 'quay')).not.toMatch(/^200/);
    });
  });

  test('a redirect is not followed to where the service may not go', async () => {
    reached.length = 0;
    expect(await act('fetch', { url: `http://${LISTED}:${port}/redirect` }, 'quay')).not.toMatch(/listed/);
    expect(reached.map((line) => line.replace('::ffff:', ''))).toEqual([`${LISTED} /redirect`]);
  });

  test('names that are not listed are refused before anybody looks them up', async () => {
    for (const host of ['other.test', 'slipway.test', 'evilslipway.test', 'a.slipway.test.evil.test'])
      expect(await act('say', { bytes: `CONNECT ${host}:443 HTTP/1.1\r\nhost: ${host}\r\n\r\n` }, 'quay')).toMatch(/^HTTP\/1\.1 403 /);
  });

  test('a service that asks for none has no proxy', async () => {
    await makeService('pier');
    expect(await act('open', { where: { host: '127.0.0.1', port: 3128 } }, 'pier')).toBe('ECONNREFUSED');
    expect(Object.keys(await act<object>('environment', {}, 'pier')).filter((name) => /proxy/i.test(name))).toEqual([]);
  });
});
