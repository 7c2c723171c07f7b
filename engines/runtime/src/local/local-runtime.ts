/** The embedded runtime: revisions run as sandboxed processes on this machine, behind its own edge. */
import { mkdir } from 'node:fs/promises';
import { Socket } from 'node:net';
import { groupsRemoved } from '../sandbox/control-groups/control-group-files.ts';
import { releaseHostUid } from '../sandbox/host-uid.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { mapLimited } from '@slipway/foundation/map-limited.ts';
import { PortFailure } from '@slipway/foundation/ports/failure.ts';
import type { Log } from '@slipway/foundation/ports/log.ts';
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
} from '@slipway/foundation/ports/runtime.ts';
import { capabilitiesOf } from './capabilities.ts';
import { doorwaysOf, type DoorwayTargets } from './doorways.ts';
import type { ImageSource } from './instance/image-source.ts';
import type { EdgeTokens } from '../edge/auth/edge-tokens.ts';
import { Ingress } from '../edge/ingress.ts';
import { EDGE_LIMITS } from '../edge/limits.ts';
import type { InstanceContext } from './instance/instance-context.ts';
import { cleanUpInstances } from './instance/instance-directory.ts';
import { dropOldRevisions, logDirectory } from './log/log-files.ts';
import { readLogs, type LogOptions } from './log/log-reader.ts';
import { platformDoorway, platformPort } from './platform-doorway.ts';
import { PortPool } from './instance/port-pool.ts';
import { RunningRevision } from './revision.ts';
import { scrapeInstance, type ScrapeOptions } from './scrape.ts';
import { cleanUpSecretFiles } from './instance/secret-directory.ts';
import { serviceAddress, serviceKey } from '../edge/service-names.ts';
import { revisionKey, serviceUser } from './revision-names.ts';
import { TIMINGS, type Timings } from './timings.ts';

/** Settings that may change when another server takes over the running instances. */
interface Surroundings {
  /** The platform's URL on this machine. Instances can reach a small part of it. */
  readonly platformUrl?: string | undefined;
  /** Private network hosts that services may list as egress: `host` or `host:port`. */
  readonly egressInside?: readonly string[] | undefined;
}

export interface LocalRuntimeOptions extends Surroundings {
  /** Holds the logs and, while instances run, their secret files. Shared by all replicas on this machine. */
  readonly dataDir: string;
  readonly ingressHost: string;
  readonly ingressPort: number;
  /** If undefined, services that require tokens are not served. */
  readonly tokens?: EdgeTokens | undefined;
  readonly images: ImageSource;
  readonly sandbox: Sandbox;
  readonly log: Log;
  readonly timings?: Partial<Timings>;
}

/** Share of the edge's total connections. */
const MAX_FROM_INSIDE = EDGE_LIMITS.connections / 4;

/** Limits revisions that stop in parallel: each waits for its programs to exit. Revisions without instances cost nothing. */
const STOPS_AT_ONCE = 256;

export class LocalRuntime implements Runtime {
  readonly kind = 'local';
  readonly #options: LocalRuntimeOptions;
  readonly #timings: Timings;
  readonly #ingress: Ingress;
  readonly #revisions = new Map<string, RunningRevision>();
  /** Deleted revisions whose last instance has not ended yet. */
  readonly #leaving = new Set<RunningRevision>();
  readonly #listeners = new Set<(event: InstanceEvent) => void>();
  readonly #context: InstanceContext;
  #surroundings: Surroundings;
  #isLeader = false;
  #fromInside = 0;

  constructor(options: LocalRuntimeOptions) {
    this.#options = options;
    this.#timings = { ...TIMINGS, ...options.timings };
    this.#surroundings = options;
    const { ingressHost: host, ingressPort, log, tokens } = options;
    this.#ingress = new Ingress({ host, port: ingressPort, log, tokens, connect: ({ id }) => this.#connect(id) });
    this.#context = {
      ...options,
      platformUrl: () => this.#surroundings.platformUrl,
      ports: new PortPool(),
      doorways: (spec) => doorwaysOf(spec, this.#targets()),
      timings: this.#timings,
      emit: (event) => this.#emit(event),
      readinessChanged: (service) => this.#refreshTargets(service),
      answered: (service, instance) => this.#ingress.answered(service, instance),
    };
  }

  /** Applies the settings of the server that took over, for running instances too. */
  configure(surroundings: Surroundings): void {
    this.#surroundings = surroundings;
  }

