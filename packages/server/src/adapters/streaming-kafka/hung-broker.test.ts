// @long: starts, ends and kills programs
/** A broker that accepts connections but does not answer, or dies during a sign-in: callers get an error, and the process survives. */
import net from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { KafkaCluster } from './cluster.ts';

const sockets: net.Socket[] = [];
/** Number of connections that have sent something. */
let signingIn = 0;
const hung = net.createServer((socket) => {
  sockets.push(socket.on('error', () => undefined));
  socket.once('data', () => (signingIn += 1));
});
let cluster: KafkaCluster;

beforeAll(async () => {
  await new Promise<void>((resolve) => hung.listen(0, '127.0.0.1', resolve));
  const { port } = hung.address() as net.AddressInfo;
  const brokers = [{ host: '127.0.0.1', port }] as const;
  cluster = new KafkaCluster(async () => ({ brokers, isSingleNode: true, mechanism: 'SCRAM-SHA-256', user: 'admin', password: 'secret' }));
});
beforeEach(() => (signingIn = 0));
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await cluster.close();
  hung.close();
});

/** Uses each kind of connection once, plus two concurrent requests for the same one. */
const ask = async () => {
  const own = await cluster.openPool();
  const asked = [cluster.metadata([]), cluster.metadata(null), cluster.read(1, async () => 'messages')];
  return { own, all: Promise.allSettled([...asked, own.get(1)]) };
};
const refused = { status: 'rejected', reason: expect.objectContaining({ kind: 'unavailable' }) };

// An error event without a listener is an uncaught exception, which fails the run.
test('hangs: it is unavailable to all who ask', async () => {
  const { own, all } = await ask();
  expect(await all).toEqual([refused, refused, refused, expect.objectContaining({ status: 'rejected' })]);
  await own.close();
});

test('ends while it is signed in at: it is unavailable to all who ask', async () => {
  const { own, all } = await ask();
  await vi.waitFor(() => expect(signingIn).toBe(3), { timeout: 4000 });
  for (const socket of sockets) if (!socket.destroyed) socket.resetAndDestroy();
  expect(await all).toEqual([refused, refused, refused, expect.objectContaining({ status: 'rejected' })]);
  await own.close();
});
