// @long (shared process): tries a fault at every step of a pipeline
/** Generated fault tests for blank services and copies, with the real registry, source host, runtime and edge. */
import { expect } from 'vitest';
import type { Db } from '#db/database.ts';
import type { PipelineEngine } from '#modules/pipelines/index.ts';
import { Requests } from '#modules/requests/index.ts';
import { seedPeople } from '#testing/actors.ts';
import type { TestDatabase } from '#testing/database.ts';
import { openEngines, type Engines } from '#testing/engines.ts';
import { seedApp, seedSecretGroup, seedService } from '#testing/fixtures.ts';
import { faultSuite } from '#testing/faults/pipeline-faults.ts';
import { good } from '#testing/programs.ts';
import type { ConnectState } from './connect.steps.ts';
import { prepareCopy } from '../copy/copy.ts';
import type { CopyInput, CopyState } from './copy.pipeline.ts';
import { prepareCreate, type CreationDeps } from '../create-service.ts';
import { creationPipelines, type CreateInput, type CreationPipelines } from './creation.pipeline.ts';
import { servicePipelines } from './services.pipeline.ts';

const by = { id: 'olga', displayName: 'Olga Owner', origin: 'console' } as const;

const depsOf = (engines: Engines, engine: PipelineEngine, creation: CreationPipelines): CreationDeps => ({
  db: engines.db,
  engine,
  registry: engines.registry,
  source: engines.source,
  links: { url: engines.runtime.url.bind(engines.runtime), repositoryUrl: (app, name) => `${app}/${name}`, hosts: [] },
  pipelines: servicePipelines(engines),
  creation,
  requests: new Requests(),
});
const rowOf = async (db: Db, app: string, name: string) =>
  db
    .selectFrom('service')
    .select(['id', 'state', 'repository_name', 'built_commit', 'serving', 'settings_version', 'spec'])
    .where('app_id', '=', app)
    .where('name', '=', name)
    .executeTakeFirstOrThrow();

faultSuite<CreateInput, ConnectState>('a blank service', {
  steps: ['ValidateService', 'CreateRegistryProject', 'CreateService', 'ConfigureCredentials', 'ConnectRepository'],
  skipped: ['ConfigureCredentials'],
  async world(database) {
    await seedPeople(database.db);
    const engines = await openEngines(database);
    const { db, source, registry } = engines;
    const creation = creationPipelines(engines);
    return {
      definition: creation.create,
      start: async (trx, engine, faulty, name) => {
        // Runs in a separate, later transaction, so the app is backdated: an app is older than its runs.
        await seedApp(db, { id: name, createdAt: new Date(Date.now() - 60_000) });
        await source.createRepository({ owner: name, name }, good('one'), { message: 'Start', author: 'O', email: 'o@x' });
        const key = { app: name, environment: 'development', service: name } as const;
        const wanted = { name, githubRepositoryName: name };
        const prepare = await prepareCreate(
          depsOf(engines, engine, { ...creation, create: { ...creation.create, ...faulty } }),
          by,
          key,
          wanted,
        );
        return { pipelineId: await (await prepare(trx)).start(trx) };
      },
      async assertCleanSlate(name) {
        expect(await rowOf(db, name, name)).toMatchObject({ state: 'NOT_CREATED', repository_name: null, built_commit: null });
        // The repository existed before the run, so the undo must keep it.
        expect(await source.repository({ owner: name, name })).toBeDefined();
      },
      async assertDone(name) {
        const head = (await source.repository({ owner: name, name }))?.headCommit;
        expect(await rowOf(db, name, name)).toMatchObject({ state: 'ACTIVE', repository_name: name, built_commit: head });
        expect(await registry.projectExists(name)).toBe(true);
      },
      close: () => engines.close(),
    };
  },
});

