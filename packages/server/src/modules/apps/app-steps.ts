/** What creating and deleting an app does on the engines. */
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

/** Whom a project belongs to: a project of that name that somebody else made is not taken over. */
const ownerOf = (app: string): string => `app:${app}`;
/** Makes it where it is missing: afterwards it either is this app's, or somebody else's. */
const isOurs = async (registry: Registry, app: string): Promise<boolean> => (await registry.projectEnsure(app, ownerOf(app))).created;
/** Somebody else's lies under the app's name. */
export const isProjectTaken = async (registry: Registry, app: string): Promise<boolean> =>
  (await registry.projectExists(app)) && !(await isOurs(registry, app));
const deleteProject = async (registry: Registry, app: string): Promise<void> => {
  if ((await registry.projectExists(app)) && (await isOurs(registry, app))) await registry.projectDelete(app);
};

/** The app's project in the registry, one for both environments (decisions §11): for whatever pipeline makes an app or needs its project. */
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

/** The repositories that a failed creation may have left. An app that was created owns all of its name. */
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
      // What is there although nothing was created is somebody else's, unless the creation left it.
      const ours = stateBefore === 'NOT_CREATED' ? all.filter(({ name }) => left.includes(name)) : all;
      for (const ref of ours) {
        await source.deleteRepository(ref);
        log(`Repository ${ref.owner}/${ref.name} deleted`);
      }
    },
  },
  { code: 'DeleteRegistryProject', run: ({ input: { app = '' } }) => deleteProject(registry, app) },
];