  async capabilities(): Promise<RuntimeCapabilities> {
    return capabilitiesOf(this.#options.sandbox, this.#surroundings.egressInside ?? []);
  }

  async acquire(): Promise<Acquired> {
    if (this.#isLeader) return { isTakenOver: true };
    const { dataDir, log, sandbox } = this.#options;
    await mkdir(dataDir, { recursive: true });
    // Binds the port first: only its owner is the holder, and only the holder may clean up leftovers.
    await this.#ingress.listen(this.#timings.acquireMs);
    try {
      const leftOver = cleanUpInstances(dataDir, sandbox);
      cleanUpSecretFiles(dataDir);
      if (leftOver.length > 0) log.warn({ instances: leftOver }, 'cleaned up after a holder that did not stop its instances');
      await dropOldRevisions(dataDir, this.#timings.logRetentionMs);
    } catch (error) {
      await this.#ingress.close();
      throw error;
    }
    this.#isLeader = true;
    return { isTakenOver: false };
  }

  async release(): Promise<void> {
    if (!this.#isLeader) return;
    this.#isLeader = false;
    const revisions = [...this.#revisions.values(), ...this.#leaving];
    this.#revisions.clear();
    await Promise.all([this.#ingress.close(), mapLimited(revisions, (revision) => revision.stop(), STOPS_AT_ONCE)]);
    this.#ingress.forgetRoutes();
    await groupsRemoved();
  }

  /** Releases the runtime: its instances end with this process. */
  async leave(): Promise<void> {
    await this.release();
  }

  async ensureRevision(spec: RevisionSpec): Promise<void> {
    this.#mustHold();
    const key = revisionKey(spec);
    const former = this.#revisions.get(key);
    if (former && former.spec.id !== spec.id) {
      await this.deleteRevision(spec);
      this.#mustHold();
    }
    const revision = this.#revisions.get(key) ?? new RunningRevision(spec, this.#context);
    this.#revisions.set(key, revision);
    revision.scale(spec.replicas);
  }

  async deleteRevision(ref: RevisionRef): Promise<void> {
    this.#mustHold();
    const key = revisionKey(ref);
    const revision = this.#revisions.get(key);
    if (revision) {
      this.#revisions.delete(key);
      this.#leaving.add(revision);
    }
    const leaving = [...this.#leaving].filter(({ spec }) => revisionKey(spec) === key);
    await mapLimited(leaving, (entry) => entry.stop(), STOPS_AT_ONCE);
    for (const entry of leaving) this.#leaving.delete(entry);
    const remaining = [...this.#revisions.values(), ...this.#leaving];
    if (!remaining.some(({ spec }) => serviceKey(spec) === serviceKey(ref))) releaseHostUid(serviceUser(this.#options.dataDir, ref));
  }

  async setRoute(service: ServiceRef, route: ServiceRoute | undefined): Promise<void> {
    this.#mustHold();
    this.#ingress.setRoute(service, route);
    this.#refreshTargets(serviceKey(service));
  }

  async routesComplete(served: readonly ServiceRef[]): Promise<void> {
    this.#mustHold();
    this.#ingress.routesComplete(new Set(served.map(serviceKey)));
  }

  url(service: ServiceRef, basePath: string): string {
    return serviceAddress(service, this.#options.ingressPort, basePath);
  }

  async list(): Promise<readonly InstanceView[]> {
    return this.#instances()
      .map((instance) => instance.view())
      .filter(({ state }) => state !== 'STOPPED');
  }

  onEvent(listener: (event: InstanceEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Never calls the listener: instances end with this process. */
  onLost(): () => void {
    return () => {};
  }

  async stats(): Promise<readonly InstanceStats[]> {
    return this.#instances().flatMap((instance) => instance.stats() ?? []);
  }

  async edgeStats(seconds?: number): Promise<readonly EdgeStats[]> {
    return this.#ingress.stats(seconds);
  }

  async scrape(id: string, options: ScrapeOptions): Promise<string> {
    const instance = this.#instances().find((entry) => entry.id === id && entry.isReady);
    if (instance?.port === undefined) throw new PortFailure('notFound', 'it is not ready');
    return scrapeInstance(() => instance.connect(), options);
  }

  logs(ref: RevisionRef, options: LogOptions): AsyncIterable<LogLine> {
    return readLogs(logDirectory(this.#options.dataDir, ref), options);
  }

  async close(): Promise<void> {
    await this.release();
    this.#listeners.clear();
  }

  #instances() {
    return [...this.#revisions.values(), ...this.#leaving].flatMap((revision) => revision.instances);
  }

  /** Caps connections from services to the edge, so that other clients have room. */
  #acceptFromInside(socket: Socket): void {
    if (this.#fromInside >= MAX_FROM_INSIDE) return void socket.destroy();
    this.#fromInside++;
    socket.once('close', () => this.#fromInside--);
    this.#ingress.accept(socket);
  }

  #targets(): DoorwayTargets {
    const { dataDir, ingressPort } = this.#options;
    const { platformUrl } = this.#surroundings;
    return {
      dataDir,
      ingressPort,
      onEdge: (socket) => this.#acceptFromInside(socket),
      platform:
        platformUrl === undefined
          ? undefined
          : {
              port: platformPort(platformUrl),
              server: (from: string) => platformDoorway(() => this.#surroundings.platformUrl ?? platformUrl, from),
            },
      inside: () => this.#surroundings.egressInside ?? [],
    };
  }

  #connect(id: string): Socket {
    const instance = this.#instances().find((entry) => entry.id === id);
    return instance?.connect() ?? new Socket().destroy(Object.assign(new Error('The instance is gone.'), { code: 'ECONNREFUSED' }));
  }

  /** Tells the edge which instances may receive a service's requests. */
  #refreshTargets(service: string): void {
    const routed = this.#ingress.routeOf(service)?.revisions ?? [];
    const targets = [...this.#revisions.values()]
      .filter(({ spec }) => serviceKey(spec) === service && routed.includes(spec.revision))
      .flatMap((revision) => revision.instances)
      .flatMap(({ id, isReady, port }) => (isReady && port !== undefined ? [{ id, port }] : []));
    this.#ingress.setTargets(service, targets);
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
    if (!this.#isLeader) throw new PortFailure('unavailable', 'This replica does not hold the runtime.');
  }
}
