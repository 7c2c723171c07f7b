/** Makes each listener accept only its known host names (421 otherwise), which blocks DNS rebinding to loopback. */
import type { ServerResponse } from 'node:http';
import net, { type Socket } from 'node:net';
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

/**
 * Returns whether the host is the address at which the connection arrived. Kubelets and Prometheus name pods by address. A page that rebinds
 * its name cannot send such a host.
 */
export const isOwnAddress = (
  host: string | undefined,
  { localAddress, localPort }: Pick<Socket, 'localAddress' | 'localPort'>,
): boolean => {
  if (localAddress === undefined) return false;
  const address = localAddress.replace(/^::ffff:/, '');
  return host === `${net.isIPv6(address) ? `[${address}]` : address}:${localPort}`;
};

export const refuseHost = (response: ServerResponse): void => replyProblem(response, new Problem('WrongHost'));
