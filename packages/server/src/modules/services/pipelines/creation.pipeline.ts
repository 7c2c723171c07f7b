/** Making a service without running it, and connecting it to a repository: nothing runs before its first pipeline. */
import { definePipeline, type PipelineDefinition, type StepContext, type StepDefinition } from '#modules/pipelines/index.ts';
import { buildSteps, type BuildInput } from './build.steps.ts';
import { connectStep, type ConnectInput, type ConnectState } from './connect.steps.ts';
import { copyPipeline, type CopyPipeline } from './copy.pipeline.ts';
import { createServiceStep, credentialsStep, sharedProjectStep, validateStep } from './create.steps.ts';
import { creationFinished, whileCurrent } from '../creation.ts';
import { rolloutSteps, type RolloutInput, type RolloutState } from './rollout.steps.ts';
import { recordOutcome } from '../record-outcome.ts';
import { sameService } from './same-service.ts';
import type { ServiceEngines } from './services.pipeline.ts';

export type CreateInput = ConnectInput;
export interface BuildNowInput extends ConnectInput, RolloutInput {
  readonly buildNow: boolean;
}
export type BuildNowState = ConnectState & RolloutState;
export interface CreationPipelines {
  readonly create: PipelineDefinition<CreateInput, ConnectState>;
  readonly connect: PipelineDefinition<BuildNowInput, BuildNowState>;
  readonly copy: CopyPipeline;
}

const createPipeline = (engines: ServiceEngines): CreationPipelines['create'] =>
  definePipeline<CreateInput, ConnectState>({
    type: 'CreateService',
    steps: [
      validateStep<CreateInput, ConnectState>(engines),
      sharedProjectStep<CreateInput, ConnectState>(engines),
      createServiceStep<CreateInput, ConnectState>(engines),
      credentialsStep<CreateInput, ConnectState>(engines),
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
  connect: sameService(engines.db, connectPipeline(engines)),
  copy: sameService(engines.db, copyPipeline(engines)),
});
