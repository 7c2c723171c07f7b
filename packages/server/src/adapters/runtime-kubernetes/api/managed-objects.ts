/**
 * Keeps the objects of one cluster as wanted. Watches tell which objects differ, so an unchanged object costs no call. An object that others
 * changed is put back and reported.
 */
import { mapLimited } from '#kernel/map-limited.ts';
import type { Log } from '#ports/log.ts';
import { digestOf, LABEL } from '../objects/names.ts';
import type { ClusterApi } from './cluster-api.ts';
import { differences } from './covers.ts';
import { isKubeKind, RESOURCES, type KubeKind, type KubeObject } from './kube-object.ts';
import { ObjectWatch } from './object-watch.ts';

/** Watched kinds. Secrets are not among them: a right to list Secrets would cover all Secrets of the cluster. */
const WATCHED = [
  'Namespace',
  'NetworkPolicy',
  'ResourceQuota',
  'LimitRange',
  'ServiceAccount',
  'Service',
  'Deployment',
  'PodDisruptionBudget',
] as const satisfies readonly KubeKind[];
type WatchedKind = (typeof WATCHED)[number];

/** Digest of the wanted object. If it is unchanged and the object differs, somebody else changed the object. */
const DIGEST = 'slipway.dev/digest';

export interface Ensured {
  readonly object: KubeObject;
  /** Paths of values that others had changed and that were put back. `(deleted)` if the whole object was missing. */
  readonly drift: readonly string[];
}
export interface ManagedOptions {
  readonly api: ClusterApi;
  readonly mark: string;
  readonly log: Log;
  readonly onChange: (kind: WatchedKind) => void;
}

const keyOf = ({ kind, metadata }: KubeObject): string => `${kind}/${metadata.namespace ?? ''}/${metadata.name}`;

export class ManagedObjects {
  readonly #api: ClusterApi;
  readonly #watches: ReadonlyMap<string, ObjectWatch>;
  /** Digests of objects that this process applied, to notice deleted ones and Secrets that need no call. */
  readonly #applied = new Map<string, string>();

  constructor({ api, log, mark, onChange }: ManagedOptions) {
    this.#api = api;
    const labelSelector = `${LABEL.platform}=${mark}`;
    this.#watches = new Map(
      WATCHED.map((kind) => [
        kind,
        new ObjectWatch({ api, resource: RESOURCES[kind], labelSelector, log, onChange: () => onChange(kind) }),
      ]),
    );
  }

  async start(): Promise<void> {
    await mapLimited(this.#watches.values(), (watch) => watch.start());
  }
  async stop(): Promise<void> {
    await mapLimited(this.#watches.values(), (watch) => watch.stop());
  }

  get watches(): readonly ObjectWatch[] {
    return [...this.#watches.values()];
  }

  all(kind: WatchedKind): readonly KubeObject[] {
    return this.#watches.get(kind)?.objects ?? [];
  }

  find(kind: WatchedKind, namespace: string, name: string): KubeObject | undefined {
    return this.#watches.get(kind)?.get(namespace, name);
  }

  /** Makes the object as wanted. Makes no call if it is. */
  async ensure(wanted: KubeObject): Promise<Ensured> {
    const digest = digestOf(JSON.stringify(wanted));
    const object = withDigest(wanted, digest);
    const key = keyOf(wanted);
    const watch = this.#watches.get(wanted.kind);
    if (!watch) {
      if (this.#applied.get(key) === digest) return { object, drift: [] };
      const applied = await this.#api.apply(object);
      this.#applied.set(key, digest);
      return { object: applied, drift: [] };
    }
    const live = watch.get(wanted.metadata.namespace ?? '', wanted.metadata.name);
    const found = live && !live.metadata.deletionTimestamp ? differences(live, object) : ['(deleted)'];
    if (live && found.length === 0) {
      this.#applied.set(key, digest);
      return { object: live, drift: [] };
    }
    const isDrift = this.#applied.get(key) === digest || live?.metadata.annotations?.[DIGEST] === digest;
    let applied = await this.#api.apply(object);
    // Lists that others extended keep their elements, unless the object is replaced.
    if (differences(applied, object).length > 0) {
      applied = await this.#api.replace({ ...object, metadata: { ...object.metadata, ...versionOf(applied) } });
    }
    this.#applied.set(key, digest);
    watch.put(applied);
    return { object: applied, drift: isDrift ? found : [] };
  }

  async delete(object: Pick<KubeObject, 'kind' | 'metadata'>): Promise<void> {
    if (!isKubeKind(object.kind)) return;
    await this.#api.delete(object);
    this.forget(object);
  }

  /** Forgets that an object was applied, since the cluster deletes it with its owner or namespace. */
  forget({ kind, metadata }: Pick<KubeObject, 'kind' | 'metadata'>): void {
    this.#applied.delete(`${kind}/${metadata.namespace ?? ''}/${metadata.name}`);
  }

  /** Forgets all objects of a namespace that is going. */
  forgetNamespace(namespace: string): void {
    for (const key of this.#applied.keys()) {
      const [kind, space, name] = key.split('/');
      if (space === namespace || (kind === 'Namespace' && name === namespace)) this.#applied.delete(key);
    }
  }
}

const versionOf = ({ metadata }: KubeObject): { resourceVersion?: string } =>
  metadata.resourceVersion === undefined ? {} : { resourceVersion: metadata.resourceVersion };

const withDigest = (object: KubeObject, digest: string): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [DIGEST]: digest } },
});
