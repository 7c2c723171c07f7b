/** Creates a running service from scratch: names, repository, registry project, image, service, revision, traffic. */
import type { ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { newServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { quickstartParts } from '@slipway/contract/quickstart.ts';
import { physicalName } from '@slipway/contract/streaming/streaming.ts';
import type { Db } from '#db/database.ts';
import { appEntity, isProjectTaken, registryProjectStep } from '#modules/apps/index.ts';
import { StepFailure, type PipelineDefinition, type StepResult } from '#modules/pipelines/index.ts';
import {
  buildCommit,
  builtImage,
  createRevision,
  findImage,
  giveRevisionUp,
  imageRepository,
  recordOutcome,
  requireRow,
  serviceOf,
  servicePipeline,
  servicesOnImage,
  setServiceState,
  shiftBack,
  shiftTraffic,
  startNew,
  stopNew,
  validateService,
  type RolloutInput,
  type RolloutState,
  type ServiceContext,
  type ServiceEngines,
  type StepRow,
} from '#modules/services/index.ts';
import { setEntity } from '#modules/resources/index.ts';
import { isPortFailure } from '#ports/failure.ts';
import type { PartsInput, QuickstartParts } from './quickstart-parts.ts';
import type { TemplateFiles } from './templates.ts';

export interface QuickstartInput extends RolloutInput, PartsInput {
  readonly template: string;
  /** Whether the app is created too. */
  readonly isNewApp: boolean;
}
export interface QuickstartState extends RolloutState {
  readonly commit?: string;
}
export interface QuickstartPipelines {
  readonly application: PipelineDefinition<QuickstartInput, QuickstartState>;
  /** An app with a database or a stream. */
  readonly applicationParts: PipelineDefinition<QuickstartInput, QuickstartState>;
  readonly service: PipelineDefinition<QuickstartInput, QuickstartState>;
}
type Context = ServiceContext<QuickstartInput, QuickstartState>;

type Row = StepRow<QuickstartInput, QuickstartState, object>;

/**
 * The registry project and its push account belong to the app. A service in an existing app uses them. The parts come before the image, so
 * that the first revision has their secrets.
 */
const applicationTable = (engines: ServiceEngines, templates: TemplateFiles, parts: readonly Row[] = []): Row[] => [
  { code: 'CheckNames', run: checkNames(engines) },
  { code: 'CreateRepository', run: createRepository(engines, templates), undo: deleteRepository(engines) },
  registryProjectStep<QuickstartInput>(engines, ({ app }) => app),
  { code: 'CreateRobotAccount', run: createRobot(engines), undo: deleteRobot(engines) },
  ...parts,
  ...imageToTraffic(engines),
];
const serviceTable = (engines: ServiceEngines, templates: TemplateFiles): Row[] => [
  { code: 'CheckNames', run: checkNames(engines) },
  { code: 'CreateRepository', run: createRepository(engines, templates), undo: deleteRepository(engines) },
  ...imageToTraffic(engines),
];
const imageToTraffic = (engines: ServiceEngines): Row[] => [
  { code: 'BuildImage', run: buildImage(engines), undo: deleteImage(engines) },
  { code: 'CreateService', run: createService(engines), undo: ({ service }) => setServiceState(engines.db, service, 'NOT_CREATED') },
  { code: 'ValidateService', run: validateService(engines) },
  { code: 'ValidateContainerImage', run: findImage(engines, builtImage) },
  { code: 'CreateRevision', run: createRevision(engines), undo: giveUp(engines) },
  { code: 'StartInstances', run: startNew(engines), undo: stopNew(engines) },
  { code: 'ShiftTraffic', run: shiftTraffic(engines), undo: shiftBack(engines), isPointOfNoReturn: true },
];

/** Also lets go of the secrets: the groups of a new app's database and stream are deleted by earlier steps. */
const giveUp =
  (engines: ServiceEngines) =>
  async (c: Context): Promise<void> => {
    await giveRevisionUp(engines)(c);
    if (c.input.isNewApp)
      await engines.db.updateTable('revision').set({ secret_versions: '{}' }).where('service_id', '=', c.service.id).execute();
  };

const repositoryOf = (input: QuickstartInput) => ({ owner: input.app, name: input.service });

/**
 * Checks the engines before anything is created. They may have objects of others that the rows don't know, and an undo must never touch
 * these.
 */
const checkNames =
  ({ db, source, registry }: ServiceEngines) =>
  async (c: Context): Promise<void> => {
    const { input, log } = c;
    const repository = repositoryOf(input);
    if (!(await isFreeOrOurs({ db, source }, c)))
      throw new StepFailure('RepositoryAlreadyExists', { repoName: `${repository.owner}/${repository.name}` });
    if (input.isNewApp && (await isProjectTaken(registry, input.app)))
      throw new StepFailure('RegistryProjectAlreadyExists', { project: input.app });
    log(`${repository.owner}/${repository.name} and ${registry.host}/${imageRepository(input)} are free`);
  };

const createRepository =
  ({ db, source }: ServiceEngines, templates: TemplateFiles) =>
  async (c: Context): Promise<StepResult<QuickstartState>> => {
    const { input, createdBy, log, setFacts } = c;
    const ref = repositoryOf(input);
    await claimRepository({ db, source }, c);
    const files = await templates(input.template, {
      app: input.app,
      displayName: input.displayName,
      service: input.service,
      withDatabase: input.withDatabase,
      topic: input.withStream ? physicalName(input.app, quickstartParts(input.app).topic) : undefined,
    });
    const commit = {
      message: `Start ${input.displayName} from the template ${input.template}`,
      author: createdBy.displayName,
      email: `${createdBy.id}@users.slipway.local`,
    };
    try {
      const made = await source.createRepository(ref, files, commit);
      const head = made.headCommit ?? '';
      await setFacts({ repository: made.cloneUrl, commit: head.slice(0, 7) });
      log(`${files.length} files in ${made.cloneUrl}`);
      return {
        state: { commit: head },
        message: { code: 'RepositoryCreated', context: { repository: `${ref.owner}/${ref.name}`, commit: head.slice(0, 7) } },
      };
    } catch (error) {
      if (!isPortFailure(error, 'conflict')) throw error;
      await noteRepository(db, c, null);
      throw new StepFailure('RepositoryAlreadyExists', { repoName: `${ref.owner}/${ref.name}` }, { cause: error });
    }
  };
const deleteRepository =
  ({ db, source }: ServiceEngines) =>
  async (c: Context): Promise<void> => {
    const row = await db.selectFrom('service').select('repository_name').where('id', '=', c.service.id).executeTakeFirst();
    if (row?.repository_name !== c.input.service) return;
    await source.deleteRepository(repositoryOf(c.input));
    await noteRepository(db, c, null);
  };

/** Records the owner of the repository before it is created. An undo then removes our repository, and never somebody else's. */
const claimRepository = async ({ db, source }: Pick<ServiceEngines, 'db' | 'source'>, c: Context): Promise<void> => {
  const ref = repositoryOf(c.input);
  if (!(await isFreeOrOurs({ db, source }, c))) throw new StepFailure('RepositoryAlreadyExists', { repoName: `${ref.owner}/${ref.name}` });
  await noteRepository(db, c, c.input.service);
};
/**
 * Asks the engine first. Runs claim a repository before they create it. The creator may be a replica that lost this run without noticing,
 * after a crash in which the database lost the earlier steps.
 */
const isFreeOrOurs = async ({ db, source }: Pick<ServiceEngines, 'db' | 'source'>, c: Context): Promise<boolean> => {
  const isThere = (await source.repository(repositoryOf(c.input))) !== undefined;
  const row = await requireRow(db, c.service);
  return !isThere || row.repository_name === c.input.service;
};
const noteRepository = async (db: Db, { service }: Context, name: string | null): Promise<void> => {
  await db.updateTable('service').set({ repository_name: name }).where('id', '=', service.id).execute();
};

/** Account for pushes by an external pipeline. Its secret is regenerated on request. */
const createRobot =
  ({ registry }: ServiceEngines) =>
  async ({ input, log }: Context): Promise<void> => {
    const { username } = await registry.robotEnsure(input.app, 'ci', ['pull', 'push']);
    log(`Robot account ${username} may pull and push`);
  };
const deleteRobot =
  ({ registry }: ServiceEngines) =>
  ({ input }: Context): Promise<void> =>
    registry.robotDelete(input.app, 'ci');

const buildImage =
  (engines: ServiceEngines) =>
  async (c: Context): Promise<StepResult<QuickstartState>> => {
    if (!c.state.commit) throw new Error('The run has no commit');
    return buildCommit(engines, c, { repository: repositoryOf(c.input), commit: c.state.commit });
  };
const deleteImage =
  ({ db, registry }: ServiceEngines) =>
  async ({ service, input }: Context): Promise<void> => {
    // The service with this name in the other environment uses the same image repository.
    const users = await servicesOnImage(db, input.app, imageRepository(input), service.id);
    if (users.length === 0) await registry.repositoryDelete(imageRepository(input));
  };

const createService =
  ({ db, registry }: ServiceEngines) =>
  async ({ service, input, state, log }: Context): Promise<void> => {
    await requireRow(db, service);
    const spec: ServiceSpec = newServiceSpec(`${registry.host}/${imageRepository(input)}`);
    await db
      .updateTable('service')
      .set({ spec: JSON.stringify(spec), built_commit: state.commit ?? null })
      .where('id', '=', service.id)
      .execute();
    log(`${input.service} in ${input.environment}: ${spec.resources.cpuMillicores} m CPU, ${spec.resources.memoryMegabytes} MB`);
  };

type Finish = Pick<QuickstartParts, 'finish'>;
type OnFinished = NonNullable<PipelineDefinition<QuickstartInput, QuickstartState>['onFinished']>;
const finished =
  (type: string, parts?: Finish): OnFinished =>
  async (trx, run) => {
    const state = run.outcome === 'COMPLETED' ? 'ACTIVE' : 'NOT_CREATED';
    const service = serviceOf(run);
    const isThere = await trx.selectFrom('service').select('id').where('id', '=', service.id).executeTakeFirst();
    if (isThere) {
      await setServiceState(trx, service, state);
      if (run.input.isNewApp) await setEntity(trx, appEntity, { app: run.input.app }, { state });
    }
    await parts?.finish(trx, run);
    await recordOutcome<QuickstartInput, QuickstartState>(type)(trx, run);
  };

const quickstart = (type: string, steps: Row[], parts?: Finish): PipelineDefinition<QuickstartInput, QuickstartState> =>
  servicePipeline({ type, steps, impactIn: () => ({}), onFinished: finished(type, parts) });

export const quickstartPipelines = (
  engines: ServiceEngines,
  templates: TemplateFiles,
  parts: Finish & Pick<QuickstartParts, 'steps'>,
): QuickstartPipelines => ({
  application: quickstart('QuickstartApplication', applicationTable(engines, templates)),
  applicationParts: quickstart('QuickstartApplicationParts', applicationTable(engines, templates, parts.steps), parts),
  service: quickstart('QuickstartService', serviceTable(engines, templates)),
});
