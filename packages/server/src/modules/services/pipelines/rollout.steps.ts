/** The steps of a rollout, the same for a deploy, a push and a quickstart: platform logic over revisions (specification §4). */
import type { Revision } from '@slipway/contract/revision.ts';
import type { ServiceSpec } from '@slipway/contract/service-spec.ts';
import type { Db } from '#db/database.ts';
import { pinSecrets } from '#modules/secret-groups/index.ts';
import { StepFailure, type StepContext, type StepDefinition, type StepResult } from '#modules/pipelines/index.ts';
import type { Registry } from '#ports/registry.ts';
import type { Runtime } from '#ports/runtime.ts';
import { edgeOf, hasTraffic, type EdgeSettings } from '../edge-settings.ts';
import { imageRepositoryOf } from '../image-repository.ts';
import type { OpenSecrets } from '../diagnosis/mask-secrets.ts';
import { insertRevision, olderRevisions, revisionSpec, setServing, wantRevision, type Wanted } from './rollout.sql.ts';
import { serviceRow, type ServiceKey } from '../services.sql.ts';
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
  /** What traffic went to before. */
  readonly served?: readonly string[];
  /** What the edge was told before, and since when the service rested. */
  readonly edge?: EdgeSettings | null;
  readonly scaledDownAt?: string | null;
  /** What served or ran before, with its replicas: RECREATE brings it back when it fails. */
  readonly older?: readonly { id: string; name: string; replicas: number }[];
}
export interface RolloutEngines {
  readonly db: Db;
  readonly registry: Registry;
  readonly runtime: Runtime;
  readonly secrets: OpenSecrets;
  /** How long instances may take to get healthy, beyond what their probes need. */
  readonly patienceSeconds?: number;
}
type Step = StepDefinition<RolloutInput, RolloutState>;

const requireRow = async (db: Db, input: RolloutInput) => {
  const service = await serviceRow(db, input);
  if (!service) throw new StepFailure('ServiceDoesNotExist', { service: input.service });
  return service;
};
const specOf = async (db: Db, input: RolloutInput): Promise<ServiceSpec> => (await requireRow(db, input)).spec as ServiceSpec;
/** How many instances to want; `running`: how many do the work now, which what scales by itself goes on from. */
export const replicasOf = ({ template }: ServiceSpec, running = 0): number => {
  const { scalingType, count, minReplicas, maxReplicas } = template.replicaScaling;
  return scalingType === 'AUTO' ? Math.min(Math.max(count, running, minReplicas), maxReplicas) : count;
};
/** What a new service's image is called, unless its settings say otherwise. */
export const imageRepository = (key: ServiceKey): string => `${key.app}/${key.service}`;

/** An earlier step has put it there; without it the table of steps is wrong. */
const need = <T>(value: T | undefined, name: string): T => {
  if (value === undefined) throw new Error(`The run's state has no ${name}`);
  return value;
};

const validateService = ({ db }: RolloutEngines): Step => ({
  code: 'ValidateService',
  run: async ({ input, log }) => {
    const service = await requireRow(db, input);
    const spec = service.spec as ServiceSpec;
    if (!service.active) throw new StepFailure('ServiceInactive', { service: input.service });
    if (!spec.template.healthCheck.enabled) throw new StepFailure('HealthCheckRequired');
    const pinned = await pinSecrets(db, input, { id: service.id, spec });
    if ('dangling' in pinned) {
      // The log is the team's own; the message is everybody's.
      log(pinned.told, 'ERROR');
      throw new StepFailure(pinned.dangling);
    }
    log(`${replicasOf(spec)} × ${spec.resources.cpuMillicores} m CPU, ${spec.resources.memoryMegabytes} MB, ${spec.rollout.strategy}`);
  },
});

const validateImage = ({ db, registry }: RolloutEngines): Step => ({
  code: 'ValidateContainerImage',
  run: async ({ input, state, log }) => {
    const tag = need(state.imageTag, 'imageTag');
    const repository = imageRepositoryOf(await specOf(db, input));
    const image = await registry.image(repository, tag);
    if (!image) throw new StepFailure('ImageDoesNotExist', { image: `${registry.host}/${repository}:${tag}` });
    log(`${registry.host}/${repository}:${tag} is ${image.digest}`);
    return { state: { digest: image.digest } };
  },
});

const createRevision = ({ db }: RolloutEngines): Step => ({
  code: 'CreateRevision',
  run: async ({ input, state, pipelineId, runId, createdBy, log, setFacts }) => {
    const spec = await specOf(db, input);
    const revision = await insertRevision(db, input, {
      id: `rev_${runId}`,
      imageTag: need(state.imageTag, 'imageTag'),
      imageRepository: imageRepositoryOf(spec),
      imageDigest: need(state.digest, 'digest'),
      spec,
      reason: input.reason,
      pipelineId,
      createdBy,
    });
    await setFacts({ revision: revision.name });
    log(`Revision ${revision.name}`);
    for (const [group, version] of Object.entries(revision.secretVersions)) log(`It reads version ${version} of ${group}`);
    return { state: { revisionId: revision.id, revision: revision.name, ...(await before(db, input, revision.id)) } };
  },
  // The row stays: its events and logs tell why (decisions §11).
  undo: async ({ input, runId, ending }) => wantRevision(db, input, `rev_${runId}`, givenUp(ending)),
});

/** It failed, or somebody changed their mind, which says nothing against it. */
const givenUp = (ending: RolloutContext['ending']): Wanted => ({ replicas: 0, enabled: false, isFailed: ending !== 'CANCELED' });

