/** What an instance reaches from its own network: the edge, a little of the platform, and the outside where its service may. */
import { createServer, type Socket } from 'node:net';
import { egressProxy, type EgressVerdict } from '#adapters/sandbox/network/egress-proxy.ts';
import { hostUid } from '#adapters/sandbox/host-uid.ts';
import type { Doorway } from '#adapters/sandbox/network/network-namespace.ts';
import type { RevisionSpec } from '#ports/runtime.ts';
import { serverDoorways } from './server-doorways.ts';
import { serviceUser } from './service-names.ts';

/** Where an instance finds the way out; the port that proxies usually have. */
export const EGRESS_PORT = 3128;

export interface DoorwayTargets {
  readonly dataDir: string;
  /** The edge has the same port inside as outside, so that addresses of services hold in both places. */
  readonly ingressPort: number;
  readonly onEdge: (socket: Socket) => void;
  /** Hosts of private networks that a service may list, as an administrator allows it. */
  readonly inside?: () => readonly string[];
  /** The platform's port and what answers there, for instances alone. */
  readonly platform?: Doorway | undefined;
}

export function doorwaysOf(spec: RevisionSpec, { dataDir, ingressPort, inside, onEdge, platform }: DoorwayTargets): readonly Doorway[] {
  const { egress = [] } = spec;
  const edge: Doorway = {
    port: ingressPort,
    server: () => createServer((socket) => onEdge(comingFrom(socket, hostUid(serviceUser(dataDir, spec))))),
  };
  return [
    edge,
    ...(platform ? [platform] : []),
    ...serverDoorways(spec),
    ...(egress.length === 0 ? [] : [{ port: EGRESS_PORT, server: () => egressProxy({ verdict: verdictOf(egress, inside) }) }]),
  ];
}

/** Instances would all seem to come from one address, and one of them could use up what the edge grants to it: each service has one of its own. */
function comingFrom(socket: Socket, uid: number): Socket {
  const address = `127.${(uid >> 16) & 255}.${(uid >> 8) & 255}.${uid & 255}`;
  return Object.defineProperty(socket, 'remoteAddress', { value: address });
}

/**
 * `name` and `name:port`, `*.name` for everything below a name, `*` for all. Without a port it is 80 or 443. Private networks are in
 * reach where an administrator names the host, and the service does so, too: `*` alone leads outside.
 */
export function verdictOf(
  egress: readonly string[],
  inside: () => readonly string[] = () => [],
): (host: string, port: number) => EgressVerdict {
  return (host, port) => {
    const found = egress.filter((entry) => matches(entry, host, port));
    if (found.length === 0) return undefined;
    const isNamed = found.some((entry) => entry !== '*') && inside().some((entry) => matches(entry, host, port));
    return isNamed ? 'any' : 'public';
  };
}

function matches(entry: string, host: string, port: number): boolean {
  if (entry === '*') return true;
  const [name = '', wanted] = entry.toLowerCase().split(':');
  if (wanted === undefined ? port !== 80 && port !== 443 : port !== Number(wanted)) return false;
  return name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name;
}
