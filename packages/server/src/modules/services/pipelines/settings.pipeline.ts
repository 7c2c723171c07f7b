/** The pipeline that applies settings: by their effects it makes a new revision, scales, tells the edge, starts, stops, or only saves. */
import type { Db } from '#db/database.ts';
import { definePipeline, StepFailure, type PipelineDefinition, type StepContext, type StepResult } from '#modules/pipelines/index.ts';
import { recordOutcome } from '../record-outcome.ts';
import { insertRevision, wantRevision } from './rollout.sql.ts';
import { before, rolloutSteps } from './rollout.steps.ts';
import { serviceRow, type ServiceKey } from '../services.sql.ts';
import {
  firstSteps,
  imageFor,
  lightSteps,
  requireRow,
  selectRevision,
  workIn,
  type SettingsEngines,
  type SettingsInput,
  type SettingsState,
  type SettingsStep,
} from './settings.steps.ts';
import { revisionById } from '../situation.sql.ts';
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
      if (c.input.target) return recreate(engines, c, c.input.target.id);
      const made = await step.run({ ...c, state: { ...c.state, imageTag: tag, digest } });
      return { ...made, state: { ...made?.state, older: withStopped(made?.state?.older ?? [], restarts) } };
    },
  };
};

/** What an activation replaces does not run; it is retired all the same. */
const withStopped = (older: NonNullable<SettingsState['older']>, { id, name }: { id: string; name: string }): SettingsState['older'] =>
  older.some((old) => old.id === id) ? older : [...older, { id, name, replicas: 0 }];

/** A rollback's revision: image, settings and secret versions of the earlier one, together. */
const recreate = async (
  { db }: SettingsEngines,
  c: StepContext<SettingsInput, SettingsState>,
  targetId: string,
): Promise<StepResult<SettingsState>> => {
  const { input, runId, pipelineId, createdBy } = c;
  const target = await revisionById(db, (await requireRow(db, input)).id, targetId);
  if (!target) throw new StepFailure('RevisionDoesNotExist', { revision: input.target?.name ?? '' });
  const { containerImageName } = input.after.spec;
  const revision = await insertRevision(db, input, {
    id: `rev_${runId}`,
    imageTag: target.imageTag,
    imageRepository: target.imageRepository,
    imageDigest: target.imageDigest,
    spec: { ...target.spec, containerImageName },
    versions: target.secretVersions,
    reason: input.reason,
    pipelineId,
    createdBy,
  });
  await c.setFacts({ revision: revision.name });
  c.log(`Revision ${revision.name}, as ${target.name} was`);
  for (const [group, version] of Object.entries(revision.secretVersions)) c.log(`It reads version ${version} of ${group}`);
  return { state: { revisionId: revision.id, revision: revision.name, ...(await before(db, input, revision.id)) } };
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

const settingsPipeline = (engines: SettingsEngines, type: 'UpdateService' | 'Rollback'): SettingsPipeline =>
  definePipeline<SettingsInput, SettingsState>({
    type,
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
    onFinished: recordOutcome(type),
  });

export const updatePipeline = (engines: SettingsEngines): SettingsPipeline => settingsPipeline(engines, 'UpdateService');
export const rollbackPipeline = (engines: SettingsEngines): SettingsPipeline => settingsPipeline(engines, 'Rollback');
