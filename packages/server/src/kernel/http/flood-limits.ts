/**
 * How much one client, one person and all of them together may take of the platform's origin, and how slow a client may be. One list,
 * for everything that is served there: the API, the console, git, the registry and sign-in. docs/operations.md has the same numbers.
 */

interface Share {
  /** Of one client address; an IPv6 client is its /64 network. */
  readonly byAddress: number;
  readonly inAll: number;
}

export interface FloodLimits {
  readonly connections: Share;
  /** Requests that are worked on at the same time; streams are counted by person instead. There is no queue: more are refused. */
  readonly requests: Share;
  /** Live changes and logs that are followed. */
  readonly streams: { readonly byPerson: number; readonly inAll: number };
  readonly headersMs: number;
  /** A connection without any traffic. Live streams send a comment more often than that. */
  readonly silentMs: number;
  /** The whole body of a call, some megabytes at most. */
  readonly bodyMs: number;
  /** Bodies of any length (images, packs) must make at least so much way in each period. */
  readonly longBody: { readonly bytes: number; readonly periodMs: number };
  /** After the answer, for the rest of a body that nobody wants. */
  readonly lingerMs: number;
}

export const floodLimits: FloodLimits = {
  connections: { byAddress: 1024, inAll: 4096 },
  requests: { byAddress: 256, inAll: 1024 },
  streams: { byPerson: 30, inAll: 2048 },
  headersMs: 15_000,
  silentMs: 120_000,
  bodyMs: 60_000,
  longBody: { bytes: 64 * 1024, periodMs: 60_000 },
  lingerMs: 10_000,
};

/** API tokens of one identity that are still good. */
export const MAX_API_TOKENS = 50;
