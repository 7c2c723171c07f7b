/**
 * The effects of a settings change on the running service. A pure function computes them once, in the request. The plan describes the
 * impact, and the run follows it.
 */
import type { ServiceChange } from '@slipway/contract/pipeline/service-change.ts';
import type { PlanNote } from '@slipway/contract/pipeline/plan.ts';
import { replicasOf } from '@slipway/contract/service/replicas.ts';
import { hasEffect, serviceChanges } from '@slipway/contract/service/settings-diff.ts';
import type { ServiceSettings } from '@slipway/contract/service/service-settings.ts';
import { note } from '#modules/pipelines/index.ts';
import type { RuntimeCapabilities } from '#ports/runtime.ts';
import { hasTraffic } from '../edge-settings.ts';
import type { RolloutImpact } from '../pipelines/rollout.steps.ts';
import { addressNotes, productionNotes, rolloutNotes } from '../rollout-plan.ts';
import type { ServiceKey, ServiceLinks } from '../services.sql.ts';
import { secretNotes } from './plain-variables.ts';
import type { RunnableRevision, ServiceState } from './state.sql.ts';

export interface SettingsImpact {
  /** Revision whose image a new revision reuses. Null if no new revision is needed. */
  readonly restarts: { readonly id: string; readonly name: string } | null;
  /** The existing revision that an activation starts unchanged. */
  readonly starts: { readonly id: string; readonly name: string } | null;
  readonly scales: { readonly id: string; readonly name: string; readonly from: number; readonly to: number } | null;
  /** The edge is updated separately, since no traffic shifts. */
  readonly isEdge: boolean;
  readonly needsCredential: boolean;
  readonly isStop: boolean;
  /** The rollout of the revision that starts. Null if none starts. */
  readonly rollout: RolloutImpact | null;
}

const idOf = (revision: RunnableRevision | undefined) => (revision ? { id: revision.id, name: revision.name } : null);

/** Returns whether a revision made with these settings would differ. */
export const isOutdated = (revision: Pick<RunnableRevision, 'spec'>, wanted: ServiceSettings): boolean =>
  hasEffect(serviceChanges({ ...wanted, spec: revision.spec }, wanted), 'RESTART');

export const impactOf = (before: ServiceSettings, after: ServiceSettings, state: ServiceState): SettingsImpact => {
  const changes = serviceChanges(before, after);
  const { serving, startable, isResting, edge } = state;
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
    needsCredential: needsCredential(after, state),
    isStop: before.active && !after.active,
    rollout: rolloutImpact(after, state, { restarts, starts }),
  };
};

const needsCredential = ({ spec }: ServiceSettings, { hasCredential }: ServiceState): boolean =>
  hasTraffic(spec) && spec.externalTrafficAuthentication === 'BASIC_AUTH' && !hasCredential;

/** Returns the impact of a rollback, which always makes a revision, even without differences. */
export const rollbackImpact = (after: ServiceSettings, state: ServiceState, restarts: { id: string; name: string }): SettingsImpact => ({
  restarts,
  starts: null,
  scales: null,
  isEdge: false,
  needsCredential: needsCredential(after, state),
  isStop: false,
  rollout: rolloutImpact(after, state, { restarts, starts: null }),
});

/** Includes the stopped revision that an activation replaces. */
const replacedIn = ({ restarts }: Pick<SettingsImpact, 'restarts'>, { replaced, startable }: ServiceState): ServiceState['replaced'] =>
  restarts && restarts.id === startable?.id && !replaced.some(({ id }) => id === restarts.id)
    ? [...replaced, { ...restarts, replicas: 0 }]
    : replaced;

const rolloutImpact = (
  { spec }: ServiceSettings,
  state: ServiceState,
  { restarts, starts }: Pick<SettingsImpact, 'restarts' | 'starts'>,
): RolloutImpact | null => {
  if (!restarts && !starts) return null;
  const others = replacedIn({ restarts }, state).filter(({ id }) => id !== starts?.id);
  return { strategy: spec.rollout.strategy, replaces: others.map(({ name }) => name) };
};

interface Described {
  readonly key: ServiceKey;
  readonly links: ServiceLinks;
  readonly before: ServiceSettings;
  readonly after: ServiceSettings;
  readonly changes: readonly ServiceChange[];
  readonly state: ServiceState;
  readonly impact: SettingsImpact;
}

const running = ({ state }: Described): number => state.replaced.reduce((sum, { replicas }) => sum + replicas, 0);

/** Sorted by severity, most severe first. */
export const impactNotes = (about: Described): PlanNote[] => {
  const { impact, after, before, changes, state, key, links } = about;
  const { strategy } = after.spec.rollout;
  const { scalingType, minReplicas, maxReplicas } = after.spec.template.replicaScaling;
  const url = links.url(key, before.spec.externalTraffic.basePath);
  const found: PlanNote[] = [];
  if (impact.isStop) found.push(note('StopsInstances', { count: String(running(about)), url }));
  if (impact.restarts) found.push(...rolloutNotes(strategy, replacedIn(impact, state)));
  const toStart = impact.starts ?? (before.active ? null : impact.restarts);
  if (toStart) found.push(note('StartsInstances', { count: String(replicasOf(after.spec)), revision: toStart.name }));
  if (impact.scales) found.push(note('ScalesInstances', { from: String(impact.scales.from), to: String(impact.scales.to) }));
  if (hasEffect(changes, 'SCALE') && scalingType === 'AUTO')
    found.push(note('ScalesWithCpu', { min: String(minReplicas), max: String(maxReplicas) }));
  found.push(...addressNotes(links, key, before.spec, after.spec));
  if (impact.isEdge && state.serving) found.push(note('ChangesEdge'));
  const isIdle = !state.serving || state.isResting || !before.active;
  if (hasEffect(changes, 'RESTART') && !impact.restarts && isIdle) found.push(note('NothingRuns'));
  // A rollback may change no setting and still replace the running revision.
  if (found.length === 0 && changes.every(({ effect }) => effect === 'POLICY')) found.push(note('AppliesFromNowOn'));
  return found;
};

/** `engine` is undefined if no holder drives the runtime. */
export const impactWarnings = (
  { key, after, changes, impact }: Described,
  engine: Pick<RuntimeCapabilities, 'limits' | 'spot' | 'isNetworkIsolated' | 'lacks'> | undefined,
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
    ...(rollout.strategy === 'RECREATE' && (changed('spec.rollout.strategy') || impact.restarts)
      ? [note('Downtime', {}, 'spec.rollout.strategy')]
      : []),
    ...(changes.some(({ effect }) => effect === 'SCALE') && replicasOf(after.spec) === 1
      ? [note('SingleReplica', {}, `${scaling}.count`)]
      : []),
    ...(engine?.spot === 'none' && changed(spot) && after.spec.spotComputeEnabled
      ? [note('NotOffered', { label: 'Spot compute' }, spot)]
      : []),
    ...(engine?.lacks?.includes('hostPatterns') &&
    outgoingTraffic.type === 'LISTED' &&
    outgoingTraffic.hosts.some((host) => host.startsWith('*'))
      ? [note('NotOffered', { label: 'Outgoing traffic to names like *.example.com' }, 'spec.outgoingTraffic.hosts')]
      : []),
    ...(engine?.lacks?.includes('figures') && template.replicaScaling.scalingType === 'AUTO'
      ? [note('NotOffered', { label: 'Scaling by CPU' }, `${scaling}.scalingType`)]
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
