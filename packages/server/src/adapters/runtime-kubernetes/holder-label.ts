/**
 * Marks the pod of the replica that drives the runtime. Only that replica's edge listens, so the edge's Service selects pods by this label
 * and no request reaches a replica without an edge.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '#ports/log.ts';
import type { ClusterApi } from './api/cluster-api.ts';
import { pathOf, RESOURCES, type KubeMetadata } from './api/kube-object.ts';

export const HOLDER_LABEL = 'slipway.dev/edge';
const HOLDER = 'open';
/** The recommended label that tells releases of the chart apart. */
const INSTANCE = 'app.kubernetes.io/instance';
const RETRY_MS = 1000;

export class HolderLabel {
  readonly #pods: string;
  readonly #path: string;
  readonly #open: () => Promise<ClusterApi>;
  readonly #log: Log;
  readonly #retryMs: number;
  #wanted: boolean | undefined;
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
    this.#wanted = isHolder;
    this.#writing = this.#writing.then(() => this.#write(isHolder));
  }

  /** Resolves when the last call took effect or its first attempt failed, so that a server that ends does not wait for the API server. */
  async end(): Promise<void> {
    this.#wanted = undefined;
    await this.#writing;
  }

  /** Only one replica drives the runtime. Others that have the label were on a node that was lost, or were killed. */
  async #removeOthers(api: ClusterApi, { labels = {}, name: own }: KubeMetadata): Promise<void> {
    const instance = labels[INSTANCE];
    if (instance === undefined) return;
    const answer = await api.get(this.#pods, { labelSelector: `${HOLDER_LABEL}=${HOLDER},${INSTANCE}=${instance}` });
    const { items } = answer as { readonly items: readonly { readonly metadata: KubeMetadata }[] };
    for (const { metadata } of items)
      if (metadata.name !== own) await api.label(`${this.#pods}/${metadata.name}`, { [HOLDER_LABEL]: null });
  }

  async #write(isHolder: boolean): Promise<void> {
    for (let isFirst = true; ; isFirst = false) {
      try {
        const api = await this.#open();
        const { metadata } = await api.label(this.#path, { [HOLDER_LABEL]: isHolder ? HOLDER : null });
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
