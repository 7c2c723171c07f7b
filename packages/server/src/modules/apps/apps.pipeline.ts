/** What creating and deleting an app does on the engines. */
import type { Application } from '@slipway/contract/application.ts';
import type { Db } from '#db/database.ts';
import { notifyChange } from '#kernel/changes.ts';
import { recordRunOutcome } from '#modules/activity/index.ts';
import { definePipeline, StepFailure, type FinishedRun, type PipelineDefinition, type StepDefinition } from '#modules/pipelines/index.ts';
import type { Registry } from '#ports/registry.ts';
import type { SourceHost } from '#ports/source.ts';

export interface AppInput {
  readonly app: string;
}
export interface DeleteAppInput extends AppInput {
  readonly team: string;
  readonly stateBefore: Application['state'];
  /** The repositories that a failed creation may have left. An app that was created owns all of its name. */
  readonly leftOver: readonly string[];
}
export interface CreateAppInput extends AppInput {
  readonly team: string;
}
export interface AppPipelines {
  readonly create: PipelineDefinition<CreateAppInput, object>;
  readonly remove: PipelineDefinition<DeleteAppInput, object>;
}
export interface AppEngines {
  readonly db: Db;
  readonly registry: Registry;
  readonly source: SourceHost;
}

export const setAppState = async (db: Db, app: string, state: Application['state']): Promise<void> => {
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
  undo: ({ input }) => deleteProject(registry, input.app),
});
/** Whom a project belongs to: a project of that name that somebody else made is not taken over. */
const ownerOf = (app: string): string => `app:${app}`;
/** Makes it where it is missing: afterwards it either is this app's, or somebody else's. */
const isOurs = async (registry: Registry, app: string): Promise<boolean> => (await registry.projectEnsure(app, ownerOf(app))).created;
const deleteProject = async (registry: Registry, app: string): Promise<void> => {
  if ((await registry.projectExists(app)) && (await isOurs(registry, app))) await registry.projectDelete(app);
};

/** A pipeline can be re-run when its app was discarded, and the name given to another: it must not touch that one. */
const whileCurrent =
  (db: Db) =>
  (step: StepDefinition<CreateAppInput, object>): StepDefinition<CreateAppInput, object> => {
    const isCurrent = async (app: string, pipelineId: string): Promise<boolean> => {
      const row = await db.selectFrom('app').select('pipeline_id').where('id', '=', app).executeTakeFirst();
      return row?.pipeline_id === pipelineId;
    };
    return {
      ...step,
      run: async (c) => {
        if (!(await isCurrent(c.input.app, c.pipelineId))) throw new StepFailure('Discarded');
        return step.run(c);
      },
      ...(step.undo && {
        undo: async (c) => {
          if (await isCurrent(c.input.app, c.pipelineId)) await step.undo?.(c);
        },
      }),
    };
  };

const createPipeline = ({ db, registry }: AppEngines): AppPipelines['create'] =>
  definePipeline<CreateAppInput, object>({
    type: 'CreateApplication',
    steps: [
      registryProjectStep<CreateAppInput>({ registry }),
      {
        code: 'CreateApplication',
        run: ({ input }: { input: CreateAppInput }) => setAppState(db, input.app, 'ACTIVE'),
        undo: ({ input }: { input: CreateAppInput }) => setAppState(db, input.app, 'NOT_CREATED'),
      },
    ].map(whileCurrent(db)),
    onFinished: async (trx, run) => {
      const { app } = run.input;
      const failed = trx.updateTable('app').set({ state: 'NOT_CREATED' }).where('id', '=', app).where('pipeline_id', '=', run.pipelineId);
      if (run.outcome !== 'COMPLETED') await failed.execute();
      await notifyChange(trx, { kind: 'app', app });
      await recordRunOutcome(trx, 'CreateApplication', run);
    },
  });

const deleteFinished: NonNullable<AppPipelines['remove']['onFinished']> = async (trx, run: FinishedRun<DeleteAppInput, object>) => {
  const { app, stateBefore } = run.input;
  // One that failed half-way stays DELETING: it is re-run, there is no way back.
  if (run.outcome === 'CANCELED') await setAppState(trx, app, stateBefore);
  await recordRunOutcome(trx, 'DeleteApplication', run);
};

const deletePipeline = ({ db, registry, source }: AppEngines): AppPipelines['remove'] =>
  definePipeline<DeleteAppInput, object>({
    type: 'DeleteApplication',
    rights: { role: 'owner' },
    steps: [
      {
        code: 'DeleteRepositories',
        isPointOfNoReturn: true,
        run: async ({ input, log }) => {
          const all = (await source.repositories(input.app)).map(({ ref }) => ref);
          // What is there although nothing was created is somebody else's, unless the creation left it.
          const ours = input.stateBefore === 'NOT_CREATED' ? all.filter(({ name }) => input.leftOver.includes(name)) : all;
          for (const ref of ours) {
            await source.deleteRepository(ref);
            log(`Repository ${ref.owner}/${ref.name} deleted`);
          }
        },
      },
      { code: 'DeleteRegistryProject', run: ({ input }) => deleteProject(registry, input.app) },
      {
        code: 'DeleteApplication',
        run: async ({ input }) => {
          await db.deleteFrom('app').where('id', '=', input.app).execute();
          await notifyChange(db, { kind: 'app', app: input.app });
        },
      },
    ],
    onFinished: deleteFinished,
  });

export const appPipelines = (engines: AppEngines): AppPipelines => ({ create: createPipeline(engines), remove: deletePipeline(engines) });
