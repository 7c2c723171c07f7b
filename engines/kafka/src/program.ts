/**
 * Input and output of the broker's program. It reads one line of JSON from standard input, which stays open as a lifeline: when it closes,
 * the broker shuts down. No secret is passed as an argument. Once it listens, the broker writes one line to standard output. It logs to
 * standard error, one JSON object per line.
 */
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** The file that Node runs. */
export const brokerProgram = fileURLToPath(new URL('broker-main.ts', import.meta.url));

const EnvironmentOptions = z.object({
  /** Also the name of the directory: `development`, `production`. */
  name: z.string().regex(/^[a-z]{1,32}$/),
  /** 0 for any free port. */
  port: z.int().min(0).max(65_535),
  /** The broker's name or address as clients reach it. */
  advertisedHost: z.string().min(1),
  /** Defaults to the listener's port. */
  advertisedPort: z.int().min(1).max(65_535).optional(),
});
export const BrokerOptions = z.object({
  /** Created if missing, with mode 0700. Only one process may use it at a time. */
  directory: z.string().min(1),
  /** The address to listen on. */
  host: z.string().min(1),
  environments: z.array(EnvironmentOptions).min(1),
  /** The platform's own user, a super user in every environment. */
  admin: z.object({ name: z.string().min(1), password: z.string().min(16) }),
  /** Bytes of disk space to keep free. The default depends on the disk's size. */
  floorBytes: z.int().min(0).optional(),
  /** Interval for flushing written messages to disk, after which producers are answered. 0 leaves flushing to the operating system. */
  flushMs: z.int().min(0).max(1000).default(0),
});
export type BrokerOptions = z.output<typeof BrokerOptions>;
export type BrokerInput = z.input<typeof BrokerOptions>;

/** The line on standard output. */
export const BrokerReady = z.object({ ready: z.literal(true), environments: z.array(z.object({ name: z.string(), port: z.int() })) });
export type BrokerReady = z.output<typeof BrokerReady>;
