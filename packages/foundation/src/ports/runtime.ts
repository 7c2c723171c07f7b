/** The engine that runs revisions: local processes or Kubernetes. Driven by one reconciler, level-triggered. */
import type { EngineProbe } from './engine-probe.ts';
import type { InstanceEventFacts } from '@slipway/contract/service/instance-event.ts';

export type Environment = 'development' | 'production';
export type InstanceState = 'STARTING' | 'READY' | 'UNHEALTHY' | 'STOPPING' | 'STOPPED' | 'CRASHED';
export type InstanceEventType = 'added' | 'running' | 'modified' | 'unhealthy' | 'warning' | 'error' | 'deleted' | 'bookmarked';

export interface ServiceRef {
  readonly app: string;
  readonly environment: Environment;
  readonly service: string;
}
/** `revision` is the full name, `{service}-{number}`. */
export interface RevisionRef extends ServiceRef {
  readonly revision: string;
}

export interface HealthCheck {
  readonly type: 'http' | 'tcp' | 'exec';
  readonly http?: { readonly port: number; readonly path: string };
  readonly tcp?: { readonly port: number };
  readonly exec?: { readonly command: readonly string[] };
  readonly initialDelaySeconds: number;
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
}
export interface SecretFileMount {
  readonly mountPath: string;
  readonly files: Readonly<Record<string, string>>;
}
export interface RevisionSpec extends RevisionRef {
  /** Id of the revision's row. Names are reused after a service is discarded, so the same name with another id is another revision. */
  readonly id: string;
  /** Image by digest: repository `{project}/{name}` in the platform's registry and its manifest digest. */
  readonly image: { readonly repository: string; readonly digest: string };
  /** Environment variables, secrets resolved. PORT, HOST are added by the engine. */
  readonly env: Readonly<Record<string, string>>;
  readonly files: readonly SecretFileMount[];
  /** The port the container is set to listen on; undefined for a worker without a port. */
  readonly exposedPort: number | undefined;
  readonly health: HealthCheck | undefined;
  readonly cpuMillicores: number;
  readonly memoryMegabytes: number;
  readonly replicas: number;
  readonly stopGraceSeconds: number;
  /** A label: shown with the instance's node and passed to the program. The engine decides where the instance runs. */
  readonly region?: string;
  /**
   * Targets its instances may connect to in addition to the edge: `name`, `name:port`, `*.name`, or `*` for everything outside private
   * networks. None by default.
   */
  readonly egress?: readonly string[];
  /** Database servers it has credentials for. Each is reached from inside at the same host and port as from outside. */
  readonly databases?: readonly { readonly host: string; readonly port: number }[];
  /** All brokers of clusters for which it has an account's password, reached in the same way. */
  readonly brokers?: readonly { readonly host: string; readonly port: number }[];
  /** Token with which its instances send traces to the platform. Engines whose instances cannot reach the platform ignore it. */
  readonly traceToken?: string;
  /** Spot compute: its instances yield to all others when CPU or memory gets short. */
  readonly isSpot?: boolean;
}
/**
 * Things that an engine cannot do. `figures`: processor and memory in use. `diskEvents`: reports of full disks. `portEvents`: reports of
 * programs that listen on a wrong port. `logStreams`: standard error apart from standard output. `hostPatterns`: egress targets like `*.example.com`. `proxiedEgress`: egress through a proxy that
 * knows names.
 */
export type RuntimeLack = 'figures' | 'diskEvents' | 'portEvents' | 'logStreams' | 'hostPatterns' | 'proxiedEgress';

/** Edge settings of a service. Requests go to the ready instances of `revisions`. */
export interface ServiceRoute {
  readonly revisions: readonly string[];
  /**
   * An additional lower-case host name. Services may share it: the longest matching base path wins. If base paths are equal, which callers
   * avoid, the first one set wins.
   */
  readonly domain: string | undefined;
  readonly basePath: string;
  readonly stripBasePath: boolean;
  readonly connectionTimeoutMs: number;
  readonly readTimeoutMs: number;
  readonly writeTimeoutMs: number;
  readonly requestSizeLimitMb: number;
  /** 0 = no limit. */
  readonly spikeArrestPerMinute: number;
  readonly excludePathPrefixes: readonly string[];
  readonly authentication: EdgeAuthentication;
}
/** `passwordHash` is a hash by sign-in/password.ts. `audience` is the required audience of a token. */
export type EdgeAuthentication =
  | { readonly type: 'NO_AUTH' }
  | { readonly type: 'BASIC_AUTH'; readonly username: string; readonly passwordHash: string }
  | { readonly type: 'AZURE_AUTH'; readonly audience: string }
  /** Responds to every request with 503 and this sentence. */
  | { readonly type: 'CLOSED'; readonly detail: string };
