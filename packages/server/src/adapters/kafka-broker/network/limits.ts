/** What clients may take, before and after they have signed in. */
const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;

export const limits = {
  /** Of a laptop's clients all come from one address. */
  connections: 4000,
  connectionsOfAddress: 2000,
  unauthenticated: 400,
  unauthenticatedOfAddress: 200,
  signInMs: 15_000,
  /** As Kafka's connections.max.idle.ms. */
  idleMs: 600_000,
  unauthenticatedFrameBytes: 64 * KIBIBYTE,
  /** Of produce requests; the others have no reason to be large. */
  frameBytes: 32 * MEBIBYTE,
  requestBytes: 4 * MEBIBYTE,
  /** Received and not yet served, of all connections together. */
  bufferedBytes: 256 * MEBIBYTE,
  /** Of one connection, before it is read no further. */
  pausedBytes: MEBIBYTE,
} as const;
