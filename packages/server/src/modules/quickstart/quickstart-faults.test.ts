// @long (shared process): tries a fault at every step of a pipeline
/** The generated fault tests on the quickstart itself, with the real registry, source host, builder and runtime. */
import { expect } from 'vitest';
import type { Db } from '#db/database.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { seedPeople } from '#testing/actors.ts';
import { openEngines, type Engines } from '#testing/engines.ts';
import { faultSuite } from '#testing/faults/pipeline-faults.ts';
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
  async world(database) {
    await seedPeople(database.db);
    const engines = await openEngines(database);
    await engines.drive();
    const { db } = engines;
    const { application, ...others } = quickstartPipelines(engines, async () => good('one'), { steps: [], finish: async () => {} });
    return {
      definition: application,
      start: async (_trx, engine, faulty, name) => {
        const deps = {
          db,
          engine,
          registryHost: engines.registry.host,
          source: engines.source,
          pipelines: { application: faulty, ...others },
          parts: { reserve: async () => {}, note: async () => {} },
        };
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
        // Stops programs whose rows are gone. Otherwise, dozens would keep running.
        await db.deleteFrom('app').where('id', '=', name).execute();
      },
      close: () => engines.close(),
    };
  },
});
