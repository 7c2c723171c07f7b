/** One cluster, which runs the services of one or more regions: their objects, pods, logs and figures. */
import { lookup } from 'node:dns/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { instanceEvent, type InstanceEventFacts } from '@slipway/contract/service/instance-event.ts';
import { eachByItself } from '#kernel/rows/unreadable.ts';
import type { Findings } from '#ports/engine-probe.ts';
import { isPortFailure, PortFailure } from '#ports/failure.ts';
import type { Log } from '#ports/log.ts';
import type {
  InstanceEvent,
  InstanceEventType,
  InstanceStats,
  InstanceView,
  RevisionRef,
  RevisionSpec,
  ServiceRef,
} from '#ports/runtime.ts';
import { ClusterApi, type ClusterSource } from './api/cluster-api.ts';
import { openCluster, probeCluster } from './api/probe-cluster.ts';
import type { KubeObject } from './api/kube-object.ts';
import { ManagedObjects } from './api/managed-objects.ts';
import { egressRules, type Resolve } from './objects/egress.ts';
import { environmentObjects, type EnvironmentRef, type EnvironmentSettings } from './objects/environment-objects.ts';
import { LABEL, namespaceOf, REVISION_ID, revisionOf, serviceOf } from './objects/names.ts';
import { hasPort, replicasOf, secretsOf } from './objects/deployment-facts.ts';
import { ownedBy, revisionObjects, type RevisionSettings } from './objects/revision-objects.ts';
import { accountName, clusterService, serviceAccount } from './objects/service-objects.ts';
import { FollowedPods, type PodContact } from './pods/followed-pods.ts';
import { readPodMetrics } from './pods/pod-metrics.ts';

export interface ClusterSettings extends Omit<EnvironmentSettings, 'pull'>, Omit<RevisionSettings, 'hasPullSecret'> {
  /** Hosts of private networks that services may list. */
  readonly egressInside: readonly string[];
  /** Returns the credential with which nodes pull the images of an app. */
  readonly pullAccess: (app: string) => { readonly username: string; readonly password: string };
}
export interface ClusterTimings {
  /** How long a start must keep failing before it is reported. */
  readonly sameFailureMs: number;
  /** How long a namespace stays without services before it is deleted. */
  readonly emptyNamespaceMs: number;
  /** How long the API server may be away before the cluster counts as unavailable. */
  readonly awayMs: number;
}
export interface ClusterOptions {
  /** Shown in messages, such as the region. */
  readonly name: string;
  readonly source: ClusterSource;
  readonly settings: ClusterSettings;
  readonly dataDir: string;
  readonly log: Log;
  readonly timings: ClusterTimings;
  readonly emit: (event: InstanceEvent) => void;
  /** Called when the ready pods of a service may have changed. */
  readonly onPods: (service: ServiceRef) => void;
}

const POLL_MS = 100;
const DELETE_MS = 15 * 60_000;

const resolveHost: Resolve = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);

export class Cluster {
  readonly #options: ClusterOptions;
  #api: ClusterApi | undefined;
  #objects: ManagedObjects | undefined;
  #pods: FollowedPods | undefined;
  /** Revisions that this process ensured, by namespace and name. */
  readonly #ensured = new Set<string>();
  /** Serializes work that creates or removes shared objects of a namespace. */
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #emptySince = new Map<string, number>();
  /** Since when the API server has not answered. */
  #silent: { readonly error: Error; readonly sinceMs: number } | undefined;

  constructor(options: ClusterOptions) {
    this.#options = options;
  }

  /** Connects and reads what the cluster runs. Returns whether it runs instances of this platform already. */
  async start(): Promise<boolean> {
    await this.stop();
    const { dataDir, emit, log, onPods, settings, source, timings } = this.#options;
    const api = await ClusterApi.open(source);
    this.#api = api;
    this.#objects = new ManagedObjects({ api, mark: settings.mark, log, onChange: () => {} });
    this.#pods = new FollowedPods({ api, mark: settings.mark, dataDir, log, sameFailureMs: timings.sameFailureMs, emit, onPods });
    try {
      await this.#objects.start();
      await this.#pods.start();
    } catch (error) {
      await this.stop();
      throw this.#named(error);
    }
    return this.#pods.views().length > 0;
  }

  /** Ends the watches. Everything in the cluster runs on. */
  async stop(): Promise<void> {
    await this.#objects?.stop();
    await this.#pods?.stop();
    this.#objects = undefined;
    this.#pods = undefined;
    this.#api = undefined;
    this.#ensured.clear();
    this.#silent = undefined;
  }

