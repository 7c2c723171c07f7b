/** Activates or deactivates a service. Starting comes before stopping, because only starting can be cancelled. */
import { replicasOf } from '@slipway/contract/service/replicas.ts';
import type { PipelineDefinition, StepResult } from '#modules/pipelines/index.ts';
import { edgeOf } from '../edge-settings.ts';
import { setActive, setServing, wantRevision } from './rollout.sql.ts';
import type { RolloutEngines } from './rollout.steps.ts';
import { recordOutcome, requireRow, servicePipeline, type ServiceContext, type ServicePipeline, type StepRow } from './service-pipeline.ts';
import { settingsOf, type SettingsRow } from '../settings/settings.sql.ts';
import type { ServiceKey } from '../services.sql.ts';
import { startInstances } from './start-instances.ts';
import { retireStopped, revisionToStart, startAgain } from './start-again.ts';
import { stopAll, waitUntilRouted } from './wait.ts';

export interface ActivationInput extends ServiceKey {
  readonly active: boolean;
  /** Set if the service was active but scaled to zero: the state to restore if the start fails. */
  readonly rest?: { readonly serving: readonly string[]; readonly since: string };
}
export interface ActivationImpact {
  /** A revision can be started. */
  readonly isStart: boolean;
  readonly isStop: boolean;
}
export type ActivationPipeline = ServicePipeline<ActivationInput, object, ActivationImpact>;
type Context = ServiceContext<ActivationInput, object>;

const table = (engines: RolloutEngines): StepRow<ActivationInput, object, ActivationImpact>[] => [
  { code: 'StartInstances', when: ({ isStart }) => isStart, run: start(engines), undo: stopAgain(engines) },
  { code: 'StopInstances', when: ({ isStop }) => isStop, run: stop(engines), isPointOfNoReturn: true },
];

const impactIn =
  ({ db }: RolloutEngines) =>
  async ({ service, input }: Context): Promise<ActivationImpact> => {
    const row = await requireRow(db, service);
    return { isStart: input.active && (await revisionToStart(db, service, row)) !== undefined, isStop: !input.active };
  };

/** Returns whether the service serves and is not scaled to zero. */
export const isStarted = ({
  active,
  serving,
  scaled_down_at: restsSince,
}: Pick<SettingsRow, 'active' | 'serving' | 'scaled_down_at'>): boolean => active && serving.length > 0 && restsSince === null;

const start =
  (engines: RolloutEngines) =>
  async (c: Context): Promise<StepResult<object>> => {
    const { db } = engines;
    const row = await requireRow(db, c.service);
    // Skips a rerun after another run's start, because an undo would stop the service. On a retry, the step itself may have started it.
    if (c.attempt === 1 && isStarted(row)) return { skipped: true };
    // The request already set this, but a failed run may have reset it before this rerun.
    await setActive(db, c.service, true);
    const revision = await startAgain(engines, c, row);
    if (!revision) return { skipped: true };
    const { spec } = settingsOf(row);
    await wantRevision(db, c.service, revision.id, { replicas: replicasOf(spec, revision.replicas), enabled: true });
    await startInstances(engines, c, { key: c.service, id: revision.id, spec: revision.spec });
    await setServing(db, c.service, [revision.name], { edge: edgeOf(spec), scaledDownAt: null });
    await waitUntilRouted(db, c.service, [revision.name], c.signal);
    await retireStopped(db, c, row);
    return {};
  };
const stopAgain =
  ({ db }: RolloutEngines) =>
  async ({ service, input, runId, signal, log }: Context): Promise<void> => {
    await wantRevision(db, service, `rev_${runId}`, { replicas: 0, enabled: false, isFailed: true });
    await stopAll(db, service, signal, log);
    if (input.rest) await setServing(db, service, input.rest.serving, { scaledDownAt: input.rest.since });
  };

const stop =
  ({ db }: RolloutEngines) =>
  async ({ service, signal, log }: Context): Promise<void> => {
    await setActive(db, service, false);
    await stopAll(db, service, signal, log);
  };

/** Restores `active`: after a failed start the service is inactive or scaled to zero. Only a cancelled stop keeps it active. */
const finished: NonNullable<PipelineDefinition<ActivationInput, object>['onFinished']> = async (trx, run) => {
  const { active, rest } = run.input;
  const isBack = active ? run.outcome !== 'COMPLETED' && !rest : run.outcome === 'CANCELED';
  // Sets `active` even if there was nothing to start, because an earlier run may have reset it.
  const now = isBack ? !active : active && run.outcome === 'COMPLETED' ? true : undefined;
  const id = run.ids['service'] ?? '';
  if (now !== undefined) await trx.updateTable('service').set({ active: now }).where('id', '=', id).execute();
  await recordOutcome('ServiceActivation')(trx, run);
};

export const activationPipeline = (engines: RolloutEngines): ActivationPipeline =>
  servicePipeline({ type: 'ServiceActivation', steps: table(engines), impactIn: impactIn(engines), onFinished: finished });
