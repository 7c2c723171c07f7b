/** The generated fault tests on the quickstart itself, with the real registry, source host, builder and runtime. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Db } from '#db/database.ts';
import { createLog } from '#kernel/log.ts';
import { createHostGate } from '#kernel/http/host-gate.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { createServer } from '#kernel/http/server.ts';
import { Reconciler } from '#modules/runtime/index.ts';
import { seedPeople } from '#testing/actors.ts';
import { embeddedAdapters } from '#testing/adapters.ts';
import { freePort } from '#testing/app.ts';
import type { TestDatabase } from '#testing/database.ts';
import { faultSuite } from '#testing/pipeline-faults.ts';
import { good } from '#testing/programs.ts';
import { quickstartPipelines, type QuickstartInput, type QuickstartState } from './quickstart.pipeline.ts';
import { quickstartApplication } from './quickstart.ts';

const olga: Caller = {
  id: 'olga',
  displayName: 'Olga Owner',
  email: null,
  type: 'USER',
  provider: 'AZURE_AD',
  origin: 'console',
  scopes: new Set(['read', 'write']),
  isAutomation: false,
  isAdministrator: false,
  memberOf: new Set(['cranes']),
  ownerOf: new Set(['cranes']),
};

/** The engines behind a server of their own, and the reconciler that drives the runtime. */
const openEngines = async (database: TestDatabase) => {
  const [port, ingressPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const log = createLog('silent');
  const dataDir = await mkdtemp(join(tmpdir(), 'slipway-faults-'));
  const signingKey = crypto.getRandomValues(new Uint8Array(32));
  const adapters = await embeddedAdapters({ database, dataDir, url, ingressPort, signingKey, log });
  const mounts = [adapters.registry.mount, adapters.source.mount].filter((mount) => mount !== undefined);
  const server = createServer({ log, mounts, hosts: createHostGate([url], () => port) });
  await server.listen({ port, host: '127.0.0.1' });
  const { runtime } = adapters;
  const secrets = async () => ({ env: {}, files: [], values: [] });
  const reconciler = new Reconciler({ db: database.db, connection: database.config, runtime, secrets, replica: 'test', log });
  await reconciler.start();
  await adapters.builder.warm();
  return {
    ...adapters,
    secrets,
    db: database.db,
    async close() {
      await reconciler.stop();
      await server.close();
      await Promise.all([adapters.registry.close(), adapters.source.close(), adapters.runtime.close(), adapters.builder.close()]);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};
type Engines = Awaited<ReturnType<typeof openEngines>>;

const onEngines = async ({ source, registry, runtime }: Engines, name: string) => ({
  repositories: (await source.repositories(name)).length,
  project: await registry.projectExists(name),
  images: (await registry.tags(`${name}/${name}`)).length,
  ready: (await runtime.list()).filter((view) => view.app === name && view.state === 'READY').length,
  instances: (await runtime.list()).filter((view) => view.app === name).length,
});

const rowsOf = async (db: Db, name: string) => {
  const app = await db.selectFrom('app').select('state').where('id', '=', name).executeTakeFirstOrThrow();
  const service = await db.selectFrom('service').select(['state', 'serving', 'repository_name']).where('app_id', '=', name).execute();
  return { app: app.state, services: service };
};

faultSuite<QuickstartInput, QuickstartState>('a quickstart', {
  steps: [
    'CheckNames',
    'CreateRepository',
    'CreateRegistryProject',
    'CreateRobotAccount',
    'BuildImage',
    'CreateService',
    'ValidateService',
    'ValidateContainerImage',
    'CreateRevision',
    'StartInstances',
    'ShiftTraffic',
  ],
  timeoutMs: 40_000,
  async world(database) {
    await seedPeople(database.db);
    const engines = await openEngines(database);
    const { db } = engines;
    const { application, service } = quickstartPipelines(engines, async () => good('one'));
    return {
      definition: application,
      start: async (_trx, engine, faulty, name) => {
        const deps = { db, engine, registryHost: engines.registry.host, pipelines: { application: faulty, service } };
        return { pipelineId: await quickstartApplication(deps, olga, { id: name, teamId: 'cranes', template: 'node-web' }) };
      },
      async assertCleanSlate(name) {
        expect(await onEngines(engines, name)).toEqual({ repositories: 0, project: false, images: 0, ready: 0, instances: 0 });
        expect(await rowsOf(db, name)).toEqual({
          app: 'NOT_CREATED',
          services: [{ state: 'NOT_CREATED', serving: [], repository_name: null }],
        });
      },
      async assertDone(name) {
        expect(await onEngines(engines, name)).toEqual({ repositories: 1, project: true, images: 1, ready: 1, instances: 1 });
        expect((await rowsOf(db, name)).services).toMatchObject([{ state: 'ACTIVE', repository_name: name }]);
        // Dozens of programs would go on running otherwise: what has no row any more is stopped.
        await db.deleteFrom('app').where('id', '=', name).execute();
      },
      close: () => engines.close(),
    };
  },
});
