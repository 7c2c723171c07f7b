/** The engine that runs revisions: local processes or Kubernetes. Driven by one reconciler, level-triggered. */
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
  /** Of its row. Names are used again after a service was discarded: the same name with another id is another revision. */
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
  /** A label: shown with the instance's node and passed to the program; where it runs is the engine's own business. */
  readonly region?: string;
  /**
   * Where its instances may connect to besides the edge: `name`, `name:port`, `*.name`, or `*` for everything outside private networks.
   * Nowhere when not given.
   */
  readonly egress?: readonly string[];
  /** Database servers that it has credentials for: each is reached from inside at the same host and port as from outside. */
  readonly databases?: readonly { readonly host: string; readonly port: number }[];
  /** Brokers of topics that it has an account's password for, all of the cluster's: reached in the same way. */
  readonly brokers?: readonly { readonly host: string; readonly port: number }[];
  /** Spot compute: its instances yield to all others when processor time or memory gets short. */
  readonly isSpot?: boolean;
}
/** What the edge does for a service. Requests go to the ready instances of `revisions`. */
export interface ServiceRoute {
  readonly revisions: readonly string[];
  /**
   * A host name besides the service's own, in lower case. Services may share it: the longest base path that a request's path begins
   * with decides; of equal ones, which the caller avoids, the first that was set.
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
/** `passwordHash` as kernel/auth/password.ts makes it; `audience` is what a token must be meant for. */
export type EdgeAuthentication =
  | { readonly type: 'NO_AUTH' }
  | { readonly type: 'BASIC_AUTH'; readonly username: string; readonly passwordHash: string }
  | { readonly type: 'AZURE_AUTH'; readonly audience: string }
  /** Every request is answered 503 with this sentence. */
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
/** `code` and `context` say what happened, by the contract's closed list: `instanceEvent` makes them. */
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
/** `requests`, `errors5xx` and `p95Ms` are of the seconds that were asked for. */
export interface EdgeStats extends ServiceRef {
  readonly requests: number;
  readonly errors5xx: number;
  readonly p95Ms: number;
  readonly lastRequestAt: Date | undefined;
  /** Counts up for as long as this holder serves the edge: what came between two readings is their difference. */
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
  /** What spot compute means: its instances are slowed down and ended before others are, or nothing. */
  readonly spot: 'yields first' | 'none';
  /** Hosts of private networks that services may list; undefined in what an older version wrote down. */
  readonly insideHosts?: readonly string[];
  /** What a person should know about this tier, shown as a banner; undefined where there is nothing to warn of. */
  readonly warning: string | undefined;
}

export interface Acquired {
  /** It ran on after the leader of before was gone: instances, routes and figures are as that one left them. */
  readonly isTakenOver: boolean;
}

export interface Runtime {
  readonly kind: 'local' | 'kubernetes';
  capabilities(): Promise<RuntimeCapabilities>;
  /**
   * Called by the replica that holds the engine's lock, before any other verb: takes over what a former leader left running, or takes
   * the ingress port and cleans up. Again, by whom it is held already, it changes nothing, and counts as taken over.
   */
  acquire(): Promise<Acquired>;
  /** Stops every instance and the ingress of this holder. */
  release(): Promise<void>;
  /** Lets go, and leaves everything running for the next leader where the engine can; where it cannot, as `release`. */
  leave(): Promise<void>;
  /**
   * Creates the revision's instances or changes their number; everything else of a revision is immutable. Does not wait for health.
   * Where another revision of the same name runs, it waits for the end of that one.
   */
  ensureRevision(spec: RevisionSpec): Promise<void>;
  /** Resolves when its instances are gone. */
  deleteRevision(ref: RevisionRef): Promise<void>;
  /** undefined takes the service off the edge. */
  setRoute(service: ServiceRef, route: ServiceRoute | undefined): Promise<void>;
  /**
   * The leader calls this once it has set the routes of all services, and names them: the edge drops every other service. From then on a
   * host name that nobody has is answered as unknown. Before, it may be one whose route is yet to come, and is answered as unavailable.
   */
  routesComplete(served: readonly ServiceRef[]): Promise<void>;
  /** The address under which the edge serves the service. */
  url(service: ServiceRef, basePath: string): string;
  /** Every instance this holder knows, for a full resync. */
  list(): Promise<readonly InstanceView[]>;
  onEvent(listener: (event: InstanceEvent) => void): () => void;
  /** The engine has lost all that this holder gave it, instances, routes and figures: it must be acquired again. Answers how to stop. */
  onLost(listener: () => void): () => void;
  stats(): Promise<readonly InstanceStats[]>;
  /** Of the last `seconds`, at most 60, which is also the default. */
  edgeStats(seconds?: number): Promise<readonly EdgeStats[]>;
  /**
   * What a ready instance answers to GET `path` on its port. notFound where no such instance is ready, unavailable where it does not
   * answer in time, rejected where it answers with another status than 200 or with more than `maxBytes`. Follows nothing elsewhere.
   */
  scrape(instance: string, options: { path: string; timeoutMs: number; maxBytes: number }): Promise<string>;
  /** Reads from shared storage: any replica can answer. With `follow` it goes on until `signal` aborts. Oldest first. */
  logs(
    ref: RevisionRef,
    options: {
      instance?: string;
      tailLines?: number;
      sinceNumber?: number;
      /** The run before the last restart, of each instance that was restarted; ends with what is stored. */
      previous?: boolean;
      follow?: boolean;
      signal?: AbortSignal;
    },
  ): AsyncIterable<LogLine>;
  close(): Promise<void>;
}
