/** Run and undo functions of the rollout steps, shared by deploy, push and quickstart (specification §4). */
import { replicasOf } from '@slipway/contract/service/replicas.ts';
import type { Revision } from '@slipway/contract/service/revision.ts';
import type { EdgeSettings, RolloutStrategy, ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { Db } from '#db/database.ts';
import { pinSecrets } from '#modules/secret-groups/index.ts';
import { StepFailure, type StepContext, type StepResult } from '#modules/pipelines/index.ts';
import type { Registry } from '#ports/registry.ts';
import type { Runtime } from '#ports/runtime.ts';
import { requireAllowed } from './allowed-image.ts';
import { edgeOf, hasTraffic } from '../edge-settings.ts';
import { imageRepositoryOf } from '../image-repository.ts';
import type { OpenSecrets } from '../diagnosis/mask-secrets.ts';
import { insertRevision, olderRevisions, revisionSpec, setServing, wantRevision, type Wanted } from './rollout.sql.ts';
import { requireRow, type ServiceContext, type StepRow } from './service-pipeline.ts';
import { serviceById, type ServiceKey, type ServiceRef } from '../services.sql.ts';
import { startInstances } from './start-instances.ts';
import { waitUntilRouted, waitUntilStopped } from './wait.ts';

export interface RolloutInput extends ServiceKey {
  readonly reason: Revision['reason'];
}
export interface RolloutState {
  readonly imageTag?: string;
  readonly digest?: string;
  readonly revisionId?: string;
  readonly revision?: string;
  /** Revisions that received traffic before. */
  readonly served?: readonly string[];
  /** Edge settings before the rollout, and the time of scaling to zero. */
  readonly edge?: EdgeSettings | null;
  readonly scaledDownAt?: string | null;
  /** Revisions that served or ran before, with their replicas. RECREATE restores them on failure. */
  readonly older?: readonly { id: string; name: string; replicas: number }[];
}
export interface RolloutEngines {
  readonly db: Db;
  readonly registry: Registry;
  readonly runtime: Runtime;
  readonly secrets: OpenSecrets;
  /** Seconds that instances may need to become healthy, in addition to their probes' delays. */
  readonly patienceSeconds?: number;
}
/** Effects of a rollout beyond starting and serving instances. */
export interface RolloutImpact {
  readonly strategy: RolloutStrategy;
  /** Names of the revisions that the rollout replaces. */
  readonly replaces: readonly string[];
}
type Context = ServiceContext<RolloutInput, RolloutState>;

/**
 * Steps from an image to served traffic. `image` finds an image that no step has built. A rollout that replaces nothing skips stop and
 * retire.
 */
export const rolloutRows = <I extends RolloutInput = RolloutInput>(
  engines: RolloutEngines,
  image: StepRow<I, RolloutState, RolloutImpact>['run'] = findImage(engines, builtImage),
): StepRow<I, RolloutState, RolloutImpact>[] => [
  { code: 'ValidateService', run: validateService(engines) },
  { code: 'ValidateContainerImage', run: image },
  { code: 'CreateRevision', run: createRevision(engines), undo: giveRevisionUp(engines) },
  { code: 'StopOldRevisions', when: stopsOld, run: stopOld(engines), undo: startOldAgain(engines) },
  { code: 'StartInstances', run: startNew(engines), undo: stopNew(engines) },
  { code: 'ShiftTraffic', run: shiftTraffic(engines), undo: shiftBack(engines), isPointOfNoReturn: true },
  { code: 'RetireOldRevisions', when: retiresOld, run: retireOld(engines) },
];

/** Rows from the old revisions to the new one, for pipelines of which only some runs roll out. */
export const shiftRows = <I extends RolloutInput>(
  engines: RolloutEngines,
  start: StepRow<I, RolloutState, MayRollOut>['run'] = startNew(engines),
): StepRow<I, RolloutState, MayRollOut>[] => [
  { code: 'StopOldRevisions', when: ifRollout(stopsOld), run: stopOld(engines), undo: startOldAgain(engines) },
  { code: 'StartInstances', when: rollsOut, run: start, undo: stopNew(engines) },
  { code: 'ShiftTraffic', when: rollsOut, run: shiftTraffic(engines), undo: shiftBack(engines), isPointOfNoReturn: true },
  { code: 'RetireOldRevisions', when: ifRollout(retiresOld), run: retireOld(engines) },
];
interface MayRollOut {
  /** Null if the run does not roll out. */
  readonly rollout: RolloutImpact | null;
}
export const rollsOut = ({ rollout }: MayRollOut): boolean => rollout !== null;
const ifRollout =
  (holds: (impact: RolloutImpact) => boolean) =>
  ({ rollout }: MayRollOut): boolean =>
    rollout !== null && holds(rollout);

export const stopsOld = ({ strategy, replaces }: RolloutImpact): boolean => strategy === 'RECREATE' && replaces.length > 0;
export const retiresOld = ({ replaces }: RolloutImpact): boolean => replaces.length > 0;

/** Returns the revisions to replace, plus any that started since: only one revision may be live. */
const replacedNow = async (db: Db, { service, state }: Context) => {
  const live = state.revisionId === undefined ? [] : await olderRevisions(db, service.id, state.revisionId);
  return [...(state.older ?? []), ...live.filter(({ id }) => !state.older?.some((old) => old.id === id))];
};
export const rolloutImpactIn =
  ({ db }: Pick<RolloutEngines, 'db'>) =>
  async (c: Context): Promise<RolloutImpact> => {
    const { spec } = await requireRow(db, c.service);
    return { strategy: spec.rollout.strategy, replaces: (await replacedNow(db, c)).map(({ name }) => name) };
  };

const specOf = async (db: Db, { service }: Context): Promise<ServiceSpec> => (await requireRow(db, service)).spec;

/** Returns state that an earlier step must have set. Throws if the step table is wrong. */
const need = <T>(value: T | undefined, name: string): T => {
  if (value === undefined) throw new Error(`The run's state has no ${name}`);
  return value;
};

/** Fails the step if secrets are missing. Only the team reads the log; the message is visible to everyone, so it names no group. */
export const requireSecrets = async (
  db: Db,
  service: ServiceRef,
  spec: ServiceSpec,
  log: (line: string, level: 'ERROR') => void,
): Promise<void> => {
  const pinned = await pinSecrets(db, service, { id: service.id, spec });
  if (!('dangling' in pinned)) return;
  log(pinned.reported, 'ERROR');
  throw new StepFailure(pinned.dangling);
};

export const validateService =
  ({ db }: RolloutEngines) =>
  async ({ service, log }: Context): Promise<void> => {
    const row = await requireRow(db, service);
    const spec = row.spec;
    if (!row.active) throw new StepFailure('ServiceInactive', { service: service.service });
    if (!spec.template.healthCheck.enabled) throw new StepFailure('HealthCheckRequired');
    await requireSecrets(db, service, spec, log);
    log(`${replicasOf(spec)} × ${spec.resources.cpuMillicores} m CPU, ${spec.resources.memoryMegabytes} MB, ${spec.rollout.strategy}`);
  };

interface ChosenImage {
  readonly tag: string;
  /** Redeploys the running image, even if the tag has moved. */
  readonly digest?: string | undefined;
}
/** Returns the image that an earlier step built. */
export const builtImage = ({ state }: Context): ChosenImage => ({ tag: need(state.imageTag, 'imageTag') });

export const findImage =
  <I extends RolloutInput>({ db, registry }: RolloutEngines, imageOf: (c: ServiceContext<I, RolloutState>) => ChosenImage) =>
  async (c: ServiceContext<I, RolloutState>): Promise<StepResult<RolloutState>> => {
    const { tag, digest = tag } = imageOf(c);
    const repository = imageRepositoryOf(await specOf(db, c));
    const image = await registry.image(repository, digest);
    const name = `${registry.host}/${repository}:${digest}`;
    if (!image) throw new StepFailure('ImageDoesNotExist', { image: name });
    c.log(`${name} is ${image.digest}`);
    await requireAllowed(registry, c, { repository, digest: image.digest, image: name });
    return { state: { imageTag: tag, digest: image.digest } };
  };

export const createRevision =
  ({ db }: RolloutEngines, image?: Pick<RolloutState, 'imageTag' | 'digest'>) =>
  async (c: Context): Promise<StepResult<RolloutState>> => {
    const { service, runId, log } = c;
    const { imageTag, digest } = image ?? c.state;
    const spec = await specOf(db, c);
    const revision = await insertRevision(db, service, {
      id: `rev_${runId}`,
      imageTag: need(imageTag, 'imageTag'),
      imageRepository: imageRepositoryOf(spec),
      imageDigest: need(digest, 'digest'),
      spec,
      reason: c.input.reason,
      pipelineId: c.pipelineId,
      createdBy: c.createdBy,
    });
    await c.setFacts({ revision: revision.name });
    log(`Revision ${revision.name}`);
    for (const [group, version] of Object.entries(revision.secretVersions)) log(`It reads version ${version} of ${group}`);
    return { state: { revisionId: revision.id, revision: revision.name, ...(await before(db, service, revision.id)) } };
  };

/** Gives up the revision but keeps its row, whose events and logs explain the failure (decisions §11). */
export const giveRevisionUp =
  ({ db }: RolloutEngines) =>
  ({ service, runId, ending }: Context): Promise<void> =>
    wantRevision(db, service, `rev_${runId}`, givenUp(ending));

/** A cancelled revision is not marked as failed. */
const givenUp = (ending: StepContext<object, object>['ending']): Wanted => ({
  replicas: 0,
  enabled: false,
  isFailed: ending !== 'CANCELED',
});

/** Returns what a rollout onto a revision replaces. */
export const before = async (db: Db, { id }: ServiceRef, revisionId: string): Promise<RolloutState> => {
  const row = await serviceById(db, id);
  return {
    older: await olderRevisions(db, id, revisionId),
    served: row?.serving ?? [],
    edge: row?.edge ?? null,
    scaledDownAt: row?.scaled_down_at?.toISOString() ?? null,
  };
};

/** Only for RECREATE: stops the serving revisions first. The undo restarts them if the new revision fails. */
export const stopOld =
  ({ db }: RolloutEngines) =>
  async ({ service, state, signal, log }: Context): Promise<void> => {
    for (const old of state.older ?? []) {
      await wantRevision(db, service, old.id, { replicas: 0 });
      await waitUntilStopped(db, old.id, signal);
      log(`${old.name} stopped`);
    }
  };
export const startOldAgain =
  (engines: RolloutEngines) =>
  async ({ service, state, signal, log }: Context): Promise<void> => {
    const older = (state.older ?? []).filter(({ replicas }) => replicas > 0);
    for (const old of older) {
      await wantRevision(engines.db, service, old.id, { replicas: old.replicas });
      log(`${old.name} wanted again, ${old.replicas} instances`);
    }
    // The undo is complete only when the old revisions are healthy. Until then the service is down.
    for (const { id, name } of older) {
      await startInstances(engines, { signal, log }, { key: service, id, spec: await revisionSpec(engines.db, id) }).catch(
        (error: unknown) => {
          throw error instanceof StepFailure ? new StepFailure('NotHealthyAgain', { revision: name }, { cause: error }) : error;
        },
      );
    }
  };

export const startNew =
  (engines: RolloutEngines) =>
  async (c: Context): Promise<StepResult<RolloutState>> => {
    const { service, state } = c;
    const id = need(state.revisionId, 'revisionId');
    // Health checks use the revision's snapshot, since the settings may have changed. The number of replicas uses the current settings.
    const spec = await revisionSpec(engines.db, id);
    const running = Math.max(0, ...(state.older ?? []).map((old) => old.replicas));
    const row = await requireRow(engines.db, service);
    // An inactive service would run nothing. It may have been deactivated before this rerun.
    if (!row.active) throw new StepFailure('ServiceInactive', { service: service.service });
    const replicas = replicasOf(row.spec, running);
    await wantRevision(engines.db, service, id, { replicas });
    c.log(`Wanted: ${replicas} × ${need(state.revision, 'revision')}`);
    const startedAt = Date.now();
    await startInstances(engines, c, { key: service, id, spec });
    return { message: { code: 'ServiceHealthy', context: { duration: `${((Date.now() - startedAt) / 1000).toFixed(1)} s` } } };
  };
export const stopNew =
  ({ db }: RolloutEngines) =>
  async ({ service, state, signal, ending, log }: Context): Promise<void> => {
    if (!state.revisionId) return;
    await wantRevision(db, service, state.revisionId, givenUp(ending));
    await waitUntilStopped(db, state.revisionId, signal);
    log(`${state.revision ?? 'The revision'} stopped`);
  };

/** Shifts traffic to the new revision. This is the point of no return; afterwards only a rollback goes back. */
export const shiftTraffic =
  ({ db, runtime }: RolloutEngines) =>
  async (c: Context): Promise<StepResult<RolloutState>> => {
    const { service, state, signal, log, setFacts } = c;
    const revision = need(state.revision, 'revision');
    const spec = await specOf(db, c);
    await setServing(db, service, [revision], { edge: edgeOf(spec), scaledDownAt: null });
    await waitUntilRouted(db, service, [revision], signal);
    if (!hasTraffic(spec)) return { message: { code: 'RevisionServes', context: { revision } } };
    const url = runtime.url(service, spec.externalTraffic.basePath);
    await setFacts({ url });
    log(`${url} is served by ${revision}`);
    return { message: { code: 'TrafficShifted', context: { url, revision } } };
  };
/** Undoes a partly completed shift, so that traffic does not go to instances that are stopped next. */
export const shiftBack =
  ({ db }: RolloutEngines) =>
  async ({ service, state, signal }: Context): Promise<void> => {
    const { served } = state;
    // The shift had not begun.
    if (!served) return;
    await setServing(db, service, served, { edge: state.edge, scaledDownAt: state.scaledDownAt });
    await waitUntilRouted(db, service, served, signal);
  };

export const retireOld =
  ({ db }: RolloutEngines) =>
  async (c: Context): Promise<StepResult<RolloutState>> => {
    const { service, state, signal, log } = c;
    const row = await requireRow(db, service);
    // A rerun after another rollout must not touch the revision that serves now.
    if (!row.serving.includes(need(state.revision, 'revision'))) return { skipped: true };
    const { strategy } = row.spec.rollout;
    for (const old of await replacedNow(db, c)) {
      // RED_BLACK keeps the old revision, disabled, so that it can be re-enabled. The other strategies delete it (specification §4).
      const isKept = strategy === 'RED_BLACK';
      await wantRevision(db, service, old.id, isKept ? { replicas: 0, enabled: false } : { replicas: 0, enabled: false, isDeleting: true });
      await waitUntilStopped(db, old.id, signal);
      log(isKept ? `${old.name} disabled` : `${old.name} deleted`);
    }
    return {};
  };
