/** Activates or deactivates a service: the starting comes first, since it can be cancelled and the stopping cannot. */
import { definePipeline, type PipelineDefinition, type StepDefinition } from '#modules/pipelines/index.ts';
import { edgeOf } from '../edge-settings.ts';
import { recordOutcome } from '../record-outcome.ts';
import { setActive, setServing, wantRevision } from './rollout.sql.ts';
import { replicasOf, type RolloutEngines } from './rollout.steps.ts';
import { settingsOf, type SettingsRow } from '../settings/settings.sql.ts';
import { serviceRow, type ServiceKey } from '../services.sql.ts';
import { startInstances } from './start-instances.ts';
import { retireStopped, startAgain } from './start-again.ts';
import { stopAll } from './stop-all.ts';
import { waitUntilRouted } from './wait.ts';

export interface ActivationInput extends ServiceKey {
  readonly active: boolean;
  /** It was active, and rested for want of requests: what it goes back to when it cannot be woken. */
  readonly rest?: { readonly serving: readonly string[]; readonly since: string };
}
type Step = StepDefinition<ActivationInput, object>;

/** It serves, and does not rest for want of requests. */
export const isStarted = ({
  active,
  serving,
  scaled_down_at: restsSince,
}: Pick<SettingsRow, 'active' | 'serving' | 'scaled_down_at'>): boolean => active && serving.length > 0 && restsSince === null;

const start = (engines: RolloutEngines): Step => ({
  code: 'StartInstances',
  run: async (c) => {
    const { db } = engines;
    const before = await serviceRow(db, c.input);
    // A re-run, after another run has started it: were this one undone, it would stop. Tried again it finds what it has started itself.
    if (c.attempt === 1 && before && c.input.active && isStarted(before)) return { skipped: true };
    // The request has said so already, but a run that failed took it back: this may be a re-run.
    await setActive(db, c.input, c.input.active);
    const service = c.input.active ? await serviceRow(db, c.input) : undefined;
    const revision = service && (await startAgain(engines, c, service));
    if (!revision) return { skipped: true };
    const { spec } = settingsOf(service);
    await wantRevision(db, c.input, revision.id, { replicas: replicasOf(spec, revision.replicas), enabled: true });
    await startInstances(engines, c, { key: c.input, id: revision.id, spec: revision.spec });
    await setServing(db, c.input, [revision.name], { edge: edgeOf(spec), scaledDownAt: null });
    await waitUntilRouted(db, c.input, [revision.name], c.signal);
    await retireStopped(db, c, service);
    return {};
  },
  undo: async ({ input, runId, signal, log }) => {
    if (!input.active) return;
    await wantRevision(engines.db, input, `rev_${runId}`, { replicas: 0, enabled: false, isFailed: true });
    await stopAll(engines.db, input, signal, log);
    if (input.rest) await setServing(engines.db, input, input.rest.serving, { scaledDownAt: input.rest.since });
  },
});

const stop = ({ db }: RolloutEngines): Step => ({
  code: 'StopInstances',
  isPointOfNoReturn: true,
  run: async ({ input, signal, log }) => {
    if (input.active) return { skipped: true };
    await setActive(db, input, false);
    await stopAll(db, input, signal, log);
    return {};
  },
});

export const activationPipeline = (engines: RolloutEngines): PipelineDefinition<ActivationInput, object> =>
  definePipeline<ActivationInput, object>({
    type: 'ServiceActivation',
    steps: [start(engines), stop(engines)],
    onFinished: async (trx, run) => {
      const { active, rest } = run.input;
      // What could not be started is inactive still, or rests. What failed to stop is wanted stopped; what was cancelled had not begun to.
      const isBack = active ? run.outcome !== 'COMPLETED' && !rest : run.outcome === 'CANCELED';
      const service = await serviceRow(trx, run.input);
      if (service && isBack) await trx.updateTable('service').set({ active: !active }).where('id', '=', service.id).execute();
      await recordOutcome('ServiceActivation')(trx, run);
    },
  });