export interface InstanceView extends RevisionRef {
  readonly id: string;
  /** The `id` of its revision. */
  readonly revisionId: string;
  readonly state: InstanceState;
  readonly since: Date;
  readonly restarts: number;
  readonly node: string;
  readonly port: number | undefined;
  readonly lastExit:
    | { readonly code: number | null; readonly signal: string | null; readonly reason: string; readonly at: Date }
    | undefined;
}
/** `code` and `context` describe the event with a closed list of the contract. `instanceEvent` creates them. */
export interface InstanceEvent extends RevisionRef, InstanceEventFacts {
  readonly revisionId: string;
  readonly instance: string;
  readonly at: Date;
  readonly type: InstanceEventType;
}
export interface InstanceStats {
  readonly id: string;
  readonly revision: string;
  readonly cpuMillicores: number;
  readonly memoryMegabytes: number;
}
/** `requests`, `errors5xx` and `p95Ms` cover the requested seconds. */
export interface EdgeStats extends ServiceRef {
  readonly requests: number;
  readonly errors5xx: number;
  readonly p95Ms: number;
  readonly lastRequestAt: Date | undefined;
  /** Counters that grow while this holder serves the edge. Subtract two readings to get the traffic between them. */
  readonly total: { readonly requests: number; readonly errors5xx: number };
}
export interface LogLine {
  readonly at: Date;
  readonly instance: string;
  readonly stream: 'stdout' | 'stderr';
  readonly line: string;
  /** Counts up per instance; a stable address of the line. */ readonly number: number;
}
export interface RuntimeCapabilities {
  readonly tier: 'oci' | 'bubblewrap' | 'unshare' | 'host' | 'kubernetes';
  readonly isolation: 'none' | 'namespace' | 'container';
  readonly limits: 'enforced' | 'observed';
  readonly isNetworkIsolated: boolean;
  /** Effect of spot compute: its instances are throttled and stopped before others, or none. */
  readonly spot: 'yields first' | 'none';
  /** Private hosts that services may list. Undefined in data of older versions. */
  readonly insideHosts?: readonly string[];
  /** Undefined if it can do everything. */
  readonly lacks?: readonly RuntimeLack[];
  /** A warning about this tier, shown as a banner. Undefined if there is none. */
  readonly warning: string | undefined;
}

export interface Acquired {
  /** Whether the engine kept running after the former leader was gone: instances, routes and metrics are unchanged. */
  readonly isTakenOver: boolean;
}

/** Beginning of the readiness check of a replica whose engine has not answered for a while. */
export const ENGINE_AWAY = 'degraded: the runtime does not answer';

export interface Runtime {
  readonly kind: 'local' | 'kubernetes';
  /** One probe for each region. Undefined if the readiness of the holder says it all. */
  probes?(): readonly EngineProbe[];
  capabilities(): Promise<RuntimeCapabilities>;
  /**
   * Called by the replica that holds the engine's lock, before any other method: takes over what a former leader left running, or takes the
   * ingress port and cleans up. Calling it again as the holder changes nothing, and counts as taken over.
   */
  acquire(): Promise<Acquired>;
  /** Stops every instance and the ingress of this holder. */
  release(): Promise<void>;
  /** Leaves everything running for the next leader, if the engine can. Otherwise the same as `release`. */
  leave(): Promise<void>;
  /**
   * Creates the revision's instances or changes their number. Everything else of a revision is immutable. Does not wait for health. If
   * another revision with the same name runs, waits for its end.
   */
  ensureRevision(spec: RevisionSpec): Promise<void>;
  /** Resolves when its instances are gone. */
  deleteRevision(ref: RevisionRef): Promise<void>;
  /** Undefined removes the service from the edge. */
  setRoute(service: ServiceRef, route: ServiceRoute | undefined): Promise<void>;
  /**
   * Tells the edge that the leader has set the routes of all services. The edge drops services that are not in `served`. From then on,
   * unassigned host names are answered as unknown. Before, they are answered as unavailable, because their route may not be set yet.
   */
  routesComplete(served: readonly ServiceRef[]): Promise<void>;
  /** Returns the URL under which the edge serves the service. */
  url(service: ServiceRef, basePath: string): string;
  /** Returns all instances that this holder knows, for a full resync. */
  list(): Promise<readonly InstanceView[]>;
  onEvent(listener: (event: InstanceEvent) => void): () => void;
  /**
   * Reports that the engine lost all instances, routes and metrics of this holder. It must be acquired again. Returns a function that
   * unsubscribes.
   */
  onLost(listener: () => void): () => void;
  stats(): Promise<readonly InstanceStats[]>;
  /** Covers the last `seconds`, at most 60 (the default). */
  edgeStats(seconds?: number): Promise<readonly EdgeStats[]>;
  /**
   * Returns the response of a ready instance to GET `path` on its port. Rejects with `notFound` if the instance is not ready, `unavailable`
   * on a timeout, and `rejected` for a status other than 200 or more than `maxBytes`. Does not follow redirects.
   */
  scrape(instance: string, options: { path: string; timeoutMs: number; maxBytes: number }): Promise<string>;
  /** Reads from shared storage, so any replica can answer. With `follow`, continues until `signal` aborts. Oldest first. */
  logs(
    ref: RevisionRef,
    options: {
      instance?: string;
      tailLines?: number;
      sinceNumber?: number;
      /** Reads the run before the last restart, of each restarted instance. Ends with the stored lines. */
      previous?: boolean;
      follow?: boolean;
      signal?: AbortSignal;
    },
  ): AsyncIterable<LogLine>;
  close(): Promise<void>;
}
