/** Makes each listener accept only its known host names (421 otherwise), which blocks DNS rebinding to loopback. */
import type { ServerResponse } from 'node:http';
import { Problem } from '#kernel/problem.ts';
import { replyProblem } from './problem-reply.ts';

export interface HostGate {
  accepts(host: string | undefined): boolean;
}

/** Accepts the hosts of the platform's own URLs, and loopback names with the listener's port. */
export const createHostGate = (urls: readonly string[], port: () => number): HostGate => {
  const known = new Set(urls.map((url) => new URL(url).host));
  return {
    accepts(host) {
      if (host === undefined) return false;
      if (known.has(host)) return true;
      return [`localhost:${port()}`, `127.0.0.1:${port()}`, `[::1]:${port()}`].includes(host);
    },
  };
};

export const refuseHost = (response: ServerResponse): void => replyProblem(response, new Problem('WrongHost'));
