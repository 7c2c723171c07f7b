/** Fixed limits of the edge per client or instance, independent of a service's settings, with the reason for each. */
export interface EdgeLimits {
  /** Total client connections: each may need a second one to an instance, and the process has 20,000 descriptors. */
  readonly connections: number;
  /**
   * Connections per client address, so that no single client takes them all. Half of the total, since all clients behind a proxy share one
   * address.
   */
  readonly connectionsPerAddress: number;
  /** Size of a request line with its headers, and of the trailers. */
  readonly headerBytes: number;
  /** Time for a request's headers, from the connection or the request's first byte on. */
  readonly headersMs: number;
  /** Interval of the check for `headersMs`. */
  readonly checkEveryMs: number;
  /** After this many requests the client must reconnect. */
  readonly requestsPerConnection: number;
}

export const EDGE_LIMITS: EdgeLimits = {
  connections: 8192,
  connectionsPerAddress: 4096,
  headerBytes: 16 * 1024,
  headersMs: 15_000,
  checkEveryMs: 5000,
  requestsPerConnection: 10_000,
};

/** Passwords in the queue: about one second of work. */
export const PASSWORDS = { waiting: 32, waitingOfOne: 32 } as const;
/**
 * Idle timeout of client connections. Longer than the minute after which most proxies close one: if the edge closed first, their next
 * request would fail.
 */
export const IDLE_MS = 65_000;
/** Pipelined requests per connection. They run one after another, in order. */
export const WAITING_REQUESTS = 32;
/** How long the rest of a request with an early response is read and discarded, so that the client can read the response. */
export const LINGER_MS = 10_000;
/** TCP keep-alive delay, to detect clients that disappeared. */
export const KEEP_ALIVE_PROBE_MS = 30_000;
/** Concurrent requests per instance. */
export const REQUESTS_PER_INSTANCE = 1024;
/** Idle timeout of connections to instances. Below the five seconds after which Node's server and many others close an idle connection. */
export const INSTANCE_IDLE_MS = 4000;
export const INSTANCE_IDLE_CONNECTIONS = 128;
/** Header size of an instance's response, interim or final. */
export const ANSWER_HEADER_BYTES = 32 * 1024;
/** Interim (1xx) responses per request: each resets the read timeout. */
export const INTERIM_ANSWERS = 16;

const BODY_GRACE_MS = 30_000;
const BODY_BYTES_PER_SECOND = 100;
/**
 * Returns whether a body is too slow. A body that trickles makes progress, and would otherwise occupy the connection and the instance for
 * days.
 */
export const isTooSlow = (bytes: number, elapsedMs: number): boolean =>
  elapsedMs > BODY_GRACE_MS && (bytes * 1000) / elapsedMs < BODY_BYTES_PER_SECOND;
