/** Enables or disables a revision. Enabling is the same rollout onto an existing revision (decisions §11), without making one. */
import { definePipeline, StepFailure, type PipelineDefinition, type StepDefinition } from '#modules/pipelines/index.ts';
import { recordOutcome } from '../record-outcome.ts';
import { revisionSpec, setServing, wantRevision } from './rollout.sql.ts';
import { before, rolloutSteps, type RolloutEngines, type RolloutInput, type RolloutState } from './rollout.steps.ts';
import { serviceRow, type ServiceKey } from '../services.sql.ts';
import { startInstances } from './start-instances.ts';
import { waitUntilRouted, waitUntilStopped } from './wait.ts';

export interface RevisionActivationInput extends ServiceKey {
  readonly revisionId: string;
  readonly revision: string;
  readonly enabled: boolean;
}
export interface RevisionActivationState extends RolloutState {
  /** It serves and runs already: there is nothing to enable. */
  readonly isRunning?: boolean;
  /** Before anything was done to it. */
  readonly was?: { readonly enabled: boolean; readonly replicas: number; readonly isFailed: boolean };
}
type Input = RevisionActivationInput & RolloutInput;
type Step = StepDefinition<Input, RevisionActivationState>;

/** Asked anew by a re-run, before which much may have happened. */
const possible = async ({ db }: RolloutEngines, input: Input) => {
  const service = await serviceRow(db, input);
  const row = await db.selectFrom('revision').selectAll().where('id', '=', input.revisionId).executeTakeFirst();
  if (!service || !row || row.deleting_at !== null || row.status === 'DELETED')
    throw new StepFailure('RevisionDoesNotExist', { revision: input.revision });
  if (input.enabled && !service.active) throw new StepFailure('ServiceInactive', { service: input.service });
  return { enabled: row.enabled, replicas: row.replicas_wanted, isFailed: row.failed_at !== null };
};

/** It has an undo, so that a re-run looks anew at what it replaces: something else may have been rolled out meanwhile. */
const select = (engines: RolloutEngines): Step => ({
  code: 'ValidateService',
  run: async ({ input, log }) => {
    const { db } = engines;
    const { revisionId, revision } = input;
    const was = await possible(engines, input);
    const state = { was, revisionId, revision, ...(await before(db, input, revisionId)) };
    if (!input.enabled) return { state };
    const isRunning = was.enabled && was.replicas > 0 && (state.served ?? []).includes(revision);
    if (isRunning) log(`${revision} serves already`);
    else await wantRevision(db, input, revisionId, { enabled: true });
    return { state: { ...state, isRunning } };
  },
  undo: async ({ input, state, ending }) => {
    if (!input.enabled) return;
    const service = await serviceRow(engines.db, input);
    const enabled = service?.serving.includes(input.revision) ?? false;
    await wantRevision(engines.db, input, input.revisionId, {
      enabled,
      ...(ending === 'CANCELED' && state.was?.isFailed ? { isFailed: true } : {}),
    });
  },
});

const disable = (engines: RolloutEngines): Step => ({
  code: 'StopInstances',
  run: async ({ input, signal }) => {
    if (input.enabled) return { skipped: true };
    const { db } = engines;
    const service = await serviceRow(db, input);
    const rest = (service?.serving ?? []).filter((name) => name !== input.revision);
    await setServing(db, input, rest);
    await waitUntilRouted(db, input, rest, signal);
    await wantRevision(db, input, input.revisionId, { replicas: 0, enabled: false });
    await waitUntilStopped(db, input.revisionId, signal);
    return {};
  },
  undo: async ({ input, state, signal, log }) => {
    const { was, served = [] } = state;
    if (input.enabled || !was) return;
    const { db } = engines;
    await wantRevision(db, input, input.revisionId, { enabled: was.enabled, replicas: was.replicas });
    if (was.replicas > 0) {
      const spec = await revisionSpec(db, input.revisionId);
      await startInstances(engines, { signal, log }, { key: input, id: input.revisionId, spec });
    }
    await setServing(db, input, served);
    await waitUntilRouted(db, input, served, signal);
  },
});

const rollout = (engines: RolloutEngines): Step[] =>
  rolloutSteps(engines)
    .filter(({ code }) => ['StopOldRevisions', 'StartInstances', 'ShiftTraffic', 'RetireOldRevisions'].includes(code))
    .map((step) => ({
      ...step,
      run: async (c) => {
        if (!c.input.enabled || c.state.isRunning) return { skipped: true };
        // What it failed of before is forgotten; the step's undo marks it again.
        if (step.code === 'StartInstances') await wantRevision(engines.db, c.input, c.input.revisionId, { isFailed: false });
        return step.run(c);
      },
    }));

export const revisionActivationPipeline = (engines: RolloutEngines): PipelineDefinition<RevisionActivationInput, RevisionActivationState> =>
  definePipeline<Input, RevisionActivationState>({
    type: 'RevisionActivation',
    steps: [select(engines), disable(engines), ...rollout(engines)],
    onFinished: recordOutcome('RevisionActivation'),
  }) as PipelineDefinition<RevisionActivationInput, RevisionActivationState>;
