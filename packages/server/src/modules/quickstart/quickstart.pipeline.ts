/** From nothing to a running service: names, repository, registry project, image, service, revision, traffic. */
import type { ServiceSpec } from '@slipway/contract/service-spec.ts';
import { newServiceSpec } from '@slipway/contract/service-spec.ts';
import type { Db } from '#db/database.ts';
import { registryProjectStep, setAppState } from '#modules/apps/index.ts';
import { definePipeline, StepFailure, type PipelineDefinition, type StepDefinition } from '#modules/pipelines/index.ts';
import {
  buildCommit,
  imageRepository,
  isCurrentCreation,
  recordOutcome,
  rolloutSteps,
  serviceRow,
  servicesOnImage,
  setServiceState,
  whileCurrent,
  type RolloutInput,
  type RolloutState,
  type ServiceEngines,
} from '#modules/services/index.ts';
import { isPortFailure } from '#ports/failure.ts';
import type { TemplateFiles } from './templates.ts';

export interface QuickstartInput extends RolloutInput {
  readonly template: string;
  readonly displayName: string;
  /** Whether the app itself is made too. */
  readonly isNewApp: boolean;
}
export interface QuickstartState extends RolloutState {
  readonly commit?: string;
}
export interface QuickstartPipelines {
  readonly application: PipelineDefinition<QuickstartInput, QuickstartState>;
  readonly service: PipelineDefinition<QuickstartInput, QuickstartState>;
}
type Step = StepDefinition<QuickstartInput, QuickstartState>;

const repositoryOf = (input: QuickstartInput) => ({ owner: input.app, name: input.service });

/** The engines may hold what the rows do not know of: somebody else's, which no undo may ever touch. So it is asked before anything is made. */
const checkNames = ({ source, registry }: ServiceEngines): Step => ({
  code: 'CheckNames',
  run: async ({ input, log }) => {
    const repository = repositoryOf(input);
    if (await source.repository(repository))
      throw new StepFailure('RepositoryAlreadyExists', { repoName: `${repository.owner}/${repository.name}` });
    if (input.isNewApp && (await registry.projectExists(input.app)))
      throw new StepFailure('RegistryProjectAlreadyExists', { project: input.app });
    log(`${repository.owner}/${repository.name} and ${registry.host}/${imageRepository(input)} are free`);
  },
});

const createRepository = ({ db, source }: ServiceEngines, templates: TemplateFiles): Step => ({
  code: 'CreateRepository',
  run: async ({ input, createdBy, log, setFacts }) => {
    const ref = repositoryOf(input);
    await claimRepository({ db, source }, input);
    const files = await templates(input.template, { app: input.app, displayName: input.displayName, service: input.service });
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
      await noteRepository(db, input, null);
      throw new StepFailure('RepositoryAlreadyExists', { repoName: `${ref.owner}/${ref.name}` }, { cause: error });
    }
  },
  undo: async ({ input }) => {
    const service = await serviceRow(db, input);
    if (service?.repository_name !== input.service) return;
    await source.deleteRepository(repositoryOf(input));
    await noteRepository(db, input, null);
  },
});

/** The row tells whose the repository is: noted before it is made, so that an undo takes back ours and never somebody else's. */
const claimRepository = async ({ db, source }: Pick<ServiceEngines, 'db' | 'source'>, input: QuickstartInput): Promise<void> => {
  const ref = repositoryOf(input);
  if ((await serviceRow(db, input))?.repository_name === input.service) return;
  if (await source.repository(ref)) throw new StepFailure('RepositoryAlreadyExists', { repoName: `${ref.owner}/${ref.name}` });
  await noteRepository(db, input, input.service);
};
const noteRepository = async (db: Db, input: QuickstartInput, name: string | null): Promise<void> => {
  const service = await serviceRow(db, input);
  if (service) await db.updateTable('service').set({ repository_name: name }).where('id', '=', service.id).execute();
};

/** What a pipeline outside the platform pushes with; its secret is made anew where somebody asks for it. */
const createRobot = ({ registry }: ServiceEngines): Step => ({
  code: 'CreateRobotAccount',
  run: async ({ input, log }) => {
    const { username } = await registry.robotEnsure(input.app, 'ci', ['pull', 'push']);
    log(`Robot account ${username} may pull and push`);
  },
  undo: ({ input }) => registry.robotDelete(input.app, 'ci'),
});

const buildImage = (engines: ServiceEngines): Step => ({
  code: 'BuildImage',
  run: async (c) => {
    if (!c.state.commit) throw new Error('The run has no commit');
    return buildCommit(engines, c, repositoryOf(c.input), c.state.commit);
  },
  undo: async ({ input }) => {
    const service = await serviceRow(engines.db, input);
    // The other environment's service of this name runs images of the same repository.
    const users = await servicesOnImage(engines.db, input.app, imageRepository(input), service?.id ?? '');
    if (users.length === 0) await engines.registry.repositoryDelete(imageRepository(input));
  },
});

const createService = ({ db, registry }: ServiceEngines): Step => ({
  code: 'CreateService',
  run: async ({ input, state, log }) => {
    const service = await serviceRow(db, input);
    if (!service) throw new StepFailure('ServiceDoesNotExist', { service: input.service });
    const spec: ServiceSpec = newServiceSpec(`${registry.host}/${imageRepository(input)}`);
    await db
      .updateTable('service')
      .set({ spec: JSON.stringify(spec), built_commit: state.commit ?? null })
      .where('id', '=', service.id)
      .execute();
    log(`${input.service} in ${input.environment}: ${spec.resources.cpuMillicores} m CPU, ${spec.resources.memoryMegabytes} MB`);
  },
  undo: async ({ input }) => setServiceState(db, input, 'NOT_CREATED'),
});

const finished =
  (type: string): NonNullable<PipelineDefinition<QuickstartInput, QuickstartState>['onFinished']> =>
  async (trx, run) => {
    const state = run.outcome === 'COMPLETED' ? 'ACTIVE' : 'NOT_CREATED';
    if (await isCurrentCreation(trx, run.input, run.pipelineId)) {
      await setServiceState(trx, run.input, state);
      if (run.input.isNewApp) await setAppState(trx, run.input.app, state);
    }
    await recordOutcome(type)(trx, run);
  };

/** Rollout steps know nothing of the rest of the input and state. */
const rollout = (engines: ServiceEngines): Step[] => rolloutSteps(engines) as unknown as Step[];

export const quickstartPipelines = (engines: ServiceEngines, templates: TemplateFiles): QuickstartPipelines => {
  const current = whileCurrent<QuickstartInput, QuickstartState>(engines.db);
  const project = registryProjectStep<QuickstartInput>(engines) as Step;
  const common = [
    buildImage(engines),
    createService(engines),
    ...rollout(engines).filter(({ code }) => code !== 'StopOldRevisions' && code !== 'RetireOldRevisions'),
  ];
  return {
    application: definePipeline<QuickstartInput, QuickstartState>({
      type: 'QuickstartApplication',
      steps: [checkNames(engines), createRepository(engines, templates), project, createRobot(engines), ...common].map(current),
      onFinished: finished('QuickstartApplication'),
    }),
    service: definePipeline<QuickstartInput, QuickstartState>({
      type: 'QuickstartService',
      steps: [checkNames(engines), createRepository(engines, templates), ...common].map(current),
      onFinished: finished('QuickstartService'),
    }),
  };
};
