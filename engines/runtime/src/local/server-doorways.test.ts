/** Doorways to database servers and brokers under their own names and ports, including two servers with the same port. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { lookup } from 'node:dns/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { detectSandbox } from '../sandbox/detect-sandbox.ts';
import { hostUid, releaseHostUid } from '../sandbox/host-uid.ts';
import { networkFiles } from '../sandbox/network/network-files.ts';
import type { RevisionSpec } from '@slipway/foundation/ports/runtime.ts';
import { makeNodeRoot } from './node-root.fixture.ts';
import { serverDoorways, serverHosts } from './server-doorways.ts';

type Reached = Pick<RevisionSpec, 'databases' | 'brokers'>;
const waysTo = (reached: Reached) => ({
  doors: serverDoorways(reached).map(({ address, port }) => `${address}:${port}`),
  hosts: serverHosts(reached),
});

test('a server of this machine keeps its address, and every other has one of its own inside', () => {
  const at = (...addresses: readonly string[]) =>
    addresses.map((address) => ({ host: address.split(':')[0] ?? '', port: Number(address.split(':')[1]) }));
  expect(waysTo({})).toEqual({ doors: [], hosts: {} });
  expect(waysTo({ databases: at('127.0.0.1:4432', 'localhost:4433'), brokers: at('127.0.0.1:19092') })).toEqual({
    doors: ['127.0.0.1:4432', '127.0.0.1:4433', '127.0.0.1:19092'],
    hosts: {},
  });
  const databases = at('one.internal:5432', 'two.internal:5432', 'one.internal:5433');
  const brokers = at('kafka1.internal:9092', 'kafka2.internal:9092', 'one.internal:9092');
  expect(waysTo({ databases, brokers })).toEqual({
    doors: ['127.77.0.1:5432', '127.77.0.2:5432', '127.77.0.1:5433', '127.77.0.3:9092', '127.77.0.4:9092', '127.77.0.1:9092'],
    hosts: { 'one.internal': '127.77.0.1', 'two.internal': '127.77.0.2', 'kafka1.internal': '127.77.0.3', 'kafka2.internal': '127.77.0.4' },
  });
});

const directory = mkdtempSync(join(tmpdir(), 'slipway-server-doorways-'));
const sandbox = await detectSandbox();
const isNamed = await lookup(hostname()).then(
  () => true,
  () => false,
);
let server: Server;
beforeAll(async () => {
  mkdirSync(join(directory, 'rootfs'));
  makeNodeRoot(join(directory, 'rootfs'), '');
  server = createServer((socket) => {
    socket.on('error', () => {}).on('data', (bytes) => socket.end(`heard ${String(bytes)}`));
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
});
afterAll(() => {
  server.close();
  releaseHostUid('server-doorway-test');
  rmSync(directory, { recursive: true, force: true });
});

test.runIf(sandbox.hasNetworks && isNamed)('a program reaches a server by its name', async () => {
  const [host, { port }] = [hostname(), server.address() as AddressInfo];
  const spec = { brokers: [{ host, port }] };
  const running = sandbox.spawn({
    id: `server-doorway-${process.pid}`,
    rootfs: join(directory, 'rootfs'),
    binds: networkFiles(sandbox, serverHosts(spec)),
    command: [
      '/usr/local/bin/node',
      '-e',
      `require('net').connect(${port}, '${host}', function () { this.write('me'); this.pipe(process.stdout); });`,
    ],
    cwd: '/app',
    env: {},
    uid: hostUid('server-doorway-test'),
    doorways: serverDoorways(spec),
  });
  expect(await text(running.child.stdout)).toBe('heard me');
  await running.exited;
});
