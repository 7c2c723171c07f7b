/** Engine steps for creating and deleting an app. */
import type { Db } from '#db/database.ts';
import { StepFailure, type StepDefinition } from '#modules/pipelines/index.ts';
import type { EntityInput } from '#modules/resources/index.ts';
import type { Registry } from '#ports/registry.ts';
import type { SourceHost } from '#ports/source.ts';

export interface AppEngines {
  readonly db: Db;
  readonly registry: Registry;
  readonly source: SourceHost;
}

/** Owner of an app's registry project. A project with the same name but another owner is not taken over. */
const ownerOf = (app: string): string => `app:${app}`;
/** Creates the project if missing. Returns false if it belongs to somebody else. */
const isOurs = async (registry: Registry, app: string): Promise<boolean> => (await registry.projectEnsure(app, ownerOf(app))).created;
/** Whether a project of another owner has the app's name. */
export const isProjectTaken = async (registry: Registry, app: string): Promise<boolean> =>
  (await registry.projectExists(app)) && !(await isOurs(registry, app));
const deleteProject = async (registry: Registry, app: string): Promise<void> => {
  if ((await registry.projectExists(app)) && (await isOurs(registry, app))) await registry.projectDelete(app);
};

/**
 * Creates the app's registry project, shared by both environments (decisions §11). Used by every pipeline that creates an app or needs its
 * project.
 */
export const registryProjectStep = <I extends object>(
  { registry }: Pick<AppEngines, 'registry'>,
  appOf: (input: I) => string | undefined,
): StepDefinition<I, object> => ({
  code: 'CreateRegistryProject',
  run: async ({ input, log }) => {
    const project = appOf(input) ?? '';
    if (!(await isOurs(registry, project))) throw new StepFailure('RegistryProjectAlreadyExists', { project });
    log(`Project ${registry.host}/${project}`);
  },
  undo: ({ input }) => deleteProject(registry, appOf(input) ?? ''),
});

/** Lists the repositories that a failed creation may have left. A created app owns all repositories under its name. */
const leftOver = async (db: Db, app: string): Promise<(string | null)[]> => {
  const rows = await db.selectFrom('service').select('repository_name').where('app_id', '=', app).execute();
  return rows.map(({ repository_name }) => repository_name);
};

export const deletionSteps = ({ db, registry, source }: AppEngines): StepDefinition<EntityInput, object>[] => [
  {
    code: 'DeleteRepositories',
    isPointOfNoReturn: true,
    run: async ({ input: { app = '', stateBefore }, log }) => {
      const all = (await source.repositories(app)).map(({ ref }) => ref);
      const left = await leftOver(db, app);
      // If creation failed, repositories belong to somebody else unless the creation left them.
      const ours = stateBefore === 'NOT_CREATED' ? all.filter(({ name }) => left.includes(name)) : all;
      for (const ref of ours) {
        await source.deleteRepository(ref);
        log(`Repository ${ref.owner}/${ref.name} deleted`);
      }
    },
  },
  { code: 'DeleteRegistryProject', run: ({ input: { app = '' } }) => deleteProject(registry, app) },
];
