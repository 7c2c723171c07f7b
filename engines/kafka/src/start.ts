/** Runs the broker by itself: `npm start -w engines/kafka -- --port 9092 --directory ~/kafka`. Ctrl-C stops it. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { tryLockFile } from '@slipway/foundation/directory-lock.ts';
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
/** npm runs the script in the package's folder, but relative paths are the caller's. */
const directory = path.resolve(process.env['INIT_CWD'] ?? process.cwd(), values.directory);

/** Returns the password of the first start, which is kept in the directory. Command lines are visible to every user of the machine. */
const keptPassword = (file: string): string => {
  if (!existsSync(file)) writeFileSync(file, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
};

mkdirSync(directory, { recursive: true, mode: 0o700 });
const lock = tryLockFile(path.join(directory, 'lock'));
if (lock === undefined) throw new Error(`Another broker uses ${directory}`);
const passwordFile = path.join(directory, 'admin-password');
const advertisedHost = values['advertised-host'] ?? values.host;
const options = BrokerOptions.parse({
  directory,
  host: values.host,
  environments: [{ name: 'main', port: Number(values.port), advertisedHost }],
  admin: { name: USER, password: keptPassword(passwordFile) },
});
const broker = await startBroker(options, (level, message, detail) =>
  process.stderr.write(`${JSON.stringify({ level, time: new Date().toISOString(), message, ...detail })}\n`),
);
process.stdout.write(
  [
    `bootstrap.servers=${advertisedHost}:${broker.ready.environments[0]?.port}`,
    'security.protocol=SASL_PLAINTEXT',
    'sasl.mechanism=SCRAM-SHA-512',
    `# User ${USER}; the password is in ${passwordFile}`,
    '',
  ].join('\n'),
);

const stop = async (): Promise<void> => {
  await broker.close();
  lock.release();
  // An open connection must not keep the process alive.
  process.exit();
};
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop());
