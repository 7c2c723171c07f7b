/**
 * A registry as a process of its own, for tests that kill it: `node killed-registry.fixture.ts {options as JSON}`. It collects garbage all
 * the time, with a grace of a moment, and prints its address.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { openDatabase, type DatabaseConfig } from '#db/database.ts';
import { EmbeddedRegistry } from './embedded-registry.ts';

export interface KilledRegistry {
  readonly connection: DatabaseConfig;
  readonly dataDir: string;
  readonly graceMs: number;
  readonly signingKey: string;
}

if (import.meta.main) {
  const { connection, dataDir, graceMs, signingKey } = JSON.parse(process.argv[2] ?? '') as KilledRegistry;
  const { pool } = openDatabase(connection);
  const server = http.createServer((request, response) => registry.mount.handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${address.port}`;
  const log = { debug() {}, info() {}, warn() {}, error: (context: object, message: string) => console.error(message, context) };
  const registry = new EmbeddedRegistry({
    pool,
    dataDir,
    publicUrl: url,
    baseUrl: url,
    signingKey: Buffer.from(signingKey, 'base64'),
    limits: { graceMs },
    garbageEveryMs: 5,
    log,
  });
  process.stdout.write(`${url}\n`);
}
