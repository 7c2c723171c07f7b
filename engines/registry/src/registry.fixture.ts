// A registry on a port of its own for the tests of this folder: real HTTP, real database, a data directory that goes at the end.
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { Log } from '@slipway/foundation/ports/log.ts';
import { RegistryClient } from '@slipway/foundation/ports/registry.suite-client.ts';
import { engineDatabase, type EngineDatabase } from '@slipway/postgres/testing/test-server.ts';
import { EmbeddedRegistry, type EmbeddedRegistryOptions } from './embedded-registry.ts';
import { tables } from './tables.ts';

export interface LoggedLine {
  readonly level: string;
  readonly message: string;
  readonly context: object;
}
export interface Replica {
  readonly registry: EmbeddedRegistry;
  readonly log: readonly LoggedLine[];
  stop(): Promise<void>;
}
export interface RegistryFixture extends Replica {
  readonly database: EngineDatabase;
  readonly dataDir: string;
  /** The clock of all replicas. */
  now(): Date;
  /** Moves it. */
  advance(ms: number): void;
  /** Another server on the same directory and database. */
  replica(): Promise<Replica>;
  /** A client with all rights in a project, which is made when it is not there. */
  client(project: string): Promise<RegistryClient>;
}

/** The same for all replicas, as the composition root sees to it. */
const signingKey = createHash('sha256').update('registry tests').digest();

export async function startRegistry(options: Partial<EmbeddedRegistryOptions> = {}): Promise<RegistryFixture> {
  const database = await engineDatabase(tables);
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'slipway-registry-'));
  let offsetMs = 0;
  const clock = { now: () => new Date(Date.now() + offsetMs) };
  const replica = () => startReplica({ pool: database.pool, dataDir, clock, ...options });
  const first = await replica();
  const others: Replica[] = [];
  return {
    ...first,
    database,
    dataDir,
    now: clock.now,
    advance: (ms) => void (offsetMs += ms),
    replica: async () => {
      const other = await replica();
      others.push(other);
      return other;
    },
    client: async (project) => {
      await first.registry.projectEnsure(project, 'tests');
      return new RegistryClient(first.registry, await first.registry.robotEnsure(project, 'ci', ['pull', 'push', 'delete']));
    },
    stop: async () => {
      for (const server of [first, ...others]) await server.stop();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function startReplica(
  options: Pick<EmbeddedRegistryOptions, 'pool' | 'dataDir'> & Partial<EmbeddedRegistryOptions>,
): Promise<Replica> {
  const lines: LoggedLine[] = [];
  const write = (level: string) => (context: object, message: string) => void lines.push({ level, message, context });
  const log: Log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  const server = http.createServer((request, response) => registry.mount.handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const registry = new EmbeddedRegistry({ publicUrl: url, baseUrl: url, signingKey, log, ...options });
  const stop = async () => {
    await registry.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { registry, log: lines, stop };
}