const steps = [
  'CreateService',
  'ConnectRepository',
  'AttachSecretGroups',
  'UpdateService',
  'ConfigureCredentials',
  'ValidateService',
  'ValidateContainerImage',
  'CreateRevision',
  'StopOldRevisions',
  'StartInstances',
  'ShiftTraffic',
  'RetireOldRevisions',
];
const idle = ['ConnectRepository', 'ConfigureCredentials', 'StopOldRevisions', 'RetireOldRevisions'];

/** Seeds `yard` with a secret group and an image. The copied environment is development, because groups are seeded there. */
const openSource = async (database: TestDatabase) => {
  const { db } = database;
  await seedPeople(db);
  const engines = await openEngines(database);
  await seedApp(db, { id: 'yard' });
  const change = (spec: Parameters<NonNullable<Parameters<typeof seedService>[1]['change']>>[0]) => ({
    ...spec,
    containerImageName: `${engines.registry.host}/yard/yard`,
    resources: { ...spec.resources, memoryMegabytes: 300 },
  });
  const id = await seedService(db, { app: 'yard', change });
  await seedSecretGroup(db, { app: 'yard', name: 'store', services: [id] });
  await engines.push('yard', 'one', good('one'));
  await engines.drive();
  const creation = creationPipelines(engines);
  const nameOf = (name: string) => `yard-${name}`;
  const stateOf = async (name: string) => {
    const row = await rowOf(db, 'yard', nameOf(name));
    const groups = await db.selectFrom('service_secret_group').select('group_id').where('service_id', '=', row.id).execute();
    const live = (await engines.runtime.list()).filter(({ service }) => service === nameOf(name));
    const { memoryMegabytes } = (row.spec as { resources: { memoryMegabytes: number } }).resources;
    return { state: row.state, serving: row.serving.length, groups: groups.length, live: live.length, memoryMegabytes };
  };
  return { engines, creation, nameOf, stateOf };
};

for (const isNew of [true, false])
  faultSuite<CopyInput, CopyState>(isNew ? 'a copy' : 'a copy onto a service that is there', {
    steps,
    skipped: [...idle, isNew ? 'UpdateService' : 'CreateService'],
    isRare: !isNew,
    // The deploy suites cover the steps of the rollout.
    faultsAt: isNew ? ['CreateService', 'AttachSecretGroups'] : ['UpdateService'],
    async world(database) {
      const { engines, creation, nameOf, stateOf } = await openSource(database);
      const { db } = database;
      return {
        definition: creation.copy,
        start: async (trx, engine, faulty, name) => {
          if (!isNew) {
            const change = (spec: CopyInput['after']['spec']) => ({ ...spec, containerImageName: `${engines.registry.host}/yard/yard` });
            await seedService(db, { app: 'yard', name: nameOf(name), change });
          }
          const from = { app: 'yard', environment: 'development', service: 'yard' } as const;
          const wanted = { environment: 'development', name: nameOf(name), carry: 'all', imageTag: 'one', overwrite: !isNew } as const;
          const prepare = await prepareCopy(
            depsOf(engines, engine, { ...creation, copy: { ...creation.copy, ...faulty } }),
            { by },
            from,
            wanted,
          );
          return { pipelineId: await (await prepare(trx)).start(trx) };
        },
        async assertCleanSlate(name) {
          const left = isNew ? { state: 'NOT_CREATED', memoryMegabytes: 300 } : { state: 'ACTIVE', memoryMegabytes: 256 };
          await expect.poll(() => stateOf(name)).toEqual({ ...left, serving: 0, groups: 0, live: 0 });
        },
        async assertDone(name) {
          expect(await stateOf(name)).toEqual({ state: 'ACTIVE', serving: 1, groups: 1, live: 1, memoryMegabytes: 300 });
          // Deletes the row, so that the runtime stops the program. Otherwise dozens of programs would keep running.
          await db.deleteFrom('service').where('name', '=', nameOf(name)).execute();
        },
        close: () => engines.close(),
      };
    },
  });
