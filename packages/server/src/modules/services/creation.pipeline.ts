/** Making a service without running it, and connecting it to a repository: nothing runs before its first pipeline. */
import type { ServiceSpec } from '@slipway/contract/service-spec.ts';
import { registryProjectStep } from '#modules/apps/index.ts';
import { pinSecrets } from '#modules/secret-groups/index.ts';
import { definePipeline, StepFailure, type PipelineDefinition, type StepContext, type StepDefinition } from '#modules/pipelines/index.ts';
import { buildSteps, type BuildInput } from './build.steps.ts';
import { connectStep, type ConnectInput, type ConnectState } from './connect.steps.ts';
import { isCurrentCreation, setServiceState, whileCurrent } from './creation.ts';
import { rolloutSteps, type RolloutInput, type RolloutState } from './rollout.steps.ts';
import { recordOutcome } from './record-outcome.ts';
import type { ServiceEngines } from './services.pipeline.ts';
import { serviceRow, type ServiceKey } from './services.sql.ts';

export type CreateInput = ConnectInput;
export interface BuildNowInput extends ConnectInput, RolloutInput {
  readonly buildNow: boolean;
}
export type BuildNowState = ConnectState & RolloutState;
export interface CreationPipelines {
  readonly create: PipelineDefinition<CreateInput, ConnectState>;
  readonly connect: PipelineDefinition<BuildNowInput, BuildNowState>;
}

/** The rules were obeyed when it was asked for; secrets may have gone since. */
export const validateStep = <I extends ServiceKey, S extends object>({ db }: ServiceEngines): StepDefinition<I, S> => ({
  code: 'ValidateService',
  run: async ({ input, log }) => {
    const service = await serviceRow(db, input);
    if (!service) throw new StepFailure('ServiceDoesNotExist', { service: input.service });
    const spec = service.spec as ServiceSpec;
    const pinned = await pinSecrets(db, input, { id: service.id, spec });
    if ('dangling' in pinned) {
      // The log is the team's own; the message is everybody's.
      log(pinned.told, 'ERROR');
      throw new StepFailure(pinned.dangling);
    }
    log(`${input.service} in ${input.environment}, images from ${spec.containerImageName}`);
  },
});

/** The app's project, with the images of all its services: a service that fails takes nothing of it away. */
export const sharedProjectStep = <I extends ServiceKey, S extends object>(engines: ServiceEngines): StepDefinition<I, S> => {
  const { code, run } = registryProjectStep<I>(engines);
  return { code, run: (c) => run(c) as Promise<undefined> };
};

export const createServiceStep = <I extends ServiceKey, S extends object>({ db }: ServiceEngines): StepDefinition<I, S> => ({
  code: 'CreateService',
  run: async ({ input, log }) => {
    const service = await serviceRow(db, input);
    if (!service) throw new StepFailure('ServiceDoesNotExist', { service: input.service });
    const { resources } = service.spec as ServiceSpec;
    log(`${input.service} in ${input.environment}: ${resources.cpuMillicores} m CPU, ${resources.memoryMegabytes} MB`);
  },
  undo: ({ input }) => setServiceState(db, input, 'NOT_CREATED'),
});

/** What was made is there from now on; what was not stays as "not created", with Re-run and Discard. */
export const creationFinished =
  <I extends ServiceKey, S extends object>(type: string): NonNullable<PipelineDefinition<I, S>['onFinished']> =>
  async (trx, run) => {
    if (await isCurrentCreation(trx, run.input, run.pipelineId))
      await setServiceState(trx, run.input, run.outcome === 'COMPLETED' ? 'ACTIVE' : 'NOT_CREATED');
    await recordOutcome(type)(trx, run);
  };

const createPipeline = (engines: ServiceEngines): CreationPipelines['create'] =>
  definePipeline<CreateInput, ConnectState>({
    type: 'CreateService',
    steps: [
      validateStep<CreateInput, ConnectState>(engines),
      sharedProjectStep<CreateInput, ConnectState>(engines),
      createServiceStep<CreateInput, ConnectState>(engines),
      connectStep<CreateInput, ConnectState>(engines),
    ].map(whileCurrent(engines.db)),
    onFinished: creationFinished('CreateService'),
  });

/** With `buildNow` the newest commit is built and deployed, in the same run; a build that fails leaves the service as it was. */
const connectPipeline = (engines: ServiceEngines): CreationPipelines['connect'] => {
  const steps = [...buildSteps(engines), ...rolloutSteps(engines)] as StepDefinition<BuildInput, RolloutState>[];
  const build = steps.map((step): StepDefinition<BuildNowInput, BuildNowState> => {
    const inputOf = (input: BuildNowInput, commit: string): BuildInput => ({
      ...input,
      repository: { owner: input.app, name: input.repository ?? '' },
      commit,
      reason: { ...input.reason, commit },
    });
    const { code, isPointOfNoReturn = false, undo } = step;
    return {
      code,
      isPointOfNoReturn,
      run: (c) => {
        const { commit } = c.state;
        return c.input.buildNow && commit ? step.run({ ...c, input: inputOf(c.input, commit) }) : Promise.resolve({ skipped: true });
      },
      ...(undo && {
        undo: (c: StepContext<BuildNowInput, BuildNowState>) => undo({ ...c, input: inputOf(c.input, c.state.commit ?? '') }),
      }),
    };
  });
  return definePipeline<BuildNowInput, BuildNowState>({
    type: 'ConnectRepository',
    steps: [connectStep<BuildNowInput, BuildNowState>(engines), ...build],
    onFinished: recordOutcome('ConnectRepository'),
  });
};

export const creationPipelines = (engines: ServiceEngines): CreationPipelines => ({
  create: createPipeline(engines),
  connect: connectPipeline(engines),
});
