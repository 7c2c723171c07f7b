/** Runs the registry by itself, with a PostgreSQL of its own: `npm start -w engines/registry -- --port 5000 --directory ~/registry --project team`. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { closeOnSignal, lineLog, openOwnDirectory, ownPassword } from '@slipway/foundation/run-alone.ts';
import { createPool } from '@slipway/postgres/connections.ts';
import { createTables } from '@slipway/postgres/create-tables.ts';
import { startEmbeddedPostgres } from '@slipway/postgres/embedded-postgres.ts';
import { EmbeddedRegistry } from './embedded-registry.ts';
import type { RegistrySubject } from './sign-in/accounts.ts';
import { tables } from './tables.ts';

const { values } = parseArgs({
  options: {
    directory: { type: 'string', default: 'registry-data' },
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '5000' },
    project: { type: 'string', multiple: true, default: [] },
  },
});
const { directory, release } = openOwnDirectory(values.directory);
const { isPassword, passwordFile } = ownPassword(directory);
const postgres = await startEmbeddedPostgres({ dataDir: directory, log: lineLog });
const pool = createPool({ ...postgres.connection, max: 10 }, lineLog);
await createTables(pool, tables, 'registry_project');
const publicUrl = `http://${values.host}:${values.port}`;
const subject = (name: string): RegistrySubject => ({ name, actions: async () => ['pull', 'push', 'delete'] });
const registry = new EmbeddedRegistry({
  pool,
  dataDir: path.join(directory, 'images'),
  publicUrl,
  baseUrl: publicUrl,
  // Signed tokens live for minutes, and clients ask again.
  signingKey: randomBytes(32),
  authenticate: async (username, password) => (isPassword(password) ? subject(username) : undefined),
  findSubject: async (name) => subject(name),
  log: lineLog,
});
for (const project of values.project) await registry.projectEnsure(project, 'start');
const server = createServer((request, response) => registry.mount.handle(request, response));
server.listen(Number(values.port), values.host);
await once(server, 'listening');
for (const project of values.project) process.stdout.write(`${registry.host}/${project}/\n`);
process.stdout.write(`Listening at ${publicUrl}. Any user name; the password is in ${passwordFile}\n`);
closeOnSignal(async () => {
  server.close();
  server.closeAllConnections();
  await registry.close();
  await pool.end();
  await postgres.stop();
  release();
});
