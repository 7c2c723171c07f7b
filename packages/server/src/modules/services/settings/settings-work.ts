/**
 * What a change of settings does to what runs: worked out by one pure function, for the plan that people see and for the pipeline that
 * does it.
 */
import type { PlanNote } from '@slipway/contract/plan.ts';
import { looksLikeSecret } from '@slipway/contract/secret-look.ts';
import { hasEffect, serviceChanges, type ServiceChange } from '@slipway/contract/service-changes.ts';
import type { ServiceSettings } from '@slipway/contract/service-settings.ts';
import type { RuntimeCapabilities } from '#ports/runtime.ts';
import { hasTraffic, type EdgeSettings } from '../edge-settings.ts';
import { note } from '../plan.ts';
import { addressNotes, productionNotes, rolloutNotes, rolloutStepCodes } from '../rollout-plan.ts';
import { replicasOf } from '../pipelines/rollout.steps.ts';
import type { RunnableRevision } from '../situation.sql.ts';
import type { ServiceKey, ServiceLinks } from '../services.sql.ts';

export interface Situation {
  /** What the edge was told last. */
  readonly edge: EdgeSettings;
  readonly hasCredential: boolean;
  /** Rests for want of requests. */
  readonly isResting: boolean;
  readonly serving: RunnableRevision | undefined;
  /** What an activation would start, its settings without what its secrets added. */
  readonly startable: RunnableRevision | undefined;
  readonly replaced: readonly { readonly id: string; readonly name: string; readonly replicas: number }[];
}
export interface SettingsWork {
  /** A new revision, with the image of this one. */
  readonly restarts: { readonly id: string; readonly name: string } | null;
  /** An activation alone: the revision that starts as it is. */
  readonly starts: { readonly id: string; readonly name: string } | null;
  readonly scales: { readonly id: string; readonly name: string; readonly from: number; readonly to: number } | null;
  /** The edge is told on its own, since no traffic shifts. */
  readonly isEdge: boolean;
  readonly needsCredential: boolean;
  readonly isStop: boolean;
}

const idOf = (revision: RunnableRevision | undefined) => (revision ? { id: revision.id, name: revision.name } : null);

/** Whether the revision would be another one if it were made of these settings. */
export const isOutdated = (revision: Pick<RunnableRevision, 'spec'>, wanted: ServiceSettings): boolean =>
  hasEffect(serviceChanges({ ...wanted, spec: revision.spec }, wanted), 'RESTART');

export const workOf = (before: ServiceSettings, after: ServiceSettings, situation: Situation): SettingsWork => {
  const changes = serviceChanges(before, after);
  const { serving, startable, isResting, edge } = situation;
  const isStart = after.active && !before.active;
  const runs = before.active && after.active && !isResting ? serving : undefined;
  const started = isStart ? startable : undefined;
  const isNew = (runs && hasEffect(changes, 'RESTART')) || (started && isOutdated(started, after));
  const restarts = isNew ? idOf(runs ?? started) : null;
  const starts = restarts ? null : idOf(started);
  const to = runs ? replicasOf(after.spec, runs.replicas) : 0;
  const scales = runs && !restarts && to !== runs.replicas && hasEffect(changes, 'SCALE');
  const isEdgeNew =
    hasEffect(serviceChanges({ ...after, spec: { ...after.spec, ...edge } }, after), 'EDGE') || edge.exposedPort !== after.spec.exposedPort;
  return {
    restarts,
    starts,
    scales: scales ? { id: runs.id, name: runs.name, from: runs.replicas, to } : null,
    isEdge: isEdgeNew && !restarts && !starts,
    needsCredential: needsCredential(after, situation),
    isStop: before.active && !after.active,
  };
};

const needsCredential = ({ spec }: ServiceSettings, { hasCredential }: Situation): boolean =>
  hasTraffic(spec) && spec.externalTrafficAuthentication === 'BASIC_AUTH' && !hasCredential;

/** A rollback always makes a revision, whatever differs. */
export const rollbackWork = (after: ServiceSettings, situation: Situation, restarts: { id: string; name: string }): SettingsWork => ({
  restarts,
  starts: null,
  scales: null,
  isEdge: false,
  needsCredential: needsCredential(after, situation),
  isStop: false,
});

/** Also what an activation replaces, which does not run. */
const replacedIn = ({ restarts }: SettingsWork, { replaced, startable }: Situation): Situation['replaced'] =>
  restarts && restarts.id === startable?.id && !replaced.some(({ id }) => id === restarts.id)
    ? [...replaced, { ...restarts, replicas: 0 }]
    : replaced;

export const workSteps = (work: SettingsWork, { spec }: ServiceSettings, situation: Situation): string[] => {
  const rollout = work.restarts ?? work.starts;
  const replaced = replacedIn(work, situation);
  const others = replaced.filter(({ id }) => id !== work.starts?.id);
  return [
    'ValidateService',
    ...(work.restarts ? ['ValidateContainerImage'] : []),
    ...(work.needsCredential ? ['ConfigureCredentials'] : []),
    'UpdateService',
    ...(work.restarts ? ['CreateRevision'] : []),
    ...(rollout
      ? rolloutStepCodes(spec.rollout.strategy, others).filter((code) => !['ShiftTraffic', 'RetireOldRevisions'].includes(code))
      : []),
    ...(work.scales ? ['ScaleInstances'] : []),
    ...(work.isEdge ? ['ConfigureExternalTraffic'] : []),
    ...(rollout ? ['ShiftTraffic', ...(others.length > 0 ? ['RetireOldRevisions'] : [])] : []),
    ...(work.isStop ? ['StopInstances'] : []),
  ];
};

