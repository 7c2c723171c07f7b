/** A pod as the API server describes it, and the instance that the platform sees in it. */
import type { InstanceView, RevisionRef } from '#ports/runtime.ts';
import type { KubeMetadata, KubeObject } from '../api/kube-object.ts';
import { CONTAINER, REGION, REVISION_ID, revisionOf } from '../objects/names.ts';

export interface Terminated {
  readonly exitCode: number;
  readonly signal?: number;
  readonly reason?: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
}
interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly running?: { readonly startedAt: string };
  readonly terminated?: Terminated;
}
export interface ContainerStatus {
  readonly name: string;
  readonly restartCount: number;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
}
interface Condition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
  readonly message?: string;
}
interface Probe {
  readonly failureThreshold?: number;
  readonly timeoutSeconds?: number;
  readonly httpGet?: { readonly path?: string };
  readonly exec?: object;
}
export interface Container {
  readonly name: string;
  readonly ports?: readonly { readonly containerPort: number }[];
  readonly resources?: { readonly limits?: Readonly<Record<string, string>> };
  readonly lifecycle?: { readonly preStop?: { readonly sleep?: { readonly seconds?: number } } };
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
}
export interface Pod {
  readonly metadata: KubeMetadata;
  readonly spec: {
    readonly nodeName?: string;
    readonly terminationGracePeriodSeconds?: number;
    readonly containers: readonly Container[];
  };
  readonly status: {
    readonly phase?: string;
    readonly podIP?: string;
    readonly conditions?: readonly Condition[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
}

/** The watch selects pods by label, so the shape is Kubernetes' own. */
export const asPod = (object: KubeObject): Pod => {
  const { metadata, spec, status } = object as KubeObject & Partial<Pick<Pod, 'spec' | 'status'>>;
  return { metadata, spec: spec ?? { containers: [] }, status: status ?? {} };
};

export const refOfPod = ({ metadata }: Pod): RevisionRef | undefined => revisionOf(metadata);
export const revisionIdOf = ({ metadata }: Pod): string => metadata.annotations?.[REVISION_ID] ?? '';
export const containerOf = ({ spec }: Pod): Container | undefined => spec.containers.find(({ name }) => name === CONTAINER);
export const statusOf = ({ status }: Pod): ContainerStatus | undefined => status.containerStatuses?.find(({ name }) => name === CONTAINER);
export const conditionOf = ({ status }: Pod, type: string): Condition | undefined =>
  status.conditions?.find((condition) => condition.type === type);
export const portOf = (pod: Pod): number | undefined => containerOf(pod)?.ports?.[0]?.containerPort;

export const isReady = (pod: Pod): boolean =>
  pod.metadata.deletionTimestamp === undefined &&
  statusOf(pod)?.state?.running !== undefined &&
  conditionOf(pod, 'Ready')?.status === 'True';

/** Evicted and finished pods stay listed until somebody deletes them. Their ReplicaSet has replaced them. */
export const isOver = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined && (status.phase === 'Failed' || status.phase === 'Succeeded');

/** Reasons for which the kubelet cannot start a container. */
const PULL_FAILURES = new Set(['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'RegistryUnavailable']);
const START_FAILURES = new Set(['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError']);
export const startFailureOf = (pod: Pod): { readonly kind: 'pull' | 'start'; readonly message: string } | undefined => {
  const { reason = '', message } = statusOf(pod)?.state?.waiting ?? {};
  const kind = PULL_FAILURES.has(reason) ? 'pull' : START_FAILURES.has(reason) ? 'start' : undefined;
  return kind && { kind, message: message ?? reason };
};

/** Facts that the pod's status does not hold and that its history does. */
export interface PodNotes {
  /** Whether the present run of the container was ready before. */
  readonly wasReady: boolean;
  /** Reason for which the last run ended, if the platform knows more than the exit code. */
  readonly lastReason: string | undefined;
  /** Failed attempts to pull the image or to start the container. */
  readonly failedStarts: number;
}

const stateOf = (pod: Pod, { wasReady }: PodNotes): InstanceView['state'] => {
  if (pod.metadata.deletionTimestamp !== undefined) return 'STOPPING';
  const state = statusOf(pod)?.state;
  if (state?.terminated || state?.waiting?.reason === 'CrashLoopBackOff' || startFailureOf(pod)) return 'CRASHED';
  if (!state?.running) return 'STARTING';
  if (isReady(pod)) return 'READY';
  const { lastTransitionTime, status } = conditionOf(pod, 'Ready') ?? {};
  // After a takeover the history is empty, but the condition tells that readiness was lost after the start.
  const hasLost = status === 'False' && lastTransitionTime !== undefined && lastTransitionTime > state.running.startedAt;
  return wasReady || hasLost ? 'UNHEALTHY' : 'STARTING';
};

const SIGNALS: Readonly<Record<number, string>> = { 6: 'SIGABRT', 9: 'SIGKILL', 11: 'SIGSEGV', 15: 'SIGTERM' };
/** A container reports a signal as exit code 128 plus its number. */
export const exitOf = ({ exitCode, signal }: Terminated): { code: number | null; signal: string | null } => {
  const name = SIGNALS[signal ?? exitCode - 128];
  return name === undefined ? { code: exitCode, signal: null } : { code: null, signal: name };
};

export const lastTerminated = (pod: Pod): Terminated | undefined => {
  const { lastState, state } = statusOf(pod) ?? {};
  return state?.terminated ?? lastState?.terminated;
};

const lastExitOf = (pod: Pod, { lastReason }: PodNotes): InstanceView['lastExit'] => {
  const last = lastTerminated(pod);
  if (!last) return undefined;
  const reason = last.reason === 'OOMKilled' ? 'OOMKilled' : (lastReason ?? 'Exited');
  return { ...exitOf(last), reason, at: new Date(last.finishedAt ?? Date.now()) };
};

/** Undefined for a pod without the labels of a revision. */
export function viewOf(pod: Pod, notes: PodNotes): InstanceView | undefined {
  const ref = refOfPod(pod);
  if (!ref) return undefined;
  const { metadata, spec } = pod;
  const region = metadata.annotations?.[REGION];
  const node = spec.nodeName ?? 'unscheduled';
  return {
    ...ref,
    id: metadata.name,
    revisionId: revisionIdOf(pod),
    state: stateOf(pod, notes),
    since: sinceOf(pod),
    restarts: Math.max(statusOf(pod)?.restartCount ?? 0, notes.failedStarts - 1),
    node: region === undefined ? node : `${node} (${region})`,
    port: statusOf(pod)?.state?.running ? portOf(pod) : undefined,
    lastExit: lastExitOf(pod, notes),
  };
}

const sinceOf = (pod: Pod): Date => {
  const asked = stoppedAt(pod);
  if (asked) return asked;
  const state = statusOf(pod)?.state;
  const times = [
    pod.metadata.creationTimestamp,
    state?.running?.startedAt,
    state?.terminated?.finishedAt,
    conditionOf(pod, 'Ready')?.lastTransitionTime,
  ];
  return new Date(
    times
      .filter((time) => time !== undefined)
      .toSorted()
      .at(-1) ?? 0,
  );
};

/** Returns when the pod was asked to stop. Its deletion time is the end of the grace period. */
export const stoppedAt = ({ metadata }: Pod): Date | undefined =>
  metadata.deletionTimestamp === undefined
    ? undefined
    : new Date(Date.parse(metadata.deletionTimestamp) - (metadata.deletionGracePeriodSeconds ?? 0) * 1000);
