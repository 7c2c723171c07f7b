/** Every listener answers only to the names it is known by (421 otherwise): a page that rebinds its name to loopback gets nothing. */
import type { ServerResponse } from 'node:http';
import { Problem } from '../problem.ts';
import { replyProblem } from './problem-reply.ts';

export interface HostGate {
  accepts(host: string | undefined): boolean;
}

/** Accepts the hosts of the platform's own addresses, and loopback names on the port that is listened on. */
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
