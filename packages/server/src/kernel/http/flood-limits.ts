/**
 * Limits of the platform's origin, for one client, one person and in total, and minimum speeds for clients. One list for everything served
 * there: the API, the console, git, the registry and sign-in. docs/operations.md has the same numbers.
 */

interface Share {
  /** Per client address. An IPv6 client is its /64 network. */
  readonly byAddress: number;
  readonly inAll: number;
}

export interface FloodLimits {
  readonly connections: Share;
  /** Concurrent requests. Streams are counted per person instead. There is no queue: requests above the limit are rejected. */
  readonly requests: Share;
  /** Streams of changes and logs. */
  readonly streams: { readonly byPerson: number; readonly inAll: number };
  /** Streams of feature flags, which anybody with a client key opens. */
  readonly flagStreams: Share;
  /** Payloads of browsers and traces of services. They wait for the database, and their receivers limit each monitor and team. */
  readonly payloads: Share;
  readonly headersMs: number;
  /** Timeout of a connection without any traffic. Live streams send comments more often than that. */
  readonly silentMs: number;
  /** Timeout for the whole body of a call, a few megabytes at most. */
  readonly bodyMs: number;
  /** Bodies of any length (images, packs) must make this much progress in each period. */
  readonly longBody: { readonly bytes: number; readonly periodMs: number };
  /** How long to read the rest of an unused body after the response. */
  readonly lingerMs: number;
}

export const floodLimits: FloodLimits = {
  connections: { byAddress: 1024, inAll: 16_384 },
  requests: { byAddress: 256, inAll: 1024 },
  streams: { byPerson: 30, inAll: 2048 },
  flagStreams: { byAddress: 1000, inAll: 12_000 },
  payloads: { byAddress: 256, inAll: 8192 },
  headersMs: 15_000,
  silentMs: 120_000,
  bodyMs: 60_000,
  longBody: { bytes: 64 * 1024, periodMs: 60_000 },
  lingerMs: 10_000,
};

/** Maximum number of valid API tokens of one identity. */
export const MAX_API_TOKENS = 50;
