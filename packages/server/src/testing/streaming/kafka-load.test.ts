/** The load's clients behind a proxy that closes connections in the middle of a request, as a broker does that dies. */
import { once } from 'node:events';
import { connect as connectTo, createServer, type AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { directoryForTest } from '@slipway/kafka/access/access.fixture.ts';
import { SUPER, call, connect } from '@slipway/kafka/access/local-broker.fixture.ts';
import { startBroker } from '@slipway/kafka/broker.ts';
import { apiTables } from '@slipway/kafka/protocol/apis.ts';
import { freePort } from '#testing/free-port.ts';
import { KafkaLoad } from './kafka-load.ts';

const TOPIC = 'berth.orders';
/** A request starts with its length in four bytes, then the key of its API in two. */
const isFindCoordinator = (request: Buffer): boolean => request.length > 6 && request.readInt16BE(4) === apiTables.FindCoordinator.key;

/** Closes connections instead of forwarding a search for a group's coordinator, as often as `cuts` says. */
const proxyTo = async (port: number) => {
  const state = { cuts: 0 };
  const server = createServer((client) => {
    const broker = connectTo(port, '127.0.0.1');
    const end = (): void => {
      client.destroy();
      broker.destroy();
    };
    for (const socket of [client, broker]) socket.on('error', end).on('close', end);
    broker.pipe(client);
    client.on('data', (request) => {
      if (state.cuts === 0 || !isFindCoordinator(request)) return void broker.write(request);
      state.cuts -= 1;
      return end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { state, port: (server.address() as AddressInfo).port };
};

test('replaces readers that KafkaJS stops for good, and describes their group', async () => {
  const { directory } = await directoryForTest();
  const port = await freePort();
  const proxy = await proxyTo(port);
  const environment = { name: 'development', port, advertisedHost: '127.0.0.1', advertisedPort: proxy.port };
  const start = () =>
    startBroker({ directory, host: '127.0.0.1', environments: [environment], admin: SUPER, floorBytes: 0, flushMs: 0 }, () => undefined);
  let broker = await start();
  const admin = await connect(port, SUPER);
  const topics = [{ name: TOPIC, numPartitions: 2, replicationFactor: 1, assignments: [], configs: [] }];
  await call(admin, 'CreateTopics', 7, { topics, timeoutMs: 1000, validateOnly: false });
  admin.close();
  const load = new KafkaLoad(proxy.port, { topic: TOPIC, user: SUPER.name, password: SUPER.password, pauseMs: 5 });
  await load.start();
  await load.more(20);
  await broker.close();
  proxy.state.cuts = 2;
  broker = await start();
  await load.more(20);
  await load.stopWriting();
  await load.untilRead();
  expect(proxy.state.cuts).toBe(0);
  await expect
    .poll(() => load.describeGroup())
    .toMatch(
      /^Stable, assigned \[.*\d.*\]; partition 0 at \d+ of \d+; partition 1 at \d+ of \d+; latest crashes: .*Failed to find group coordinator/,
    );
  await load.close();
  await broker.close();
});
