/** Activates or deactivates a service: the starting comes first, since it can be cancelled and the stopping cannot. */
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
  /** It was active, and rested for want of requests: what it goes back to when it cannot be woken. */
  readonly rest?: { readonly serving: readonly string[]; readonly since: string };
}
export interface ActivationImpact {
  /** There is a revision to start. */
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

/** It serves, and does not rest for want of requests. */
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
    // A re-run, after another run has started it: were this one undone, it would stop. Tried again it finds what it has started itself.
    if (c.attempt === 1 && isStarted(row)) return { skipped: true };
    // The request has said so already, but a run that failed took it back: this may be a re-run.
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

/** What could not be started is inactive still, or rests. What failed to stop is wanted stopped; what was cancelled had not begun to. */
const finished: NonNullable<PipelineDefinition<ActivationInput, object>['onFinished']> = async (trx, run) => {
  const { active, rest } = run.input;
  const isBack = active ? run.outcome !== 'COMPLETED' && !rest : run.outcome === 'CANCELED';
  // Also where there was nothing to start, and a run before has taken it back.
  const now = isBack ? !active : active && run.outcome === 'COMPLETED' ? true : undefined;
  const id = run.ids['service'] ?? '';
  if (now !== undefined) await trx.updateTable('service').set({ active: now }).where('id', '=', id).execute();
  await recordOutcome('ServiceActivation')(trx, run);
};

export const activationPipeline = (engines: RolloutEngines): ActivationPipeline =>
  servicePipeline({ type: 'ServiceActivation', steps: table(engines), impactIn: impactIn(engines), onFinished: finished });
