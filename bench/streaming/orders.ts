/** Defines the orders to measure, and their results. client.ts gives orders, and generator.ts carries them out in a process of its own. */

/** How a client reaches a broker, and as whom. */
export interface Access {
  readonly brokers: readonly string[];
  readonly mechanism: 'SCRAM-SHA-256' | 'SCRAM-SHA-512';
  readonly username: string;
  readonly password: string;
}
export type Compression = 'none' | 'zstd';
export type Order =
  /** One message at a time, each acknowledged before the next one goes. */
  | { readonly kind: 'single'; readonly topic: string; readonly messages: number }
  /** Batches of `BATCH` messages, `IN_FLIGHT` of them on their way. */
  | { readonly kind: 'batched'; readonly topic: string; readonly messages: number; readonly compression: Compression }
  /** From the beginning, as the only member of a new group. */
  | { readonly kind: 'consumed'; readonly topic: string; readonly messages: number; readonly group: string }
  /** From the call that sends a message to the call that is given it, one after the other. */
  | { readonly kind: 'endToEnd'; readonly topic: string; readonly messages: number; readonly group: string }
  /** That many clients, each with connections and a sign-in of its own, each one message at a time. */
  | { readonly kind: 'together'; readonly topic: string; readonly messages: number; readonly clients: number }
  /** Tried again and again until a message is acknowledged. */
  | { readonly kind: 'first'; readonly topic: string };

export interface Measured {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** Until everybody had signed in and sent one message. */
  readonly signInMs: number;
  /** When the last message was done, in milliseconds since 1970. */
  readonly doneAt: number;
}

export const MESSAGE_BYTES = 1024;
/** So much of the messages is sent before the clock starts, so that both sides' code is warm. */
export const WARM_SHARE = 0.1;
export const BATCH = 100;
export const IN_FLIGHT = 5;
export const PARTITIONS = 3;