  /** Ends everything that the next holder of the runtime does. Keeps following which pods are ready, for an edge that still serves. */
  async standDown(): Promise<void> {
    const objects = this.#objects;
    this.#objects = undefined;
    await objects?.stop();
    await this.#pods?.standDown();
  }

  async ensureRevision(spec: RevisionSpec): Promise<void> {
    if (spec.replicas === 0) return this.#remove(spec);
    const former = this.#deploymentOf(spec);
    if (former && former.metadata.annotations?.[REVISION_ID] !== spec.id) await this.deleteRevision(spec);
    const key = keyOf(spec);
    this.#ensured.add(key);
    const drift = await this.#inTurn(namespaceOf(spec), () => this.#apply(spec));
    if (former) this.#tellScaled(spec, former);
    if (drift.length > 0) this.#tell(spec, 'warning', instanceEvent('ChangedOutside', { fields: drift.join(', ') }));
  }

  async deleteRevision(ref: RevisionRef): Promise<void> {
    await this.#remove(ref);
    const deadline = performance.now() + DELETE_MS;
    while (this.#running.pods.of(ref).length > 0) {
      if (performance.now() > deadline) throw new PortFailure('unavailable', `The pods of ${ref.revision} do not end.`);
      this.#mustAnswer();
      await delay(POLL_MS);
    }
  }

  /** Whether the cluster runs the revision or a part of it. */
  has(ref: RevisionRef): boolean {
    return this.#deploymentOf(ref) !== undefined || (this.#pods?.of(ref).length ?? 0) > 0;
  }

  /** Points the service's address inside the cluster to a revision, or removes the address. */
  async setService(service: ServiceRef, revision: string | undefined): Promise<void> {
    const { objects } = this.#running;
    const namespace = namespaceOf(service);
    const current = objects.find('Service', namespace, service.service);
    await this.#inTurn(namespace, async () => {
      const deployment = revision === undefined ? undefined : objects.find('Deployment', namespace, revision);
      if (revision !== undefined && deployment && hasPort(deployment))
        await objects.ensure(clusterService(this.#options.settings.mark, service, revision));
      else if (current && revision === undefined) await objects.delete(current);
    });
  }

  views(): readonly InstanceView[] {
    this.#mustAnswer();
    return this.#running.pods.views();
  }

  /** Returns the ready pods of these revisions, or of all revisions if undefined. */
  ready(service: ServiceRef, revisions?: readonly string[]): readonly PodContact[] {
    return this.#pods?.ready(service, revisions) ?? [];
  }

