/**
 * What the broker's program is given and what it answers. It reads one line of JSON from its standard input, which stays open as a lifeline:
 * when it ends, the broker closes and ends, too. No secret stands in its arguments. Once it listens it writes one line to its standard
 * output. Its log goes to standard error, one object of JSON a line.
 */
import { z } from 'zod';

const EnvironmentOptions = z.object({
  /** Names its directory: `development`, `production`. */
  name: z.string().regex(/^[a-z]{1,32}$/),
  /** 0 for any. */
  port: z.int().min(0).max(65_535),
  /** What clients are given as the broker's address: the name or address they reach it by. */
  advertisedHost: z.string().min(1),
  /** The port of the listener when not given. */
  advertisedPort: z.int().min(1).max(65_535).optional(),
});
export const BrokerOptions = z.object({
  /** Made when it is not there, mode 0700. One process at a time. */
  directory: z.string().min(1),
  /** The address to listen at. */
  host: z.string().min(1),
  environments: z.array(EnvironmentOptions).min(1),
  /** The platform's own user: may do everything, in every environment. */
  admin: z.object({ name: z.string().min(1), password: z.string().min(16) }),
  /** How much of the disk is kept free; by the disk's size when not given. */
  floorBytes: z.int().min(0).optional(),
  /** Written messages are flushed to the disk together after so long, and answered then. 0 leaves the time of flushing to the system. */
  flushMs: z.int().min(0).max(1000).default(0),
});
export type BrokerOptions = z.output<typeof BrokerOptions>;
export type BrokerInput = z.input<typeof BrokerOptions>;

/** The line on standard output. */
export const BrokerReady = z.object({ ready: z.literal(true), environments: z.array(z.object({ name: z.string(), port: z.int() })) });
export type BrokerReady = z.output<typeof BrokerReady>;
