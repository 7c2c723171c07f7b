/** A PostgreSQL of a test's own, reached over TCP by a role that may create databases and roles but is no superuser. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '#db/embedded-postgres.ts';
import type { Log } from '#ports/log.ts';
import { freePort } from '#testing/free-port.ts';

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

export interface RoleServer {
  readonly url: string;
  stop(): Promise<void>;
}
/** `statements` run as the superuser. */
export const roleServer = async (statements: readonly string[] = []): Promise<RoleServer> => {
  const directory = mkdtempSync(join(tmpdir(), 'slipway-dsn-'));
  chmodSync(directory, 0o711);
  const port = String(await freePort());
  const server = await startEmbeddedPostgres({
    dataDir: directory,
    log: silent,
    isDurable: false,
    settings: { listen_addresses: '127.0.0.1', port },
    admission: { rights: 'createdb createrole', databases: 'all', lines: ['host all all 127.0.0.1/32 scram-sha-256'], statements },
  });
  const stop = async (): Promise<void> => {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  return { url: `postgresql://platform:${server.connection.password}@127.0.0.1:${port}/slipway`, stop };
};