  /** Whether all pods of a revision have ended or are being deleted. */
  isEnded(ref: RevisionRef): boolean {
    return (this.#pods?.of(ref) ?? []).every(({ metadata }) => metadata.deletionTimestamp !== undefined);
  }

  contact(id: string): PodContact | undefined {
    return this.#pods?.contact(id);
  }

  /** Undefined if the cluster has no metrics API. */
  async stats(): Promise<readonly InstanceStats[] | undefined> {
    const { api } = this.#running;
    const labelSelector = `${LABEL.platform}=${this.#options.settings.mark}`;
    try {
      return readPodMetrics(await api.get('/apis/metrics.k8s.io/v1beta1/pods', { labelSelector }));
    } catch (error) {
      if (isPortFailure(error, 'notFound') || isPortFailure(error, 'unavailable')) return undefined;
      throw error;
    }
  }

  /** Every replica can ask, also one that does not drive the runtime. */
  async probe(findings: Findings): Promise<string | undefined> {
    const api = this.#api ?? (await openCluster(this.#options.source, findings));
    return api && probeCluster(api, findings);
  }

  async ping(): Promise<void> {
    const { api } = this.#running;
    try {
      await api.ping();
      this.#silent = undefined;
    } catch (error) {
      this.#silent ??= { error: error instanceof Error ? error : new Error(String(error)), sinceMs: performance.now() };
    }
  }

  /**
   * Puts addresses of services back that others changed, and removes leftovers: addresses of services without a route, Deployments that
   * nobody wants and that run nothing, and namespaces without services. `routed` contains the services with a route by key.
   */
  async sweep(routed: ReadonlyMap<string, { readonly service: ServiceRef; readonly revision: string | undefined }>): Promise<void> {
    const { objects, pods } = this.#running;
    this.#mustAnswer();
    await eachByItself(routed.values(), async ({ service, revision }) => {
      if (revision !== undefined) await this.setService(service, revision);
    });
    await eachByItself(objects.all('Service'), async (object) => {
      const service = serviceOf(object.metadata);
      if (service && !routed.has(serviceKeyOf(service))) await objects.delete(object);
    });
    await eachByItself(objects.all('Deployment'), async (object) => {
      const ref = revisionOf(object.metadata);
      if (ref && !this.#ensured.has(keyOf(ref)) && pods.of(ref).length === 0) await this.#remove(ref);
    });
    for (const { metadata } of objects.all('Namespace')) {
      if (!this.#isEmpty(metadata.name)) this.#emptySince.delete(metadata.name);
      else if (!this.#emptySince.has(metadata.name)) this.#emptySince.set(metadata.name, performance.now());
    }
    for (const [namespace, sinceMs] of this.#emptySince)
      if (performance.now() - sinceMs >= this.#options.timings.emptyNamespaceMs) await this.#removeNamespace(namespace);
  }

  get #running(): { api: ClusterApi; objects: ManagedObjects; pods: FollowedPods } {
    const [api, objects, pods] = [this.#api, this.#objects, this.#pods];
    if (!api || !objects || !pods) throw new PortFailure('unavailable', 'This replica does not hold the runtime.');
    return { api, objects, pods };
  }

  /** Rejects with `unavailable` if what is known of the cluster is too old. */
  #mustAnswer(): void {
    const { objects, pods } = this.#running;
    for (const failure of [this.#silent, ...[...objects.watches, ...pods.watches].map((watch) => watch.failure)]) {
      if (failure && performance.now() - failure.sinceMs > this.#options.timings.awayMs) throw this.#named(failure.error);
    }
  }

  #named(error: unknown): PortFailure {
    const message = error instanceof Error ? error.message : String(error);
    const kind = isPortFailure(error) ? error.kind : 'unavailable';
    return new PortFailure(kind, `Kubernetes cluster ${this.#options.name}: ${message}`, { cause: error });
  }

  #deploymentOf(ref: RevisionRef): KubeObject | undefined {
    return this.#objects?.find('Deployment', namespaceOf(ref), ref.revision);
  }

  async #apply(spec: RevisionSpec): Promise<readonly string[]> {
    const { objects } = this.#running;
    const { settings } = this.#options;
    this.#emptySince.delete(namespaceOf(spec));
    const wanted = revisionObjects(
      { ...settings, hasPullSecret: true },
      spec,
      await egressRules(spec, { inside: settings.egressInside, resolve: resolveHost }),
    );
    const drift: string[] = [];
    const ensure = async (object: KubeObject): Promise<KubeObject> => {
      const ensured = await objects.ensure(object);
      for (const path of ensured.drift) drift.push(`${object.kind} ${object.metadata.name}: ${path}`);
      return ensured.object;
    };
    await this.#mustOwn(spec);
    for (const object of environmentObjects(this.#environment(spec), spec)) await ensure(object);
    const account = await ensure(serviceAccount(settings.mark, spec));
    // Before the Deployment, so that no pod waits for them. Afterwards it becomes their owner. Nobody could find them if the server ended in
    // between, so until then they go with the service's account.
    const existing = this.#deploymentOf(spec);
    if (!existing) for (const secret of wanted.secrets) await ensure(ownedBy(secret, account));
    const deployment = await ensure(wanted.deployment);
    for (const object of [...wanted.secrets, ...wanted.others]) await ensure(ownedBy(object, deployment));
    const kept = new Set(wanted.others.map(({ kind, metadata }) => `${kind}/${metadata.name}`));
    for (const kind of ['NetworkPolicy', 'PodDisruptionBudget'] as const) {
      const left = objects.find(kind, namespaceOf(spec), spec.revision);
      if (left && !kept.has(`${kind}/${spec.revision}`)) await objects.delete(left);
    }
    return drift;
  }

  #environment(ref: EnvironmentRef): EnvironmentSettings {
    const { edgeSources, mark, pullAccess, quota, registryHost } = this.#options.settings;
    return { edgeSources, mark, quota, pull: { host: registryHost, ...pullAccess(ref.app) } };
  }

  /** A namespace of the same name may belong to somebody else, or be about to go. */
  async #mustOwn(ref: EnvironmentRef): Promise<void> {
    const { api, objects } = this.#running;
    const name = namespaceOf(ref);
    const known = objects.find('Namespace', '', name);
    if (known && !known.metadata.deletionTimestamp) return;
    const found =
      known ??
      (await api.get(`/api/v1/namespaces/${name}`).catch((error: unknown) => {
        if (isPortFailure(error, 'notFound')) return undefined;
        throw error;
      }));
    if (found === undefined) return;
    const { metadata } = found as KubeObject;
    if (metadata.deletionTimestamp) throw new PortFailure('unavailable', `The namespace ${name} is being deleted.`);
    if (metadata.labels?.[LABEL.platform] !== this.#options.settings.mark)
      throw new PortFailure('conflict', `The namespace ${name} exists and belongs to somebody else.`);
  }

  /** Deletes the revision's Deployment, and the service's own objects with the last one. Does not wait for the pods. */
  async #remove(ref: RevisionRef): Promise<void> {
    const { objects } = this.#running;
    const namespace = namespaceOf(ref);
    this.#ensured.delete(keyOf(ref));
    await this.#inTurn(namespace, async () => {
      const deployment = this.#deploymentOf(ref);
      if (deployment) {
        await objects.delete(deployment);
        for (const name of secretsOf(deployment)) await objects.delete({ kind: 'Secret', metadata: { name, namespace } });
        for (const kind of ['NetworkPolicy', 'PodDisruptionBudget']) objects.forget({ kind, metadata: { name: ref.revision, namespace } });
        await this.#gone(ref);
      }
      const others = objects
        .all('Deployment')
        .filter(({ metadata }) => metadata.namespace === namespace && metadata.labels?.[LABEL.service] === ref.service);
      const isLast = others.every(({ metadata }) => metadata.name === ref.revision) && !this.#hasEnsured(ref);
      const account = objects.find('ServiceAccount', namespace, accountName(ref));
      if (isLast && account) await objects.delete(account);
    });
  }

  /** Waits until the watch has seen that the Deployment is gone, so that it is not taken for one that runs. */
  async #gone(ref: RevisionRef): Promise<void> {
    const deadline = performance.now() + this.#options.timings.awayMs;
    while (this.#deploymentOf(ref) && performance.now() < deadline) await delay(POLL_MS);
  }

  #hasEnsured({ app, environment, service }: ServiceRef): boolean {
    return [...this.#ensured].some((key) => key.startsWith(`${app}/${environment}/${service}/`));
  }

  #isEmpty(namespace: string): boolean {
    const { objects, pods } = this.#running;
    const isIn = ({ metadata }: KubeObject): boolean => metadata.namespace === namespace;
    return (
      !objects.all('Deployment').some(isIn) && !pods.isIn(namespace) && ![...this.#ensured].some((key) => namespaceOfKey(key) === namespace)
    );
  }

  async #removeNamespace(namespace: string): Promise<void> {
    await this.#inTurn(namespace, async () => {
      const { objects } = this.#running;
      const found = objects.find('Namespace', '', namespace);
      if (found && !found.metadata.deletionTimestamp && this.#isEmpty(namespace)) await objects.delete(found);
      if (!found) this.#emptySince.delete(namespace);
      objects.forgetNamespace(namespace);
    });
  }

