/** Resource limits for clients, before and after sign-in. */
const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;

export const limits = {
  /** On a laptop, all clients come from one address. */
  connections: 4000,
  connectionsOfAddress: 2000,
  unauthenticated: 400,
  unauthenticatedOfAddress: 200,
  signInMs: 15_000,
  /** Kafka's connections.max.idle.ms. */
  idleMs: 600_000,
  unauthenticatedFrameBytes: 64 * KIBIBYTE,
  /** For produce requests. Others have no reason to be large. */
  frameBytes: 32 * MEBIBYTE,
  requestBytes: 4 * MEBIBYTE,
  /** Received but unserved bytes of all connections together. */
  bufferedBytes: 256 * MEBIBYTE,
  /** Buffered bytes per connection before reading pauses. */
  pausedBytes: MEBIBYTE,
} as const;
