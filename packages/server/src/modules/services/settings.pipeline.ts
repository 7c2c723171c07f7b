/** The pipeline that applies settings: by their effects it makes a new revision, scales, tells the edge, starts, stops, or only saves. */
import type { Db } from '#db/database.ts';
import { definePipeline, type PipelineDefinition } from '#modules/pipelines/index.ts';
import { recordOutcome } from './record-outcome.ts';
import { wantRevision } from './rollout.sql.ts';
import { rolloutSteps } from './rollout.steps.ts';
import { serviceRow, type ServiceKey } from './services.sql.ts';
import {
  firstSteps,
  imageFor,
  lightSteps,
  selectRevision,
  workIn,
  type SettingsEngines,
  type SettingsInput,
  type SettingsState,
  type SettingsStep,
} from './settings.steps.ts';
import { stopAll } from './stop-all.ts';
import { waitUntilStopped } from './wait.ts';

/** A rollout's step by its code; it knows nothing of the rest of the input and state. */
const stepOf = (engines: SettingsEngines, code: string): SettingsStep => {
  const step = rolloutSteps(engines).find((one) => one.code === code);
  if (!step) throw new Error(`A rollout has no step ${code}`);
  return step as unknown as SettingsStep;
};

const createRevision = (engines: SettingsEngines): SettingsStep => {
  const step = stepOf(engines, 'CreateRevision');
  return {
    ...step,
    run: async (c) => {
      const { restarts, starts } = workIn(c.state);
      if (starts) return { skipped: true, state: await selectRevision(engines.db, c.input, starts) };
      if (!restarts) return { skipped: true };
      const { tag, digest } = await imageFor(engines, c.input, restarts.id);
      await c.setFacts({ imageTag: tag });
      return step.run({ ...c, state: { ...c.state, imageTag: tag, digest } });
    },
  };
};

/** Only where instances of a revision start; what has not begun has nothing to take back. */
const whereStarting = (step: SettingsStep): SettingsStep => {
  const isMeant = ({ work }: SettingsState): boolean => Boolean(work?.restarts ?? work?.starts);
  return {
    ...step,
    run: async (c) => (isMeant(c.state) ? step.run(c) : { skipped: true }),
    ...(step.undo && {
      undo: async (c) => {
        if (isMeant(c.state) && c.state.revisionId) await step.undo?.(c);
      },
    }),
  };
};

/** A revision that was there before is not given up when an activation fails: it only stops again. */
const startInstances = (engines: SettingsEngines): SettingsStep => {
  const step = stepOf(engines, 'StartInstances');
  return {
    ...step,
    undo: async (c) => {
      const { starts } = c.state.work ?? {};
      if (!starts) return step.undo?.(c);
      await wantRevision(engines.db, c.input, starts.id, { replicas: 0 });
      await waitUntilStopped(engines.db, starts.id, c.signal);
    },
  };
};

const setInactive = async (db: Db, key: ServiceKey): Promise<void> => {
  const service = await serviceRow(db, key);
  if (service) await db.updateTable('service').set({ active: false }).where('id', '=', service.id).execute();
};
const stopInstances = ({ db }: SettingsEngines): SettingsStep => ({
  code: 'StopInstances',
  isPointOfNoReturn: true,
  run: async ({ input, state, signal, log }) => {
    if (!workIn(state).isStop) return { skipped: true };
    await setInactive(db, input);
    await stopAll(db, input, signal, log);
    return {};
  },
});

export type SettingsPipeline = PipelineDefinition<SettingsInput, SettingsState>;

export const updatePipeline = (engines: SettingsEngines): SettingsPipeline =>
  definePipeline<SettingsInput, SettingsState>({
    type: 'UpdateService',
    steps: [
      ...firstSteps(engines),
      createRevision(engines),
      whereStarting(stepOf(engines, 'StopOldRevisions')),
      whereStarting(startInstances(engines)),
      ...lightSteps(engines),
      whereStarting(stepOf(engines, 'ShiftTraffic')),
      whereStarting(stepOf(engines, 'RetireOldRevisions')),
      stopInstances(engines),
    ],
    onFinished: recordOutcome('UpdateService'),
  });