  #tellScaled(spec: RevisionSpec, former: KubeObject): void {
    const from = replicasOf(former);
    if (former.metadata.annotations?.[REVISION_ID] !== spec.id || from === spec.replicas) return;
    const digest = former.metadata.annotations?.['slipway.dev/digest'];
    const now = this.#deploymentOf(spec)?.metadata.annotations?.['slipway.dev/digest'];
    // With the same digest somebody else had changed the number.
    if (digest !== now) this.#tell(spec, 'modified', instanceEvent('Scaled', { from, to: spec.replicas }));
  }

  #tell(spec: RevisionSpec, type: InstanceEventType, facts: InstanceEventFacts): void {
    const { app, environment, id, revision, service } = spec;
    this.#options.emit({ app, environment, service, revision, revisionId: id, instance: revision, at: new Date(), type, ...facts });
  }

  async #inTurn<T>(namespace: string, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(namespace) ?? Promise.resolve();
    const turn = before.then(work);
    const settled = turn.catch(() => undefined);
    this.#turns.set(namespace, settled);
    void settled.then(() => {
      if (this.#turns.get(namespace) === settled) this.#turns.delete(namespace);
    });
    return turn;
  }
}

export const serviceKeyOf = ({ app, environment, service }: ServiceRef): string => `${app}/${environment}/${service}`;
const keyOf = (ref: RevisionRef): string => `${serviceKeyOf(ref)}/${ref.revision}`;
const namespaceOfKey = (key: string): string => key.split('/').slice(0, 2).join('-');
