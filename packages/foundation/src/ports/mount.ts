import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * An embedded engine that speaks its own HTTP protocol on the platform's one origin (registry, git, sign-in).
 * The composition root hands every request whose path starts with one of `prefixes` to `handle`, untouched.
 */
export interface HttpMount {
  /** Path prefixes, each ending in a slash, e.g. `/v2/`. The path without its last slash (`/v2`) matches too. */
  readonly prefixes: readonly string[];
  /** Bodies of any length are allowed, with a minimum transfer rate. Otherwise, a body must arrive within a minute. */
  readonly hasLongBodies?: boolean;
  /** Requests that wait long or come in floods are counted by themselves, so that they keep nobody else out. */
  readonly slots?: 'flagStreams' | 'payloads';
  handle(request: IncomingMessage, response: ServerResponse): void;
}
