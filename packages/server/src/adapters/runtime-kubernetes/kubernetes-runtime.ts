/**
 * Runs revisions on Kubernetes, one cluster for each region. Requests reach pods through Slipway's own edge, so every setting of the edge
 * holds. Pods run on when the server ends, and the edge serves until the next holder's edge does.
 */
import { connect, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { mapLimited } from '#kernel/map-limited.ts';
import { PortFailure } from '#ports/failure.ts';
import type { EngineProbe } from '#ports/engine-probe.ts';
import type { Log } from '#ports/log.ts';
import type {
  Acquired,
  EdgeStats,
  InstanceEvent,
  InstanceStats,
  InstanceView,
  LogLine,
  RevisionRef,
  RevisionSpec,
  Runtime,
  RuntimeCapabilities,
  ServiceRef,
  ServiceRoute,
} from '#ports/runtime.ts';
import type { EdgeTokens } from '@slipway/runtime/edge/auth/edge-tokens.ts';
import { Ingress } from '@slipway/runtime/edge/ingress.ts';
import { serviceAddress, serviceKey } from '@slipway/runtime/edge/service-names.ts';
import { logDirectory } from '@slipway/runtime/local/log/log-files.ts';
import { readLogs, type LogOptions } from '@slipway/runtime/local/log/log-reader.ts';
import { scrapeInstance, type ScrapeOptions } from '@slipway/runtime/local/scrape.ts';
import type { ClusterSource } from './api/cluster-api.ts';
import { Cluster, type ClusterSettings, type ClusterTimings } from './cluster.ts';
import type { HolderLabel } from './holder-label.ts';

export interface KubernetesTimings extends ClusterTimings {
  /** How long to wait for the ingress port while the previous holder shuts down. */
  readonly acquireMs: number;
  readonly sweepMs: number;
  /** How long a stopping holder serves while no other replica has taken its label over. */
  readonly handOverMs: number;
  /** How long load balancers need to notice that the label has moved. */
  readonly settleMs: number;
}
export interface KubernetesRuntimeOptions {
  /** Holds the logs. Shared by all replicas. */
  readonly dataDir: string;
  readonly ingressHost: string;
  readonly ingressPort: number;
  /** If undefined, services that require tokens are not served. */
  readonly tokens?: EdgeTokens | undefined;
  /** Clusters by region. `*` serves all regions that have no cluster of their own. */
  readonly clusters: Readonly<Record<string, ClusterSource>>;
  readonly settings: ClusterSettings;
  /** Label of the server's own pod. Undefined if the server does not run in a pod that wants it. */
  readonly holderLabel?: HolderLabel | undefined;
  readonly log: Log;
  readonly timings?: Partial<KubernetesTimings>;
}

const TIMINGS: KubernetesTimings = {
  sameFailureMs: 10_000,
  emptyNamespaceMs: 60_000,
  awayMs: 10_000,
  acquireMs: 5000,
  sweepMs: 5000,
  handOverMs: 8000,
  settleMs: 4000,
};
const ANY_REGION = '*';

const NO_FIGURES = 'The cluster has no metrics API: processor and memory are not shown, and services do not scale by CPU.';
const POLICIES = 'Network isolation depends on the cluster: Slipway applies network policies, and the cluster’s network must enforce them.';

export class KubernetesRuntime implements Runtime {
  readonly kind = 'kubernetes';
  readonly #options: KubernetesRuntimeOptions;
  readonly #timings: KubernetesTimings;
  readonly #ingress: Ingress;
  readonly #clusters: ReadonlyMap<string, Cluster>;
  readonly #listeners = new Set<(event: InstanceEvent) => void>();
  #isHeld = false;
  /** Services with a route, and the revision that their address inside the cluster leads to. Others have none once all are known. */
  readonly #routed = new Map<string, { readonly service: ServiceRef; readonly revision: string | undefined }>();
  #isComplete = false;
  #sweeping: NodeJS.Timeout | undefined;
  /** Shows the label although routes are missing. */
  #showing: NodeJS.Timeout | undefined;
  /** While another replica takes the runtime over and this edge still serves. */
  #handOver: { readonly ending: AbortController; readonly done: Promise<void> } | undefined;

  constructor(options: KubernetesRuntimeOptions) {
    this.#options = options;
    this.#timings = { ...TIMINGS, ...options.timings };
    // A container that was killed and starts again is in the same pod, with the label of before.
    options.holderLabel?.show(false);
    const { clusters, dataDir, ingressHost: host, ingressPort: port, log, settings, tokens } = options;
    this.#ingress = new Ingress({ host, port, log, tokens, connect: ({ id }) => this.#connect(id) });
    const shared = {
      settings,
      dataDir,
      log,
      timings: this.#timings,
      emit: (event: InstanceEvent) => this.#emit(event),
      onPods: (service: ServiceRef) => this.#refreshTargets(service),
    };
    this.#clusters = new Map(
      Object.entries(clusters).map(([region, source]) => [region, new Cluster({ name: nameOf(region, source), source, ...shared })]),
    );
  }

  probes(): EngineProbe[] {
    return [...this.#clusters].map(([place, cluster]) => ({
      ...(place === ANY_REGION ? {} : { place }),
      probe: (findings) => cluster.probe(findings),
    }));
  }

  async capabilities(): Promise<RuntimeCapabilities> {
    const figures = await mapLimited(this.#clusters.values(), (cluster) => cluster.stats());
    const hasFigures = figures.every((stats) => stats !== undefined);
    return {
      tier: 'kubernetes',
      isolation: 'container',
      limits: 'enforced',
      isNetworkIsolated: true,
      spot: 'none',
      insideHosts: this.#options.settings.egressInside,
      lacks: [...(hasFigures ? [] : (['figures'] as const)), 'diskEvents', 'portEvents', 'logStreams', 'hostPatterns', 'proxiedEgress'],
      warning: [POLICIES, ...(hasFigures ? [] : [NO_FIGURES])].join(' '),
    };
  }

  async acquire(): Promise<Acquired> {
    if (this.#isHeld) return { isTakenOver: true };
    this.#handOver?.ending.abort();
    await this.#handOver?.done;
    await this.#ingress.listen(this.#timings.acquireMs);
    try {
      const found = await mapLimited(this.#clusters.values(), (cluster) => cluster.start());
      this.#isHeld = true;
      // One route that cannot be set must not keep the edge of all services closed.
      this.#showing = setTimeout(() => this.#options.holderLabel?.show(true), this.#timings.handOverMs).unref();
      this.#sweeping = setInterval(() => void this.#sweep(), this.#timings.sweepMs).unref();
      return { isTakenOver: found.includes(true) };
    } catch (error) {
      await this.#end();
      throw error;
    }
  }

  /**
   * Stops driving the cluster. Pods run on: a cluster outlives the server. In a pod with a label, the edge keeps serving in the background
   * until the next holder has the label. Other edges close at once, because the next holder may need their port.
   */
  async release(): Promise<void> {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    clearInterval(this.#sweeping);
    clearTimeout(this.#showing);
    const { holderLabel } = this.#options;
    if (!holderLabel || !this.#isComplete) {
      holderLabel?.show(false);
      return this.#end();
    }
    // Before the lock is free: a late write must not take the next holder's label away.
    holderLabel.rest();
    const ending = new AbortController();
    const stoodDown = mapLimited(this.#clusters.values(), (cluster) => cluster.standDown());
    this.#handOver = { ending, done: this.#serveUntilTakenOver(holderLabel, stoodDown, ending.signal) };
    // The next holder copies the logs as soon as this one has released its lock.
    await stoodDown;
  }

  async leave(): Promise<void> {
    await this.release();
  }

  async ensureRevision(spec: RevisionSpec): Promise<void> {
    await this.#clusterOf(spec).ensureRevision(spec);
  }

  async deleteRevision(ref: RevisionRef): Promise<void> {
    this.#mustHold();
    // The settings may have named another region before.
    await mapLimited(this.#clusters.values(), (cluster) => cluster.deleteRevision(ref));
  }

  async setRoute(service: ServiceRef, route: ServiceRoute | undefined): Promise<void> {
    this.#mustHold();
    this.#ingress.setRoute(service, route);
    this.#refreshTargets(service);
    // Before the address exists, so that no sweep takes it for one that is left over.
    if (route) this.#routed.set(serviceKey(service), { service, revision: route.revisions[0] });
    else this.#routed.delete(serviceKey(service));
    await mapLimited(this.#clusters.values(), (cluster) => cluster.setService(service, route?.revisions[0]));
  }

  async routesComplete(served: readonly ServiceRef[]): Promise<void> {
    this.#mustHold();
    const keys = new Set(served.map(serviceKey));
    for (const service of served) {
      const key = serviceKey(service);
      // A service whose route cannot be read keeps its address.
      if (!this.#routed.has(key)) this.#routed.set(key, { service, revision: undefined });
    }
    for (const key of this.#routed.keys()) if (!keys.has(key)) this.#routed.delete(key);
    this.#ingress.routesComplete(keys);
    // Not before: an edge without its routes refuses requests that the former holder's edge still answers.
    clearTimeout(this.#showing);
    if (!this.#isComplete) this.#options.holderLabel?.show(true);
    this.#isComplete = true;
  }

  url(service: ServiceRef, basePath: string): string {
    return serviceAddress(service, this.#options.ingressPort, basePath);
  }

  async list(): Promise<readonly InstanceView[]> {
    this.#mustHold();
    return [...this.#clusters.values()].flatMap((cluster) => cluster.views());
  }

  onEvent(listener: (event: InstanceEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Never calls the listener: instances do not end with a process of the platform. */
  onLost(): () => void {
    return () => {};
  }

  async stats(): Promise<readonly InstanceStats[]> {
    return (await mapLimited(this.#clusters.values(), (cluster) => cluster.stats())).flatMap((stats) => stats ?? []);
  }

  async edgeStats(seconds?: number): Promise<readonly EdgeStats[]> {
    return this.#ingress.stats(seconds);
  }

  async scrape(id: string, options: ScrapeOptions): Promise<string> {
    const contact = this.#contact(id);
    if (!contact) throw new PortFailure('notFound', 'it is not ready');
    return scrapeInstance(() => connect({ host: contact.address, port: contact.port }), options);
  }

  logs(ref: RevisionRef, options: LogOptions): AsyncIterable<LogLine> {
    return readLogs(logDirectory(this.#options.dataDir, ref), options);
  }

  async close(): Promise<void> {
    await this.release();
    await this.#handOver?.done;
    await this.#options.holderLabel?.end();
    this.#listeners.clear();
  }

  async #serveUntilTakenOver(label: HolderLabel, stoodDown: Promise<unknown>, signal: AbortSignal): Promise<void> {
    try {
      await stoodDown;
      await label.takenOver(this.#timings.handOverMs, signal);
      this.#ingress.drain();
      await delay(this.#timings.settleMs, undefined, { signal });
    } catch (error) {
      if (!signal.aborted) this.#options.log.warn({ err: error }, 'The edge could not be handed over; it closes');
    }
    label.show(false);
    try {
      await this.#end();
    } catch (error) {
      this.#options.log.warn({ err: error }, 'The edge was handed over, but the watch of a cluster could not be ended');
    } finally {
      this.#handOver = undefined;
    }
  }

  async #end(): Promise<void> {
    clearInterval(this.#sweeping);
    clearTimeout(this.#showing);
    this.#isComplete = false;
    this.#routed.clear();
    await this.#ingress.close();
    this.#ingress.forgetRoutes();
    await mapLimited(this.#clusters.values(), (cluster) => cluster.stop());
  }

  #clusterOf({ region }: Pick<RevisionSpec, 'region'>): Cluster {
    this.#mustHold();
    const cluster = this.#clusters.get(region ?? ANY_REGION) ?? this.#clusters.get(ANY_REGION);
    if (!cluster) throw new PortFailure('rejected', `No Kubernetes cluster serves the region ${region}.`);
    return cluster;
  }

  #contact(id: string) {
    for (const cluster of this.#clusters.values()) {
      const contact = cluster.contact(id);
      if (contact) return contact;
    }
    return undefined;
  }

  #connect(id: string): Socket {
    const contact = this.#contact(id);
    if (contact) return connect({ host: contact.address, port: contact.port, noDelay: true });
    return new Socket().destroy(Object.assign(new Error('The instance is gone.'), { code: 'ECONNREFUSED' }));
  }

  /** Tells the edge which pods may receive a service's requests. */
  #refreshTargets(service: ServiceRef): void {
    const key = serviceKey(service);
    const revisions = this.#ingress.routeOf(key)?.revisions ?? [];
    const ready = (of?: readonly string[]) => [...this.#clusters.values()].flatMap((cluster) => cluster.ready(service, of));
    const routed = ready(revisions);
    // During a handover this edge no longer learns of new routes. If the next holder has ended these revisions, it has routed to others.
    const areEnded = () =>
      revisions.every((revision) => [...this.#clusters.values()].every((cluster) => cluster.isEnded({ ...service, revision })));
    const targets = routed.length === 0 && revisions.length > 0 && this.#handOver && areEnded() ? ready() : routed;
    this.#ingress.setTargets(
      key,
      targets.map(({ id, port }) => ({ id, port })),
    );
  }

  async #sweep(): Promise<void> {
    try {
      await mapLimited(this.#clusters.values(), (cluster) => cluster.ping());
      if (!this.#isComplete) return;
      await mapLimited(this.#clusters.values(), (cluster) => cluster.sweep(this.#routed));
    } catch (error) {
      this.#options.log.debug({ err: error }, 'leftovers in a cluster could not be removed; trying again');
    }
  }

  #emit(event: InstanceEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#options.log.error({ err: error, code: event.code }, 'a listener to instance events failed');
      }
    }
  }

  #mustHold(): void {
    if (!this.#isHeld) throw new PortFailure('unavailable', 'This replica does not hold the runtime.');
  }
}

const nameOf = (region: string, { context }: ClusterSource): string => (region === ANY_REGION ? (context ?? 'of all regions') : region);
