/** The embedded engines behind a server of their own, without the platform: for pipelines alone, and for images that a program shall run. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '#kernel/log.ts';
import { createHostGate } from '#kernel/http/host-gate.ts';
import { createServer } from '#kernel/http/server.ts';
import { Reconciler } from '#modules/runtime/reconciler.ts';
import type { SourceFile } from '#ports/builder.ts';
import { embeddedAdapters } from './adapters.ts';
import { freePort } from '#testing/free-port.ts';
import type { TestDatabase } from './database.ts';

/** Nobody drives the runtime yet: see `drive`. With `dataDir` they share what a program keeps there, which then is not theirs to remove. */
export const openEngines = async (database: TestDatabase, shared: { dataDir?: string } = {}) => {
  const [port, ingressPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const log = createLog(process.env['TEST_LOG'] ?? 'silent');
  const dataDir = shared.dataDir ?? (await mkdtemp(join(tmpdir(), 'slipway-engines-')));
  const signingKey = crypto.getRandomValues(new Uint8Array(32));
  const adapters = await embeddedAdapters({ database, dataDir, url, ingressPort, signingKey, log });
  const mounts = [adapters.registry.mount, adapters.source.mount].filter((mount) => mount !== undefined);
  const listen = async () => {
    const server = createServer({ log, mounts, hosts: createHostGate([url], () => port) });
    await server.listen({ port, host: '127.0.0.1' });
    return server;
  };
  let server = await listen();
  const { runtime, registry, builder } = adapters;
  const secrets = async () => ({ env: {}, files: [], values: [] });
  let reconciler: Reconciler | undefined;
  await builder.warm();
  return {
    ...adapters,
    ingressPort,
    secrets,
    credentials: async () => {},
    db: database.db,
    /** Becomes the runtime's holder. */
    async drive(): Promise<void> {
      reconciler = new Reconciler({ db: database.db, connection: database.config, runtime, secrets, replica: 'test', log });
      await reconciler.start();
    },
    /** Lets go of the runtime, as a replica does that ends. */
    async halt(): Promise<void> {
      await reconciler?.stop();
      reconciler = undefined;
    },
    /** Nobody reaches the registry and the source host while `meanwhile` lasts. */
    async unreachable(meanwhile: () => Promise<void>): Promise<void> {
      await server.close();
      await meanwhile();
      server = await listen();
    },
    /** Builds an image into `{app}/{app}`; answers its digest. */
    async push(app: string, tag: string, files: readonly SourceFile[]): Promise<string> {
      await registry.projectEnsure(app, app);
      const request = { buildId: `build-${app}-${tag}`, files, repository: `${app}/${app}`, tag, labels: {}, onLog: () => {} };
      return (await builder.build(request)).digest;
    },
    async close() {
      await reconciler?.stop();
      await server.close();
      await Promise.all([registry.close(), adapters.source.close(), runtime.close(), builder.close()]);
      if (shared.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
};
export type Engines = Awaited<ReturnType<typeof openEngines>>;
