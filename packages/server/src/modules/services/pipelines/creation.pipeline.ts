/** Creates a service without running it, and connects it to a repository. Nothing runs before its first pipeline. */
import { registryProjectStep } from '#modules/apps/index.ts';
import { buildCommit, readSource, type BuildSource } from './build.steps.ts';
import { connectRepository, restoreConnection, type ConnectInput, type ConnectState } from './connect.steps.ts';
import { copyPipeline, type CopyPipeline } from './copy.pipeline.ts';
import { createService, lacksCredential, makeCredential, uncreateService, validateNew } from './create.steps.ts';
import { creationFinished } from '../creation-guard.ts';
import { rolloutImpactIn, rolloutRows, type RolloutImpact, type RolloutInput, type RolloutState } from './rollout.steps.ts';
import { requireRow, servicePipeline, type ServiceContext, type ServicePipeline, type StepRow } from './service-pipeline.ts';
import type { ServiceEngines } from './services.pipeline.ts';

export type CreateInput = ConnectInput;
export interface CreateImpact {
  readonly needsCredential: boolean;
  readonly isConnected: boolean;
}
export interface BuildNowInput extends ConnectInput, RolloutInput {
  readonly buildNow: boolean;
}
export type BuildNowState = ConnectState & RolloutState;
/** `rollout` is null if the repository is only connected or disconnected. */
export interface ConnectImpact {
  readonly rollout: RolloutImpact | null;
}
export interface CreationPipelines {
  readonly create: ServicePipeline<CreateInput, ConnectState, CreateImpact>;
  readonly connect: ServicePipeline<BuildNowInput, BuildNowState, ConnectImpact>;
  readonly copy: CopyPipeline;
}

const createTable = (engines: ServiceEngines): StepRow<CreateInput, ConnectState, CreateImpact>[] => [
  { code: 'ValidateService', run: validateNew(engines) },
  { code: 'CreateRegistryProject', run: ensureProject(engines) },
  { code: 'CreateService', run: createService(engines), undo: uncreateService(engines) },
  { code: 'ConfigureCredentials', when: ({ needsCredential }) => needsCredential, run: makeCredential(engines) },
  { code: 'ConnectRepository', when: ({ isConnected }) => isConnected, run: connectRepository(engines), undo: restoreConnection(engines) },
];

/** Ensures the app's registry project, which holds the images of all its services. It has no undo, since other services use it. */
const ensureProject =
  (engines: ServiceEngines) =>
  async (c: ServiceContext<CreateInput, ConnectState>): Promise<void> => {
    // A rerun may start here.
    await requireRow(engines.db, c.service);
    await registryProjectStep<CreateInput>(engines, ({ app }) => app).run(c);
  };

/** With `buildNow`, the same run builds and deploys the newest commit. A failed build leaves the service unchanged. */
const connectTable = (engines: ServiceEngines): StepRow<BuildNowInput, BuildNowState, ConnectImpact>[] => [
  { code: 'ConnectRepository', run: connectRepository(engines), undo: restoreConnection(engines) },
  { code: 'ReadSource', when: builds, run: (c) => readSource(engines, c, sourceOf(c)) },
  { code: 'BuildImage', when: builds, run: (c) => buildCommit(engines, c, sourceOf(c)) },
  ...rolloutRows(engines).map(({ when, run, ...row }): StepRow<BuildNowInput, BuildNowState, ConnectImpact> => ({
    ...row,
    when: ({ rollout }) => rollout !== null && (when?.(rollout) ?? true),
    run: (c) => run({ ...c, input: { ...c.input, reason: { ...c.input.reason, commit: sourceOf(c).commit } } }),
  })),
];

type Context = ServiceContext<BuildNowInput, BuildNowState>;
const builds = ({ rollout }: ConnectImpact): boolean => rollout !== null;
const sourceOf = ({ input, state }: Context): BuildSource => ({
  repository: { owner: input.app, name: input.repository ?? '' },
  commit: state.commit ?? '',
});

export const creationPipelines = (engines: ServiceEngines): CreationPipelines => ({
  create: servicePipeline({
    type: 'CreateService',
    steps: createTable(engines),
    impactIn: async ({ input, service }) => ({
      needsCredential: await lacksCredential(engines.db, service),
      isConnected: input.repository !== null,
    }),
    onFinished: creationFinished('CreateService'),
  }),
  connect: servicePipeline({
    type: 'ConnectRepository',
    steps: connectTable(engines),
    impactIn: async (c) => ({ rollout: c.input.buildNow && c.state.commit ? await rolloutImpactIn(engines)(c) : null }),
  }),
  copy: copyPipeline(engines),
});
