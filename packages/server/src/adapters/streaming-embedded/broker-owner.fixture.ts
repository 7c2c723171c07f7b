/** A program that owns a broker, for tests that kill it. Arguments: the directory, the broker's program and its ports. */
import { createLog } from '#kernel/log.ts';
import { EmbeddedBroker } from './embedded-broker.ts';

const [dataDir = '', program = '', ports = '{}'] = process.argv.slice(2);
const broker = new EmbeddedBroker({
  dataDir,
  program,
  host: '127.0.0.1',
  ports: JSON.parse(ports),
  advertisedHost: '127.0.0.1',
  adminPassword: async () => 'the-password-of-the-platform-itself',
  floorBytes: 0,
  log: createLog('silent'),
});
await broker.access('development');
process.stdout.write('it runs\n');
