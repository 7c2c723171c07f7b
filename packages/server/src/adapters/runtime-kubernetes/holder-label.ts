/**
 * Marks the pod of the replica that drives the runtime, once its edge knows all routes. The edge's Service selects pods by this label. A
 * replica that stops keeps the label, and its edge serves, until the next holder takes the label over.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '#ports/log.ts';
import type { ClusterApi } from './api/cluster-api.ts';
import { pathOf, RESOURCES, type KubeMetadata } from './api/kube-object.ts';

export const HOLDER_LABEL = 'slipway.dev/edge';
const HOLDER = 'open';
/** The recommended label that tells releases of the chart apart. */
const INSTANCE = 'app.kubernetes.io/instance';
const COMPONENT = 'app.kubernetes.io/component';
const RETRY_MS = 1000;
const LOOK_MS = 250;

export class HolderLabel {
  readonly #pods: string;
  readonly #path: string;
  readonly #open: () => Promise<ClusterApi>;
  readonly #log: Log;
  readonly #retryMs: number;
  #wanted: boolean | undefined;
  #isResting = false;
  /** The own pod when it was last labeled. */
  #own: KubeMetadata | undefined;
  /** Requests run one after the other, so that the last one decides. */
  #writing: Promise<void> = Promise.resolve();

  /** `pod` is `namespace/name`. `open` connects with the pod's own account. */
  constructor(pod: string, open: () => Promise<ClusterApi>, log: Log, retryMs = RETRY_MS) {
    const [namespace = '', name = ''] = pod.split('/');
    this.#pods = pathOf(RESOURCES.Pod, namespace);
    this.#path = `${this.#pods}/${name}`;
    this.#open = open;
    this.#log = log;
    this.#retryMs = retryMs;
  }

  /** Sets or removes the label in the background. While the API server is away, tries again until the next call. */
  show(isHolder: boolean): void {
    this.#isResting = false;
    this.#wanted = isHolder;
    this.#writing = this.#writing.then(() => this.#write(isHolder));
  }

  /**
   * Resolves when the next holder has taken the label over. Also resolves if no other replica can become the holder, or after
   * `patienceMs`. Rejects if `signal` aborts.
   */
  async takenOver(patienceMs: number, signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + patienceMs;
    await this.end();
    while (performance.now() < deadline && (await this.#isAwaited())) await delay(Math.min(LOOK_MS, this.#retryMs), undefined, { signal });
  }

  /** Returns whether this pod has the label, and another replica that is not stopping may take it over. */
  async #isAwaited(): Promise<boolean> {
    const { labels = {}, name: own } = this.#own ?? { name: '' };
    const instance = labels[INSTANCE];
    if (instance === undefined || labels[HOLDER_LABEL] !== HOLDER) return false;
    try {
      const pods = await this.#list(await this.#open(), `${INSTANCE}=${instance}`);
      const isHolder = pods.some((pod) => pod.name === own && pod.labels?.[HOLDER_LABEL] === HOLDER);
      const isReplica = (pod: KubeMetadata): boolean => pod.labels?.[COMPONENT] === labels[COMPONENT];
      return isHolder && pods.some((pod) => pod.name !== own && isReplica(pod) && pod.deletionTimestamp === undefined);
    } catch {
      // While the API server is away, nobody can take the label over either.
      return true;
    }
  }

  async #list(api: ClusterApi, labelSelector: string): Promise<readonly KubeMetadata[]> {
    const { items } = (await api.get(this.#pods, { labelSelector })) as { readonly items: readonly { readonly metadata: KubeMetadata }[] };
    return items.map(({ metadata }) => metadata);
  }

  /** Keeps the label as it is: a write in progress neither tries again nor removes further labels. */
  rest(): void {
    this.#isResting = true;
    this.#wanted = undefined;
  }

  /** Resolves when the last call took effect or its first attempt failed, so that a server that ends does not wait for the API server. */
  async end(): Promise<void> {
    this.#wanted = undefined;
    await this.#writing;
  }

  /** Only one replica drives the runtime. Others that have the label are stopping, or were killed or lost with their node. */
  async #removeOthers(api: ClusterApi, { labels = {}, name: own }: KubeMetadata): Promise<void> {
    const instance = labels[INSTANCE];
    if (instance === undefined) return;
    for (const { name } of await this.#list(api, `${HOLDER_LABEL}=${HOLDER},${INSTANCE}=${instance}`))
      if (name !== own && !this.#isResting) await api.label(`${this.#pods}/${name}`, { [HOLDER_LABEL]: null });
  }

  async #write(isHolder: boolean): Promise<void> {
    for (let isFirst = true; ; isFirst = false) {
      try {
        const api = await this.#open();
        const { metadata } = await api.label(this.#path, { [HOLDER_LABEL]: isHolder ? HOLDER : null });
        this.#own = metadata;
        return isHolder ? await this.#removeOthers(api, metadata) : undefined;
      } catch (error) {
        if (isFirst) this.#log.warn({ err: error }, 'The label of this replica’s pod could not be changed; the edge’s Service follows it');
        if (this.#wanted !== isHolder) return;
        await delay(this.#retryMs);
        if (this.#wanted !== isHolder) return;
      }
    }
  }
}
