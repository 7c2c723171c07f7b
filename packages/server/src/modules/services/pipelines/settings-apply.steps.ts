/** Later steps of a settings change: new revision, number of instances, edge, and stopping all instances. */
import type { StepResult } from '#modules/pipelines/index.ts';
import { applyEdge, edgeOf, hasTraffic } from '../edge-settings.ts';
import type { RunnableRevision } from '../settings/state.sql.ts';
import { insertRevision, wantRevision } from './rollout.sql.ts';
import { before, createRevision, startNew, stopNew } from './rollout.steps.ts';
import type { ServiceContext } from './service-pipeline.ts';
import {
  imageFor,
  impactIn,
  requireAddress,
  requireTarget,
  type SettingsEngines,
  type SettingsInput,
  type SettingsState,
} from './settings.steps.ts';
import { startInstances } from './start-instances.ts';
import { stopAll, waitUntilRouted, waitUntilStopped } from './wait.ts';

type Context = ServiceContext<SettingsInput, SettingsState>;
type Result = Promise<StepResult<SettingsState>>;

export const makeRevision =
  (engines: SettingsEngines) =>
  async (c: Context): Result => {
    if (c.input.target) return recreate(engines, c, await requireTarget(engines.db, c, c.input.target));
    const { restarts } = await impactIn(engines)(c);
    const { tag, digest } = await imageFor(engines, c);
    await c.setFacts({ imageTag: tag });
    const { state } = await createRevision(engines, { imageTag: tag, digest })(c);
    const older = state?.older ?? [];
    // The revision that an activation replaces does not run, but must be retired, too.
    const isListed = !restarts || older.some(({ id }) => id === restarts.id);
    return { state: { ...state, older: isListed ? older : [...older, { ...restarts, replicas: 0 }] } };
  };

/** Makes a rollback's revision with the image, settings and secret versions of the earlier revision. */
const recreate = async ({ db }: SettingsEngines, c: Context, target: RunnableRevision): Result => {
  const { input, service, runId, pipelineId, createdBy } = c;
  await c.setFacts({ imageTag: target.imageTag });
  const revision = await insertRevision(db, service, {
    id: `rev_${runId}`,
    imageTag: target.imageTag,
    imageRepository: target.imageRepository,
    imageDigest: target.imageDigest,
    spec: { ...target.spec, containerImageName: input.after.spec.containerImageName },
    versions: target.secretVersions,
    reason: input.reason,
    pipelineId,
    createdBy,
  });
  await c.setFacts({ revision: revision.name });
  c.log(`Revision ${revision.name}, as ${target.name} was`);
  for (const [group, version] of Object.entries(revision.secretVersions)) c.log(`It reads version ${version} of ${group}`);
  return { state: { revisionId: revision.id, revision: revision.name, ...(await before(db, service, revision.id)) } };
};

export const startRevision = (engines: SettingsEngines) => (c: Context) => startNew(engines)(c);
/** If an activation fails, an existing revision is only stopped, not given up. */
export const stopRevision =
  (engines: SettingsEngines) =>
  async (c: Context): Promise<void> => {
    const { starts } = await impactIn(engines)(c);
    if (!starts) return stopNew(engines)(c);
    await wantRevision(engines.db, c.service, starts.id, { replicas: 0 });
    await waitUntilStopped(engines.db, starts.id, c.signal);
  };

export const scaleInstances =
  (engines: SettingsEngines) =>
  async (c: Context): Result => {
    const { scales } = await impactIn(engines)(c);
    if (!scales) return { skipped: true };
    await wantRevision(engines.db, c.service, scales.id, { replicas: scales.to });
    c.log(`Wanted: ${scales.to} × ${scales.name}`);
    await startInstances(engines, c, { key: c.service, id: scales.id, spec: c.input.after.spec });
    return { message: { code: 'InstancesScaled', context: { from: String(scales.from), to: String(scales.to) } } };
  };
export const scaleBack =
  ({ db }: SettingsEngines) =>
  async ({ service, state }: Context): Promise<void> => {
    const { scales } = state.impact ?? {};
    if (scales) await wantRevision(db, service, scales.id, { replicas: scales.from });
  };

export const configureEdge =
  ({ db, runtime }: SettingsEngines) =>
  async (c: Context): Result => {
    const { input, service, signal, log, setFacts } = c;
    const { spec } = input.after;
    await requireAddress({ db, runtime }, c);
    await waitUntilRouted(db, service, await applyEdge(db, service, edgeOf(spec)), signal);
    if (!hasTraffic(spec)) return { message: { code: 'EdgeClosed', context: {} } };
    const url = runtime.url(service, spec.externalTraffic.basePath);
    await setFacts({ url });
    log(`${url} answers with the new settings`);
    return { message: { code: 'EdgeConfigured', context: { url } } };
  };
export const restoreEdge =
  ({ db }: SettingsEngines) =>
  async ({ service, state, signal }: Context): Promise<void> => {
    if (!state.impact?.isEdge || state.edgeBefore === undefined) return;
    await waitUntilRouted(db, service, await applyEdge(db, service, state.edgeBefore), signal);
  };

export const stopService =
  ({ db }: SettingsEngines) =>
  async ({ service, signal, log }: Context): Promise<void> => {
    await db.updateTable('service').set({ active: false }).where('id', '=', service.id).execute();
    await stopAll(db, service, signal, log);
  };
