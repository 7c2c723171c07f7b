/** What creating and deleting an app does on the engines. */
import type { Db } from '#db/database.ts';
import { notifyChange } from '#kernel/changes.ts';
import { definePipeline, StepFailure, type PipelineDefinition, type StepDefinition } from '#modules/pipelines/index.ts';
import type { Registry } from '#ports/registry.ts';
import type { SourceHost } from '#ports/source.ts';

export interface AppInput {
  readonly app: string;
}
export interface AppPipelines {
  readonly create: PipelineDefinition<AppInput, object>;
  readonly remove: PipelineDefinition<AppInput, object>;
}
export interface AppEngines {
  readonly db: Db;
  readonly registry: Registry;
  readonly source: SourceHost;
}

export const setAppState = async (db: Db, app: string, state: string): Promise<void> => {
  await db.updateTable('app').set({ state }).where('id', '=', app).execute();
  await notifyChange(db, { kind: 'app', app });
};

/** The app's project in the registry, one for both environments (decisions §11). Quickstart uses the same step. */
export const registryProjectStep = <I extends AppInput>({ registry }: Pick<AppEngines, 'registry'>): StepDefinition<I, object> => ({
  code: 'CreateRegistryProject',
  run: async ({ input, log }) => {
    if (!(await isOurs(registry, input.app))) throw new StepFailure('RegistryProjectAlreadyExists', { project: input.app });
    log(`Project ${registry.host}/${input.app}`);
  },
  undo: async ({ input }) => {
    if (await isOurs(registry, input.app)) await registry.projectDelete(input.app);
  },
});
/** Whom a project belongs to: a project of that name that somebody else made is not taken over. */
const ownerOf = (app: string): string => `app:${app}`;
/** Makes it where it is missing: afterwards it either is this app's, or somebody else's. */
const isOurs = async (registry: Registry, app: string): Promise<boolean> => (await registry.projectEnsure(app, ownerOf(app))).created;

export const appPipelines = ({ db, registry, source }: AppEngines): AppPipelines => ({
  create: definePipeline<AppInput, object>({
    type: 'CreateApplication',
    steps: [
      registryProjectStep({ registry }),
      {
        code: 'CreateApplication',
        run: ({ input }) => setAppState(db, input.app, 'ACTIVE'),
        undo: ({ input }) => setAppState(db, input.app, 'NOT_CREATED'),
      },
    ],
    onFinished: async (trx, run) => {
      if (run.outcome !== 'COMPLETED') await setAppState(trx, run.input.app, 'NOT_CREATED');
    },
  }),
  remove: definePipeline<AppInput, object>({
    type: 'DeleteApplication',
    steps: [
      {
        code: 'DeleteRepositories',
        isPointOfNoReturn: true,
        run: async ({ input, log }) => {
          for (const { ref } of await source.repositories(input.app)) {
            await source.deleteRepository(ref);
            log(`Repository ${ref.owner}/${ref.name} deleted`);
          }
        },
      },
      { code: 'DeleteRegistryProject', run: ({ input }) => registry.projectDelete(input.app) },
      {
        code: 'DeleteApplication',
        run: async ({ input }) => {
          await db.deleteFrom('app').where('id', '=', input.app).execute();
          await notifyChange(db, { kind: 'app', app: input.app });
        },
      },
    ],
  }),
});
