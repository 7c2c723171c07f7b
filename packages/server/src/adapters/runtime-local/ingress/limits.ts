/** What the edge allows a client or an instance, whatever a service's settings say. Beside each: what it is there for. */
export interface EdgeLimits {
  /** Connections of clients in all: each may need a second one to an instance, and the process has 20,000 descriptors. */
  readonly connections: number;
  /** By client address: nobody alone may take them all. Half, since behind a proxy everybody has one address. */
  readonly connectionsPerAddress: number;
  /** A request line with its headers; likewise the trailers. */
  readonly headerBytes: number;
  /** Until the headers of a request are complete, from the connection or the request's first byte on. */
  readonly headersMs: number;
  /** How often that is looked at. */
  readonly checkEveryMs: number;
  /** Then a client connects anew. */
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

/** Passwords that wait to be looked at: about a second's worth. */
export const PASSWORDS = { waiting: 32, waitingOfOne: 32 } as const;
/** A connection without a request. Above the minute after which most proxies end one: ended by the edge, their next request would fail. */
export const IDLE_MS = 65_000;
/** Requests that a client sends before it has the answer to its first. They run one after another, as they were sent. */
export const WAITING_REQUESTS = 32;
/** How long the rest of a request that was answered early is taken in, and thrown away, so that the client gets to read the answer. */
export const LINGER_MS = 10_000;
/** Finds clients that are gone without a word. */
export const KEEP_ALIVE_PROBE_MS = 30_000;
/** Requests at one instance at a time. */
export const REQUESTS_PER_INSTANCE = 1024;
/** Kept for the next request. Below the five seconds after which Node's own server, and many others, close an idle connection. */
export const INSTANCE_IDLE_MS = 4000;
export const INSTANCE_IDLE_CONNECTIONS = 128;
/** The headers of an instance's answer, and those of each interim one. */
export const ANSWER_HEADER_BYTES = 32 * 1024;
/** Answers 1xx before the final one: each starts the read timeout anew. */
export const INTERIM_ANSWERS = 16;

const BODY_GRACE_MS = 30_000;
const BODY_BYTES_PER_SECOND = 100;
/** A body that comes byte by byte makes progress, and would hold the connection and the instance for days. */
export const isTooSlow = (bytes: number, elapsedMs: number): boolean =>
  elapsedMs > BODY_GRACE_MS && (bytes * 1000) / elapsedMs < BODY_BYTES_PER_SECOND;
