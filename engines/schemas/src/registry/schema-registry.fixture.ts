/** A registry on its own port for tests: real HTTP, a real database, and callers identified by their passwords. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log } from '@slipway/foundation/ports/log.ts';
import { engineDatabase, type EngineDatabase } from '@slipway/postgres/testing/test-server.ts';
import { EmbeddedSchemaRegistry } from './embedded-schema-registry.ts';
import type { RegistrySignIn } from './rest/caller.ts';
import { tables } from './tables.ts';

export interface SchemaRegistryFixture {
  readonly database: EngineDatabase;
  readonly registry: EmbeddedSchemaRegistry;
  /** URL of the development environment. */
  readonly url: string;
  readonly log: readonly { readonly level: string; readonly context: object; readonly message: string }[];
  stop(): Promise<void>;
}

/** Accepts the tokens `writer` and `reader` and, only in development, the account `berth.planner` with the password `quay`. */
const signIn: RegistrySignIn = {
  token: async (token) => {
    if (token === 'writer') return { name: 'Writer', mayWrite: true };
    return token === 'reader' ? { name: 'Reader', mayWrite: false } : undefined;
  },
  account: async (environment, name, password) =>
    environment === 'development' && name === 'berth.planner' && password === 'quay' ? { name, mayWrite: false } : undefined,
};

export async function startSchemaRegistry(): Promise<SchemaRegistryFixture> {
  const database = await engineDatabase(tables);
  const lines: { level: string; context: object; message: string }[] = [];
  const write = (level: string) => (context: object, message: string) => void lines.push({ level, context, message });
  const log: Log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  const server = http.createServer((request, response) => registry.mount.handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const publicUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const registry = new EmbeddedSchemaRegistry({ pool: database.pool, publicUrl, signIn, log });
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await database.drop();
  };
  return { database, registry, url: registry.info('development').url, log: lines, stop };
}