/** What a rollout onto a revision replaces. */
export const before = async (db: Db, key: ServiceKey, revisionId: string): Promise<RolloutState> => {
  const service = await serviceRow(db, key);
  return {
    older: await olderRevisions(db, key, revisionId),
    served: service?.serving ?? [],
    edge: (service?.edge ?? null) as EdgeSettings | null,
    scaledDownAt: service?.scaled_down_at?.toISOString() ?? null,
  };
};

/** RECREATE alone: what serves stops first, and comes back when the new revision fails. */
const stopOld = (engines: RolloutEngines): Step => ({
  code: 'StopOldRevisions',
  run: async ({ input, state, signal, log }) => {
    const spec = await specOf(engines.db, input);
    if (spec.rollout.strategy !== 'RECREATE' || !state.older?.length) return { skipped: true };
    for (const old of state.older) {
      await wantRevision(engines.db, input, old.id, { replicas: 0 });
      await waitUntilStopped(engines.db, old.id, signal);
      log(`${old.name} stopped`);
    }
    return {};
  },
  undo: async ({ input, state, signal, log }) => {
    const older = (state.older ?? []).filter(({ replicas }) => replicas > 0);
    for (const old of older) {
      await wantRevision(engines.db, input, old.id, { replicas: old.replicas });
      log(`${old.name} wanted again, ${old.replicas} instances`);
    }
    // Only then the rollout is undone; until then the service is away.
    for (const { id, name } of older) {
      await startInstances(engines, { signal, log }, { key: input, id, spec: await revisionSpec(engines.db, id) }).catch(
        (error: unknown) => {
          throw error instanceof StepFailure ? new StepFailure('NotHealthyAgain', { revision: name }, { cause: error }) : error;
        },
      );
    }
  },
});

const startStep = (engines: RolloutEngines): Step => ({
  code: 'StartInstances',
  run: async (c) => {
    const id = need(c.state.revisionId, 'revisionId');
    // The snapshot's: the service's settings may be others by now. How many there are is the service's own business.
    const spec = await revisionSpec(engines.db, id);
    const running = Math.max(0, ...(c.state.older ?? []).map((old) => old.replicas));
    const service = await requireRow(engines.db, c.input);
    // Nothing of it would run: it may have been deactivated since the first step, before a re-run.
    if (!service.active) throw new StepFailure('ServiceInactive', { service: c.input.service });
    const replicas = replicasOf(service.spec as ServiceSpec, running);
    await wantRevision(engines.db, c.input, id, { replicas });
    c.log(`Wanted: ${replicas} × ${need(c.state.revision, 'revision')}`);
    const startedAt = Date.now();
    await startInstances(engines, c, { key: c.input, id, spec });
    return { message: { code: 'ServiceHealthy', context: { duration: `${((Date.now() - startedAt) / 1000).toFixed(1)} s` } } };
  },
  undo: async ({ input, state, signal, ending }) => {
    if (!state.revisionId) return;
    await wantRevision(engines.db, input, state.revisionId, givenUp(ending));
    await waitUntilStopped(engines.db, state.revisionId, signal);
  },
});

/** From here on the new revision serves: there is no way back but a rollback. */
const shiftTraffic = ({ db, runtime }: RolloutEngines): Step => ({
  code: 'ShiftTraffic',
  isPointOfNoReturn: true,
  run: async ({ input, state, signal, log, setFacts }): Promise<StepResult<RolloutState>> => {
    const revision = need(state.revision, 'revision');
    const spec = await specOf(db, input);
    await setServing(db, input, [revision], { edge: edgeOf(spec), scaledDownAt: null });
    await waitUntilRouted(db, input, [revision], signal);
    if (!hasTraffic(spec)) return { message: { code: 'RevisionServes', context: { revision } } };
    const url = runtime.url(input, spec.externalTraffic.basePath);
    await setFacts({ url });
    log(`${url} is served by ${revision}`);
    return { message: { code: 'TrafficShifted', context: { url, revision } } };
  },
  // It failed in the middle: the instances that are stopped next must not be what traffic goes to.
  undo: async ({ input, state, signal }) => {
    const served = state.served ?? [];
    await setServing(db, input, served, { edge: state.edge, scaledDownAt: state.scaledDownAt });
    await waitUntilRouted(db, input, served, signal);
  },
});

const retireOld = ({ db }: RolloutEngines): Step => ({
  code: 'RetireOldRevisions',
  run: async ({ input, state, signal, log }) => {
    const service = await requireRow(db, input);
    // A re-run, after another rollout went through: what serves now is none of this one's business.
    if (!service.serving.includes(need(state.revision, 'revision'))) return { skipped: true };
    // Those that were to be replaced, and whatever else has come to life since: one revision is live, and no second one.
    const live = await olderRevisions(db, input, need(state.revisionId, 'revisionId'));
    const older = [...(state.older ?? []), ...live.filter(({ id }) => !state.older?.some((old) => old.id === id))];
    if (older.length === 0) return { skipped: true };
    const { strategy } = (service.spec as ServiceSpec).rollout;
    for (const old of older) {
      // RED_BLACK keeps it, disabled: going back is re-enabling. The other two delete it (specification §4).
      const isKept = strategy === 'RED_BLACK';
      await wantRevision(db, input, old.id, isKept ? { replicas: 0, enabled: false } : { replicas: 0, enabled: false, isDeleting: true });
      await waitUntilStopped(db, old.id, signal);
      log(isKept ? `${old.name} disabled` : `${old.name} deleted`);
    }
    return {};
  },
});

/** The steps from a known image tag to served traffic. */
export const rolloutSteps = (engines: RolloutEngines): Step[] => [
  validateService(engines),
  validateImage(engines),
  createRevision(engines),
  stopOld(engines),
  startStep(engines),
  shiftTraffic(engines),
  retireOld(engines),
];

export type RolloutContext = StepContext<RolloutInput, RolloutState>;
