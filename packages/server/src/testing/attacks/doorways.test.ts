/** A program wears out what it may reach: connections without a request through its doorways, on the best tier of this machine. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeNodeRoot } from '@slipway/runtime/local/node-root.fixture.ts';
import { platformDoorway } from '@slipway/runtime/local/platform-doorway.ts';
import { detectSandbox } from '@slipway/runtime/sandbox/detect-sandbox.ts';
import { egressProxy } from '@slipway/runtime/sandbox/network/egress-proxy.ts';
import { hostUid, releaseHostUid } from '@slipway/runtime/sandbox/host-uid.ts';
import { until } from '#ports/runtime.suite-runtime.ts';

const directory = mkdtempSync(join(tmpdir(), 'slipway-doorways-'));
const sandbox = await detectSandbox();
const descriptors = (): number => readdirSync('/proc/self/fd').length;
const TRIED = 1000;
/** Maximum number of connections of one doorway. */
const MAX = 256;
let target: Server;
let taken = 0;
let commands = 0;

beforeAll(async () => {
  mkdirSync(join(directory, 'rootfs'));
  makeNodeRoot(join(directory, 'rootfs'), '');
  target = createServer((socket) => {
    taken++;
    socket.on('error', () => {}).once('close', () => taken--);
  });
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  target.close();
  releaseHostUid('doorway-test');
  rmSync(directory, { recursive: true, force: true });
});

const attack = (source: string, doorway: () => Server) =>
  sandbox.spawn({
    id: `doorway-${process.pid}-${++commands}`,
    rootfs: join(directory, 'rootfs'),
    binds: [],
    command: ['/usr/local/bin/node', '-e', `const net = require('net'); ${source}`],
    cwd: '/app',
    env: {},
    uid: hostUid('doorway-test'),
    doorways: [{ port: 4000, server: doorway }],
  });

test.runIf(sandbox.hasNetworks)('thousands of connections that never ask hold no more of the server than one doorway may', async () => {
  const before = descriptors();
  const source = `let ended = 0;
    for (let i = 0; i < ${TRIED}; i++) {
      const socket = net.connect(4000, '127.0.0.1', () => socket.write('GET / HTTP/1.1\\r\\nx: '));
      socket.on('error', () => {});
      socket.on('close', () => { if (++ended === ${TRIED - MAX}) console.log('the others are ended'); });
    }`;
  const running = attack(source, () => platformDoorway(() => 'http://127.0.0.1:9', '127.0.0.1'));
  await new Promise((resolve) => running.child.stdout.once('data', resolve));
  expect(descriptors() - before).toBeLessThan(MAX + 64);
  running.signal('SIGKILL');
  await running.exited;
  await until('their end', async () => descriptors() - before < 64);
});

test.runIf(sandbox.hasNetworks)('a proxy’s connections outside end with those inside, also with those that did not wait', async () => {
  const { port } = target.address() as { port: number };
  const source = `let left = ${TRIED};
    const next = () => {
      if (left-- <= 0) return console.log('done');
      const socket = net.connect(4000, '127.0.0.1', () => socket.write('CONNECT 127.0.0.1:${port} HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n', () => socket.resetAndDestroy()));
      socket.on('error', () => {});
      socket.on('close', next);
    };
    for (let i = 0; i < 8; i++) next();`;
  const running = attack(source, () => egressProxy({ verdict: () => 'any' }));
  await new Promise((resolve) => running.child.stdout.once('data', resolve));
  await until('the outside connections end', async () => taken === 0);
  running.signal('SIGKILL');
  await running.exited;
});
