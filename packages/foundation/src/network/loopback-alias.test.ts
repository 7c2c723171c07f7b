/** No other program may answer as localhost while the platform runs. */
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import { expect, test } from 'vitest';
import { listenOnAlias } from './loopback-alias.ts';

const hasIpv6 = Object.values(os.networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === '::1'));
const listening = async (server: net.Server, host: string, port = 0): Promise<number> => {
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen({ host, port, exclusive: true }, resolve));
  return (server.address() as net.AddressInfo).port;
};
const answerAt = (host: string, port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    http.get({ host, port, agent: false }, (answer) => answer.setEncoding('utf8').on('data', resolve)).on('error', reject);
  });

test.runIf(hasIpv6).each([
  ['127.0.0.1', '::1'],
  ['0.0.0.0', '::1'],
  ['::1', '127.0.0.1'],
])('who listens on %s answers on %s too, and leaves both', async (host, other) => {
  const server = http.createServer((_request, response) => response.end('the platform'));
  const port = await listening(server, host);
  const alias = await listenOnAlias(server);
  expect(await answerAt(other, port)).toBe('the platform');
  await expect(listening(net.createServer(), other, port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  alias.close();
  await expect(answerAt(other, port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  server.close();
});

test.runIf(hasIpv6)('a program that sits there already is no neighbour to start beside', async () => {
  const squatter = net.createServer();
  const port = await listening(squatter, '::1');
  const server = http.createServer();
  await listening(server, '127.0.0.1', port);
  await expect(listenOnAlias(server)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  server.close();
  squatter.close();
});
