/**
 * Runs a registry in its own process, for tests that kill it: `node killed-schema-registry.fixture.ts {connection as JSON}`. Prints its
 * address.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { openDatabase, type DatabaseConfig } from '#db/database.ts';
import { EmbeddedSchemaRegistry } from '@slipway/schemas/registry/embedded-schema-registry.ts';

if (import.meta.main) {
  const { pool } = openDatabase(JSON.parse(process.argv[2] ?? '') as DatabaseConfig);
  const log = { debug() {}, info() {}, warn() {}, error: (context: object, message: string) => console.error(message, context) };
  const signIn = { token: async () => ({ name: 'Tests', mayWrite: true }) };
  const server = http.createServer((request, response) => registry.mount.handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const publicUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const registry = new EmbeddedSchemaRegistry({ pool, publicUrl, signIn, log });
  process.stdout.write(`${registry.info('development').url}\n`);
}
