/**
 * Destinations an instance can reach from its own network: the edge, a small part of the platform, and the hosts its egress settings allow.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { egressProxy, type EgressVerdict } from '../sandbox/network/egress-proxy.ts';
import { hostUid } from '../sandbox/host-uid.ts';
import type { Doorway } from '../sandbox/network/network-namespace.ts';
import type { RevisionSpec } from '@slipway/foundation/ports/runtime.ts';
import { serverDoorways } from './server-doorways.ts';
import { serviceUser } from './revision-names.ts';

/** Port of the egress proxy inside an instance; the usual proxy port. */
export const EGRESS_PORT = 3128;

export interface DoorwayTargets {
  readonly dataDir: string;
  /** The edge has the same port inside as outside, so service addresses are valid in both places. */
  readonly ingressPort: number;
  readonly onEdge: (socket: Socket) => void;
  /** Hosts of private networks that the administrator allows services to list. */
  readonly inside?: () => readonly string[];
  /** Doorway to the platform's port, for instances only. `from` is the service's own loopback address. */
  readonly platform?: { readonly port: number; readonly server: (from: string) => Server } | undefined;
}

export function doorwaysOf(spec: RevisionSpec, { dataDir, ingressPort, inside, onEdge, platform }: DoorwayTargets): readonly Doorway[] {
  const { egress = [] } = spec;
  const from = () => addressOf(hostUid(serviceUser(dataDir, spec)));
  const edge: Doorway = {
    port: ingressPort,
    server: () => createServer((socket) => onEdge(Object.defineProperty(socket, 'remoteAddress', { value: from() }))),
  };
  return [
    edge,
    ...(platform ? [{ port: platform.port, server: () => platform.server(from()) }] : []),
    ...serverDoorways(spec),
    ...(egress.length === 0 ? [] : [{ port: EGRESS_PORT, server: () => egressProxy({ verdict: verdictOf(egress, inside) }) }]),
  ];
}

/**
 * Gives each service its own client address. Otherwise all instances would share one, and a single instance could exhaust the limits of the
 * edge or the platform.
 */
const addressOf = (uid: number): string => `127.${(uid >> 16) & 255}.${(uid >> 8) & 255}.${uid & 255}`;

/**
 * Matches `name`, `name:port`, `*.name` for subdomains and `*` for all hosts. The port defaults to 80 or 443. A host in a private network
 * is reachable only if both the administrator and the service list it; `*` alone covers public hosts only.
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
