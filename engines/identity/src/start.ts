/** Runs the identity provider by itself, with a PostgreSQL of its own: `npm start -w engines/identity -- --port 8090 --directory ~/identity --demo`. */
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { closeOnSignal, lineLog, openOwnDirectory } from '@slipway/foundation/run-alone.ts';
import { createPool } from '@slipway/postgres/connections.ts';
import { createTables } from '@slipway/postgres/create-tables.ts';
import { startEmbeddedPostgres } from '@slipway/postgres/embedded-postgres.ts';
import { EmbeddedIdentity } from './embedded-identity.ts';
import { tables } from './tables.ts';

const { values } = parseArgs({
  options: {
    demo: { type: 'boolean', default: false },
    directory: { type: 'string', default: 'identity-data' },
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '8090' },
    'public-url': { type: 'string' },
  },
});
const { directory, release } = openOwnDirectory(values.directory);
const platformKey = async (purpose: string, make: () => Uint8Array): Promise<Uint8Array> => {
  const file = path.join(directory, `${purpose}.key`);
  if (!existsSync(file)) writeFileSync(file, make(), { mode: 0o600 });
  return readFileSync(file);
};
const postgres = await startEmbeddedPostgres({ dataDir: directory, log: lineLog });
const pool = createPool({ ...postgres.connection, max: 10 }, lineLog);
await createTables(pool, tables, 'oidc_payload');
// Browsers keep the cookies of localhost without TLS.
const publicUrl = values['public-url'] ?? `http://localhost:${values.port}`;
const identity = await EmbeddedIdentity.open({
  pool,
  platformKey,
  publicUrl,
  isDemo: values.demo,
  hasLocalUsers: !values.demo,
  log: lineLog,
});
const server = createServer((request, response) => identity.mount.handle(request, response));
server.listen(Number(values.port), values.host);
await once(server, 'listening');
const administrator = identity.firstAdministrator();
process.stdout.write(`Issuer: ${identity.issuer}. Client: ${identity.clientId}, which returns to ${publicUrl}/\n`);
if (values.demo) process.stdout.write(`Demo code: ${identity.demoCode()}\n`);
if (administrator) process.stdout.write(`User: ${administrator.username}, password: ${administrator.password} (shown once)\n`);
closeOnSignal(async () => {
  identity.close();
  server.close();
  server.closeAllConnections();
  await pool.end();
  await postgres.stop();
  release();
});
