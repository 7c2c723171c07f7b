/** Copying a service: a new one, or another one's settings with a tag to deploy. Settings alone go onto an existing one as a change of settings. */
import { transaction } from '#db/database.ts';
import { attachGroups, detachGroups, type GroupToAttach } from '#modules/secret-groups/index.ts';
import type { ServiceSpec } from '@slipway/contract/service-spec.ts';
import { definePipeline, type PipelineDefinition, type StepDefinition } from '#modules/pipelines/index.ts';
import { connectStep, type ConnectInput, type ConnectState } from './connect.steps.ts';
import { createServiceStep, credentialsStep, validateStep } from './create.steps.ts';
import { creationFinished, whileCurrent } from '../creation.ts';
import { recordOutcome } from '../record-outcome.ts';
import { hint } from './rollout.sql.ts';
import { rolloutSteps } from './rollout.steps.ts';
import type { ServiceEngines } from './services.pipeline.ts';
import { serviceRow } from '../services.sql.ts';
import { firstSteps, requireRow, type SettingsInput, type SettingsState } from './settings.steps.ts';

export interface CopyInput extends SettingsInput, ConnectInput {
  readonly isNew: boolean;
  readonly groups: readonly GroupToAttach[];
  /** Null: nothing is deployed. */
  readonly imageTag: string | null;
}
export type CopyState = SettingsState & ConnectState;
export type CopyPipeline = PipelineDefinition<CopyInput, CopyState>;
type Step = StepDefinition<CopyInput, CopyState>;

const attachStep = ({ db }: ServiceEngines): Step => ({
  code: 'AttachSecretGroups',
  run: async ({ input, log }) => {
    if (input.groups.length === 0) return { skipped: true };
    const { id } = await requireRow(db, input);
    const attached = await transaction(db, async (trx) => {
      await hint(trx, input);
      return attachGroups(trx, id, input.groups);
    });
    for (const group of attached) log(`It reads ${group}`);
    return {};
  },
  undo: async ({ input }) => {
    const service = await serviceRow(db, input);
    if (service) await detachGroups(db, service.id, input.groups);
  },
});

/** A step that somebody else wrote; it knows nothing of the rest of the input and state. */
const only = (step: StepDefinition<never, never>, isMeant: (input: CopyInput) => boolean): Step => {
  const { run, undo, ...rest } = step as unknown as Step;
  return {
    ...rest,
    run: (c) => (isMeant(c.input) ? run(c) : Promise.resolve({ skipped: true })),
    ...(undo && {
      undo: async (c) => {
        if (isMeant(c.input)) await undo(c);
      },
    }),
  };
};

/** The settings of a service that is there already. */
const saveStep = (engines: ServiceEngines): StepDefinition<never, never> => {
  const step = firstSteps(engines).find(({ code }) => code === 'UpdateService');
  if (!step) throw new Error('A change of settings has no step UpdateService');
  return step as unknown as StepDefinition<never, never>;
};

/** What a deploy checks beside, only where there is one. */
const validate = (engines: ServiceEngines, deploy: Step): Step => {
  const plain = validateStep<CopyInput, CopyState>(engines);
  return { code: 'ValidateService', run: (c) => (c.input.imageTag === null ? plain.run(c) : deploy.run(c)) };
};

const deploySteps = (engines: ServiceEngines): Step[] => {
  const [first, ...rest] = rolloutSteps(engines) as unknown as Step[];
  if (first?.code !== 'ValidateService') throw new Error('A rollout begins with ValidateService');
  const withTag = rest.map((step): Step => ({
    ...step,
    run: (c) => step.run(c.input.imageTag === null ? c : { ...c, state: { ...c.state, imageTag: c.input.imageTag } }),
  }));
  return [validate(engines, first), ...withTag.map((step) => only(step as never, ({ imageTag }) => imageTag !== null))];
};

/** A service that is there already is nobody's creation. */
const guarded = (engines: ServiceEngines) => {
  const guard = whileCurrent<CopyInput, CopyState>(engines.db);
  return (step: Step): Step => {
    const own = guard(step);
    return {
      ...step,
      run: (c) => (c.input.isNew ? own.run(c) : step.run(c)),
      ...(step.undo && { undo: async (c) => (c.input.isNew ? own.undo?.(c) : step.undo?.(c)) }),
    };
  };
};

export const copyPipeline = (engines: ServiceEngines): CopyPipeline =>
  definePipeline<CopyInput, CopyState>({
    type: 'CopyService',
    steps: [
      only(createServiceStep(engines) as never, ({ isNew }) => isNew),
      connectStep<CopyInput, CopyState>(engines),
      attachStep(engines),
      only(saveStep(engines), ({ isNew }) => !isNew),
      credentialsStep<CopyInput, CopyState>(engines),
      ...deploySteps(engines),
    ].map(guarded(engines)),
    onFinished: async (trx, run) => (run.input.isNew ? creationFinished : recordOutcome)('CopyService')(trx, run as never),
  });

/** The codes of the steps that will have something to do, `rollout`: those of the rollout from the start of the instances on. */
export const copyStepCodes = (
  input: Pick<CopyInput, 'isNew' | 'groups' | 'imageTag' | 'repository'>,
  spec: ServiceSpec,
  rollout: readonly string[],
  needsCredential: (spec: ServiceSpec) => boolean,
): string[] => [
  ...(input.isNew ? ['CreateService'] : []),
  ...(input.repository === null ? [] : ['ConnectRepository']),
  ...(input.groups.length > 0 ? ['AttachSecretGroups'] : []),
  ...(input.isNew ? [] : ['UpdateService']),
  ...(needsCredential(spec) ? ['ConfigureCredentials'] : []),
  'ValidateService',
  ...(input.imageTag === null ? [] : ['ValidateContainerImage', 'CreateRevision', ...rollout]),
];
