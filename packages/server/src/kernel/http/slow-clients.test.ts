/** Clients that send requests very slowly, to hold connections forever. */
import { once } from 'node:events';
import net from 'node:net';
import { expect, test } from 'vitest';
import { createLog } from '#kernel/log.ts';
import { floodLimits } from './flood-limits.ts';
import { createServer } from './server.ts';

test('a call whose body does not arrive in time is cut off; an answer that takes its time is not', async () => {
  const server = createServer({
    log: createLog('silent'),
    mounts: [],
    hosts: { accepts: () => true },
    limits: { ...floodLimits, bodyMs: 100 },
  });
  const slow = Promise.withResolvers<string>();
  server.post('/call', () => slow.promise);
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as net.AddressInfo;
  const head = (length: number) =>
    `POST /call HTTP/1.1\r\nhost: slipway\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n{`;

  const whole = net.connect(port, '127.0.0.1').setEncoding('utf8');
  whole.write(`${head(2)}}`);
  const trickling = net.connect(port, '127.0.0.1');
  trickling.write(head(3));
  trickling.on('error', () => {});
  await once(trickling.resume(), 'close');
  slow.resolve('at last');
  expect(String(await once(whole, 'data'))).toContain('at last');

  whole.destroy();
  expect(server.server).toMatchObject({ headersTimeout: 15_000, requestTimeout: 0 });
  await server.close();
});
