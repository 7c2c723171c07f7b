/** Runs the broker by itself: `npm start -w engines/kafka -- --port 9092 --directory ~/kafka`. */
import { parseArgs } from 'node:util';
import { closeOnSignal, lineLog, openOwnDirectory, ownPassword } from '@slipway/foundation/run-alone.ts';
import { startBroker } from './broker.ts';
import { BrokerOptions } from './program.ts';

const { values } = parseArgs({
  options: {
    directory: { type: 'string', default: 'kafka-data' },
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '9092' },
    'advertised-host': { type: 'string' },
  },
});
const USER = 'admin';
const { directory, release } = openOwnDirectory(values.directory);
const { password, passwordFile } = ownPassword(directory);
const advertisedHost = values['advertised-host'] ?? values.host;
const options = BrokerOptions.parse({
  directory,
  host: values.host,
  environments: [{ name: 'main', port: Number(values.port), advertisedHost }],
  admin: { name: USER, password },
});
const broker = await startBroker(options, (level, message, detail) => lineLog[level]({ ...detail }, message));
process.stdout.write(
  [
    `bootstrap.servers=${advertisedHost}:${broker.ready.environments[0]?.port}`,
    'security.protocol=SASL_PLAINTEXT',
    'sasl.mechanism=SCRAM-SHA-512',
    `# User ${USER}; the password is in ${passwordFile}`,
    '',
  ].join('\n'),
);
closeOnSignal(async () => {
  await broker.close();
  release();
});
