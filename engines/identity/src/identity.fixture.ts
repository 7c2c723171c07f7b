// A real server with the embedded identity provider on its own port, for the tests of this folder.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Pool } from 'pg';
import type { Log } from '@slipway/foundation/ports/log.ts';
import { EmbeddedIdentity, type EmbeddedIdentityOptions } from './embedded-identity.ts';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly context: object;
  readonly message: string;
}

export interface Running {
  readonly identity: EmbeddedIdentity;
  readonly baseUrl: string;
  readonly lines: readonly LogLine[];
  close(): Promise<void>;
}

/** Stores keys without encryption, which has its own tests. Replicas of one test share the map. */
export const memoryKeys = (): EmbeddedIdentityOptions['platformKey'] => {
  const kept = new Map<string, Uint8Array>();
  return async (purpose, make) => {
    const key = kept.get(purpose) ?? make();
    kept.set(purpose, key);
    return key;
  };
};

export type RunOptions = Partial<Omit<EmbeddedIdentityOptions, 'pool' | 'log'>>;

/** Starts the server. `publicUrl` replaces its own address, as behind a proxy. */
export const runIdentity = async ({ pool }: { readonly pool: Pool }, options: RunOptions = {}): Promise<Running> => {
  const lines: LogLine[] = [];
  const write = (level: LogLine['level']) => (context: object, message: string) => void lines.push({ level, context, message });
  const log: Log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  const server = http.createServer((request, response) => identity.mount.handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const identity = await EmbeddedIdentity.open({
    pool,
    log,
    platformKey: memoryKeys(),
    publicUrl: baseUrl.replace('127.0.0.1', 'localhost'),
    isDemo: true,
    hasLocalUsers: false,
    ...options,
  });
  return {
    identity,
    baseUrl,
    lines,
    async close() {
      identity.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
