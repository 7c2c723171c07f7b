/** Runs PostgreSQL by itself: `npm start -w engines/postgres -- --port 5432 --directory ~/postgres`. */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { closeOnSignal, lineLog, openOwnDirectory } from '@slipway/foundation/run-alone.ts';
import { startEmbeddedPostgres } from './embedded-postgres.ts';

const { values } = parseArgs({
  options: { directory: { type: 'string', default: 'postgres-data' }, port: { type: 'string', default: '5432' } },
});
const { directory, release } = openOwnDirectory(values.directory);
const HOST = '127.0.0.1';
const settings = { listen_addresses: HOST, port: values.port };
/** The role creates databases, and enters all of them from this machine. */
const admission = { rights: 'createdb', databases: 'all', lines: [`host all platform ${HOST}/32 scram-sha-256`], statements: [] };
const { connection, stop } = await startEmbeddedPostgres({ dataDir: directory, log: lineLog, settings, admission });
const { user, database, port } = connection;
process.stdout.write(`postgresql://${user}@${HOST}:${port}/${database}\nThe password is in ${path.join(directory, 'pg.password')}\n`);
closeOnSignal(async () => {
  await stop();
  release();
});
