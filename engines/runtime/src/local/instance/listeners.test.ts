import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { listeningPorts } from './listeners.ts';
import { PortPool } from './port-pool.ts';

test.runIf(process.platform === 'linux')('ports of the given processes, of both families, and of nobody else', async () => {
  const servers = await Promise.all(
    ['127.0.0.1', '::1'].map(async (host) => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, host, resolve));
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  expect(listeningPorts([process.pid])).toEqual(expect.arrayContaining(ports));
  expect(listeningPorts([process.ppid]) ?? []).not.toContain(ports[0]);
  expect(listeningPorts([])).toBeUndefined();
  for (const server of servers) server.close();
});

test('ports are not handed out twice, nor when somebody listens', async () => {
  const pool = new PortPool();
  const ports = await Promise.all(Array.from({ length: 50 }, () => pool.take()));
  expect(new Set(ports).size).toBe(50);
  for (const port of ports) {
    expect(port).toBeGreaterThanOrEqual(20_000);
    expect(port).toBeLessThan(32_000);
  }
});
