/** Runs the schema registry by itself, with a PostgreSQL of its own: `npm start -w engines/schemas -- --port 8081 --directory ~/schemas`. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { closeOnSignal, lineLog, openOwnDirectory, ownPassword } from '@slipway/foundation/run-alone.ts';
import { createPool } from '@slipway/postgres/connections.ts';
import { startEmbeddedPostgres } from '@slipway/postgres/embedded-postgres.ts';
import { EmbeddedSchemaRegistry } from './registry/embedded-schema-registry.ts';
import { createTables } from '@slipway/postgres/create-tables.ts';
import { tables } from './registry/tables.ts';

const { values } = parseArgs({
  options: {
    directory: { type: 'string', default: 'schemas-data' },
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '8081' },
  },
});
const { directory, release } = openOwnDirectory(values.directory);
const { isPassword, passwordFile } = ownPassword(directory);
const postgres = await startEmbeddedPostgres({ dataDir: directory, log: lineLog });
const pool = createPool({ ...postgres.connection, max: 10 }, lineLog);
await createTables(pool, tables, 'schema_registry');
const publicUrl = `http://${values.host}:${values.port}`;
const signIn = { token: async (given: string) => (isPassword(given) ? { name: 'admin', mayWrite: true } : undefined) };
const registry = new EmbeddedSchemaRegistry({ pool, publicUrl, signIn, log: lineLog });
const server = createServer((request, response) => registry.mount.handle(request, response));
server.listen(Number(values.port), values.host);
await once(server, 'listening');
process.stdout.write(`${registry.info('development').url}\n${registry.info('production').url}\n`);
process.stdout.write(`Any user name; the password is in ${passwordFile}\n`);
closeOnSignal(async () => {
  server.close();
  server.closeAllConnections();
  await registry.close();
  await pool.end();
  await postgres.stop();
  release();
});