interface Described {
  readonly key: ServiceKey;
  readonly links: ServiceLinks;
  readonly before: ServiceSettings;
  readonly after: ServiceSettings;
  readonly changes: readonly ServiceChange[];
  readonly situation: Situation;
  readonly work: SettingsWork;
}

const running = ({ situation }: Described): number => situation.replaced.reduce((sum, { replicas }) => sum + replicas, 0);

/** The gravest first. */
export const workNotes = (about: Described): PlanNote[] => {
  const { work, after, before, changes, situation, key, links } = about;
  const { strategy } = after.spec.rollout;
  const { scalingType, minReplicas, maxReplicas } = after.spec.template.replicaScaling;
  const url = links.url(key, before.spec.externalTraffic.basePath);
  const found: PlanNote[] = [];
  if (work.isStop) found.push(note('StopsInstances', { count: String(running(about)), url }));
  if (work.restarts) found.push(...rolloutNotes(strategy, replacedIn(work, situation)));
  const toStart = work.starts ?? (before.active ? null : work.restarts);
  if (toStart) found.push(note('StartsInstances', { count: String(replicasOf(after.spec)), revision: toStart.name }));
  if (work.scales) found.push(note('ScalesInstances', { from: String(work.scales.from), to: String(work.scales.to) }));
  if (hasEffect(changes, 'SCALE') && scalingType === 'AUTO')
    found.push(note('ScalesWithCpu', { min: String(minReplicas), max: String(maxReplicas) }));
  found.push(...addressNotes(links, key, before.spec, after.spec));
  if (work.isEdge && situation.serving) found.push(note('ChangesEdge'));
  const isIdle = !situation.serving || situation.isResting || !before.active;
  if (hasEffect(changes, 'RESTART') && !work.restarts && isIdle) found.push(note('NothingRuns'));
  // A rollback may change no setting and yet replace what runs.
  if (found.length === 0 && changes.every(({ effect }) => effect === 'POLICY')) found.push(note('AppliesFromNowOn'));
  return found;
};

const envPath = 'spec.template.envVars.';
const secretNotes = (changes: readonly ServiceChange[]): PlanNote[] =>
  changes.flatMap(({ path, after }) => {
    const value = (after as { value?: unknown } | null)?.value;
    if (!path.startsWith(envPath) || typeof value !== 'string') return [];
    const name = path.slice(envPath.length);
    const look = looksLikeSecret(name, value);
    return look ? [note('LooksLikeSecret', { name, kind: look.kind }, path)] : [];
  });

/** `engine`: undefined where nobody drives the runtime. */
export const workWarnings = (
  { key, after, changes, work }: Described,
  engine: Pick<RuntimeCapabilities, 'limits' | 'spot' | 'isNetworkIsolated'> | undefined,
): PlanNote[] => {
  const changed = (path: string) => changes.some((change) => change.path === path);
  const { externalTrafficAuthentication: authentication, outgoingTraffic, template, rollout } = after.spec;
  const auth = 'spec.externalTrafficAuthentication';
  const spot = 'spec.spotComputeEnabled';
  const isOpened = changed(auth) || changed('spec.externalTraffic.type');
  const outgoing = 'spec.outgoingTraffic.type';
  const scaling = 'spec.template.replicaScaling';
  const resources = ['spec.resources.cpuMillicores', 'spec.resources.memoryMegabytes'].filter(changed);
  return [
    ...secretNotes(changes),
    ...(template.healthCheck.enabled ? [] : [note('NoHealthCheck', {}, 'spec.template.healthCheck.enabled')]),
    ...(isOpened && hasTraffic(after.spec) && authentication === 'BASIC_AUTH' ? [note('BasicAuthWeak', {}, auth)] : []),
    ...(isOpened && hasTraffic(after.spec) && authentication === 'NO_AUTH' ? [note('NoAuthOpen', {}, auth)] : []),
    ...(changed(outgoing) && outgoingTraffic.type === 'ANY' ? [note('OutgoingAny', {}, outgoing)] : []),
    ...(changed(outgoing) && outgoingTraffic.type !== 'ANY' && engine?.isNetworkIsolated === false
      ? [note('OutgoingNotRestricted', {}, outgoing)]
      : []),
    ...(rollout.strategy === 'RECREATE' && (changed('spec.rollout.strategy') || work.restarts)
      ? [note('Downtime', {}, 'spec.rollout.strategy')]
      : []),
    ...(changes.some(({ effect }) => effect === 'SCALE') && replicasOf(after.spec) === 1
      ? [note('SingleReplica', {}, `${scaling}.count`)]
      : []),
    ...(engine?.spot === 'none' && changed(spot) && after.spec.spotComputeEnabled
      ? [note('NotOffered', { label: 'Spot compute' }, spot)]
      : []),
    ...(engine?.limits === 'observed' && resources.length > 0
      ? [
          note(
            'NotEnforced',
            {
              label: changes
                .filter(({ path }) => resources.includes(path))
                .map(({ label }) => label)
                .join(', '),
            },
            resources[0],
          ),
        ]
      : []),
    ...productionNotes(key),
  ];
};
