import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * An embedded engine that speaks its own HTTP protocol on the platform's one origin (registry, git, sign-in).
 * The composition root hands every request whose path starts with one of `prefixes` to `handle`, untouched.
 */
export interface HttpMount {
  /** Path prefixes, each ending in a slash, e.g. `/v2/`. The path without its last slash (`/v2`) matches too. */
  readonly prefixes: readonly string[];
  /** Bodies may be of any length, so they are watched by their pace; otherwise a body must be there within a minute. */
  readonly hasLongBodies?: boolean;
  handle(request: IncomingMessage, response: ServerResponse): void;
}
