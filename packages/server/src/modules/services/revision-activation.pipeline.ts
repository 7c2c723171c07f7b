/** Enables or disables a revision. Enabling is the same rollout onto an existing revision (decisions §11), without making one. */
import { definePipeline, type PipelineDefinition, type StepDefinition } from '#modules/pipelines/index.ts';
import { recordOutcome } from './record-outcome.ts';
import { revisionSpec, setServing, wantRevision } from './rollout.sql.ts';
import { before, rolloutSteps, type RolloutEngines, type RolloutInput, type RolloutState } from './rollout.steps.ts';
import { serviceRow, type ServiceKey } from './services.sql.ts';
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
  /** Before it was disabled. */
  readonly was?: { readonly enabled: boolean; readonly replicas: number };
}
type Input = RevisionActivationInput & RolloutInput;
type Step = StepDefinition<Input, RevisionActivationState>;

const rowOf = (db: RolloutEngines['db'], id: string) =>
  db.selectFrom('revision').select(['enabled', 'replicas_wanted as replicas']).where('id', '=', id).executeTakeFirstOrThrow();

/** Undone by hand of its undo, so that a re-run looks anew at what it replaces: something else may have been rolled out meanwhile. */
const select = ({ db }: RolloutEngines): Step => ({
  code: 'ValidateService',
  run: async ({ input, log }) => {
    const { revisionId, revision } = input;
    const state = { revisionId, revision, ...(await before(db, input, revisionId)) };
    const row = await rowOf(db, revisionId);
    if (!input.enabled) return { state: { ...state, was: row } };
    const isRunning = row.enabled && row.replicas > 0 && (state.served ?? []).includes(revision);
    if (isRunning) log(`${revision} serves already`);
    else await wantRevision(db, input, revisionId, { enabled: true });
    return { state: { ...state, isRunning } };
  },
  undo: async ({ input }) => {
    if (!input.enabled) return;
    const service = await serviceRow(db, input);
    await wantRevision(db, input, input.revisionId, { enabled: service?.serving.includes(input.revision) ?? false });
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
    await wantRevision(db, input, input.revisionId, was);
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
