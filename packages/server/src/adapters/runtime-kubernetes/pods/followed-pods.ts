/** All pods of the platform in one cluster: their history, their logs, and which of them may receive requests. */
import { mapLimited } from '#kernel/map-limited.ts';
import type { Log } from '#ports/log.ts';
import type { InstanceEvent, InstanceView, RevisionRef, ServiceRef } from '#ports/runtime.ts';
import type { ClusterApi } from '../api/cluster-api.ts';
import { RESOURCES, type KubeObject } from '../api/kube-object.ts';
import { ObjectWatch } from '../api/object-watch.ts';
import { LABEL } from '../objects/names.ts';
import { PodLog } from './pod-logs.ts';
import { PodLife } from './pod-life.ts';
import { asPod, isOver, isReady, portOf, refOfPod, revisionIdOf, viewOf, type Pod } from './pod.ts';
import { probeFailureOf } from './probe-failure.ts';

export interface FollowedPodsOptions {
  readonly api: ClusterApi;
  readonly mark: string;
  readonly dataDir: string;
  readonly log: Log;
  readonly sameFailureMs: number;
  readonly emit: (event: InstanceEvent) => void;
  readonly onPods: (service: ServiceRef) => void;
}
export interface PodContact {
  readonly id: string;
  readonly address: string;
  readonly port: number;
}
interface Followed {
  readonly ref: RevisionRef;
  readonly life: PodLife;
  /** Undefined if another replica copies the pod's log. */
  readonly log: PodLog | undefined;
}

export class FollowedPods {
  readonly #options: FollowedPodsOptions;
  readonly #pods: ObjectWatch;
  readonly #events: ObjectWatch;
  readonly #followed = new Map<string, Followed>();
  readonly #ending = new Set<Promise<void>>();
  /** False while the first list is read: those pods existed before. */
  #isStarted = false;
  /** True once another replica may copy logs. */
  #isStandingDown = false;

  constructor(options: FollowedPodsOptions) {
    this.#options = options;
    const { api, log, mark } = options;
    const labelSelector = `${LABEL.platform}=${mark}`;
    this.#pods = new ObjectWatch({
      api,
      resource: RESOURCES.Pod,
      labelSelector,
      log,
      onChange: (object, former) => this.#changed(object, former),
    });
    // Events carry no labels of their pods.
    const fieldSelector = 'involvedObject.kind=Pod,reason=Unhealthy';
    this.#events = new ObjectWatch({
      api,
      resource: RESOURCES.Event,
      fieldSelector,
      // Those of all pods of the cluster.
      isSlim: true,
      log,
      onChange: (object) => object && this.#heard(object),
    });
  }

  async start(): Promise<void> {
    await this.#pods.start();
    this.#isStarted = true;
    await this.#events.start();
  }

  async stop(): Promise<void> {
    await this.#pods.stop();
    await this.standDown();
    this.#followed.clear();
  }

  /** Stops copying logs and reading events, because another replica does so next. Keeps following which pods are ready. */
  async standDown(): Promise<void> {
    this.#isStandingDown = true;
    await this.#events.stop();
    await mapLimited(this.#followed.values(), async ({ log }) => log?.stop());
    // oxlint-disable-next-line slipway/fan-out -- waits for work that is under way, and starts none
    await Promise.all(this.#ending);
  }

  get watches(): readonly ObjectWatch[] {
    return [this.#pods, this.#events];
  }

  views(): readonly InstanceView[] {
    return [...this.#followed.values()].flatMap(({ life }) => (isOver(life.pod) ? [] : (viewOf(life.pod, life.notes) ?? [])));
  }

  of(ref: RevisionRef): readonly Pod[] {
    return [...this.#followed.values()].filter((one) => isSameRevision(one.ref, ref) && !isOver(one.life.pod)).map(({ life }) => life.pod);
  }

  isIn(namespace: string): boolean {
    return [...this.#followed.values()].some(({ life }) => life.pod.metadata.namespace === namespace);
  }

  /** Returns the ready pods of these revisions, or of all revisions if undefined. */
  ready(service: ServiceRef, revisions?: readonly string[]): readonly PodContact[] {
    return [...this.#followed.values()]
      .filter(({ life, ref }) => isSameService(ref, service) && (revisions?.includes(ref.revision) ?? true) && isReady(life.pod))
      .flatMap(({ life }) => contactOf(life.pod) ?? []);
  }

  /** Undefined if the pod is not ready. */
  contact(id: string): PodContact | undefined {
    const found = [...this.#followed.values()].find(({ life }) => life.pod.metadata.name === id && isReady(life.pod));
    return found && contactOf(found.life.pod);
  }

  #changed(object: KubeObject | undefined, former: KubeObject | undefined): void {
    const uid = (object ?? former)?.metadata.uid ?? '';
    // A pod of a StatefulSet-like controller may take a name over. Its uid tells them apart.
    if (object && former && former.metadata.uid !== object.metadata.uid) this.#gone(former.metadata.uid ?? '', former);
    if (!object) return former && this.#gone(uid, former);
    const pod = asPod(object);
    const ref = refOfPod(pod);
    if (!ref) return;
    const known = this.#followed.get(uid);
    if (known) {
      known.life.update(pod);
      known.log?.update(pod);
    } else this.#follow(uid, pod, ref);
    this.#options.onPods(ref);
  }

  #follow(uid: string, pod: Pod, ref: RevisionRef): void {
    const { api, dataDir, emit, log, sameFailureMs } = this.#options;
    const facts = { ...ref, revisionId: revisionIdOf(pod), instance: pod.metadata.name };
    const life = new PodLife(pod, !this.#isStarted, {
      sameFailureMs,
      emit: (type, event) => emit({ ...facts, at: new Date(), type, ...event }),
    });
    this.#followed.set(uid, { ref, life, log: this.#isStandingDown ? undefined : new PodLog(pod, ref, { api, dataDir, log }) });
  }

  #gone(uid: string, last: KubeObject): void {
    const followed = this.#followed.get(uid);
    if (!followed) return;
    this.#followed.delete(uid);
    followed.life.gone(asPod(last));
    if (followed.log) {
      const ending: Promise<void> = followed.log.gone().finally(() => this.#ending.delete(ending));
      this.#ending.add(ending);
    }
    this.#options.onPods(followed.ref);
  }

  #heard(event: KubeObject): void {
    // Events of before are known to the former holder.
    if (!this.#isStarted) return;
    const { involvedObject, message } = event as KubeObject & { involvedObject?: { uid?: string }; message?: string };
    const followed = this.#followed.get(involvedObject?.uid ?? '');
    const failed = followed && probeFailureOf(message ?? '', followed.life.pod);
    if (failed) followed.life.probeFailed(failed);
  }
}

const contactOf = (pod: Pod): PodContact | undefined => {
  const port = portOf(pod);
  const address = pod.status.podIP;
  return port === undefined || address === undefined ? undefined : { id: pod.metadata.name, address, port };
};
const isSameService = (left: ServiceRef, right: ServiceRef): boolean =>
  left.app === right.app && left.environment === right.environment && left.service === right.service;
const isSameRevision = (left: RevisionRef, right: RevisionRef): boolean => isSameService(left, right) && left.revision === right.revision;
