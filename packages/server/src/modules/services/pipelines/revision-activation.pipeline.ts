/** Enables or disables a revision. Enabling is a rollout onto an existing revision (decisions §11). */
import { StepFailure, type StepResult } from '#modules/pipelines/index.ts';
import { revisionSpec, setServing, wantRevision } from './rollout.sql.ts';
import {
  before,
  rolloutImpactIn,
  shiftRows,
  startNew,
  type RolloutEngines,
  type RolloutImpact,
  type RolloutInput,
  type RolloutState,
} from './rollout.steps.ts';
import { requireRow, servicePipeline, type ServiceContext, type ServicePipeline, type StepRow } from './service-pipeline.ts';
import { serviceById, type ServiceKey } from '../services.sql.ts';
import { startInstances } from './start-instances.ts';
import { waitUntilRouted, waitUntilStopped } from './wait.ts';

export interface RevisionActivationInput extends ServiceKey {
  readonly revisionId: string;
  readonly revision: string;
  readonly enabled: boolean;
}
export interface RevisionActivationState extends RolloutState {
  /** The revision already serves and runs, so there is nothing to enable. */
  readonly isRunning?: boolean;
  /** State of the revision before the run. */
  readonly was?: { readonly enabled: boolean; readonly replicas: number; readonly isFailed: boolean };
}
export interface RevisionImpact {
  readonly isDisabled: boolean;
  /** Null if the revision is disabled or already serves. */
  readonly rollout: RolloutImpact | null;
}
export type RevisionActivationPipeline = ServicePipeline<RevisionActivationInput, RevisionActivationState, RevisionImpact>;
type Input = RevisionActivationInput & RolloutInput;
type Context = ServiceContext<RevisionActivationInput, RevisionActivationState>;

/** `select` has an undo, so that a rerun computes again which revisions it replaces: another rollout may have happened meanwhile. */
const table = (engines: RolloutEngines): StepRow<Input, RevisionActivationState, RevisionImpact>[] => [
  { code: 'ValidateService', run: select(engines), undo: deselect(engines) },
  { code: 'StopInstances', when: ({ isDisabled }) => isDisabled, run: disable(engines), undo: enableAgain(engines) },
  ...shiftRows(engines, start(engines)),
];

/** Checks that the revision can be changed. Reruns check again, since much may have happened. */
const possible = async ({ db }: RolloutEngines, { service, input }: Context) => {
  const owner = await requireRow(db, service);
  const row = await db.selectFrom('revision').selectAll().where('id', '=', input.revisionId).executeTakeFirst();
  if (!row || row.deleting_at !== null || row.status === 'DELETED')
    throw new StepFailure('RevisionDoesNotExist', { revision: input.revision });
  if (input.enabled && !owner.active) throw new StepFailure('ServiceInactive', { service: input.service });
  return { enabled: row.enabled, replicas: row.replicas_wanted, isFailed: row.failed_at !== null };
};

const select =
  (engines: RolloutEngines) =>
  async (c: Context): Promise<StepResult<RevisionActivationState>> => {
    const { db } = engines;
    const { service, input, log } = c;
    const { revisionId, revision } = input;
    const was = await possible(engines, c);
    const state = { was, revisionId, revision, ...(await before(db, service, revisionId)) };
    if (!input.enabled) return { state };
    const isRunning = was.enabled && was.replicas > 0 && (state.served ?? []).includes(revision);
    if (isRunning) log(`${revision} serves already`);
    else await wantRevision(db, service, revisionId, { enabled: true });
    return { state: { ...state, isRunning } };
  };
const deselect =
  ({ db }: RolloutEngines) =>
  async ({ service, input, state, ending }: Context): Promise<void> => {
    if (!input.enabled) return;
    const row = await serviceById(db, service.id);
    await wantRevision(db, service, input.revisionId, {
      enabled: row?.serving.includes(input.revision) ?? false,
      ...(ending === 'CANCELED' && state.was?.isFailed ? { isFailed: true } : {}),
    });
  };

const disable =
  ({ db }: RolloutEngines) =>
  async ({ service, input, signal }: Context): Promise<void> => {
    const rest = (await requireRow(db, service)).serving.filter((name) => name !== input.revision);
    await setServing(db, service, rest);
    await waitUntilRouted(db, service, rest, signal);
    await wantRevision(db, service, input.revisionId, { replicas: 0, enabled: false });
    await waitUntilStopped(db, input.revisionId, signal);
  };
const enableAgain =
  (engines: RolloutEngines) =>
  async ({ service, input, state, signal, log }: Context): Promise<void> => {
    const { was, served = [] } = state;
    if (!was) return;
    const { db } = engines;
    await wantRevision(db, service, input.revisionId, { enabled: was.enabled, replicas: was.replicas });
    if (was.replicas > 0) {
      const spec = await revisionSpec(db, input.revisionId);
      await startInstances(engines, { signal, log }, { key: service, id: input.revisionId, spec });
    }
    await setServing(db, service, served);
    await waitUntilRouted(db, service, served, signal);
  };

/** Clears the previous failure. The step's undo sets it again. */
const start = (engines: RolloutEngines) => async (c: ServiceContext<Input, RevisionActivationState>) => {
  await wantRevision(engines.db, c.service, c.input.revisionId, { isFailed: false });
  return startNew(engines)(c);
};

export const revisionActivationPipeline = (engines: RolloutEngines): RevisionActivationPipeline =>
  servicePipeline<Input, RevisionActivationState, RevisionImpact>({
    type: 'RevisionActivation',
    steps: table(engines),
    impactIn: async (c) => ({
      isDisabled: !c.input.enabled,
      rollout: c.input.enabled && !c.state.isRunning ? await rolloutImpactIn(engines)(c) : null,
    }),
  });
