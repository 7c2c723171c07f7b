/**
 * Doorways to database servers and brokers, for instances of services that read a database's secret group or have an account on a broker.
 * Each server has its own address on the instance's loopback network, so two servers may share a port. /etc/hosts maps the server's name to
 * that address. A broker refers clients to other brokers by name, so each broker has a doorway.
 */
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Doorway } from '../sandbox/network/network-namespace.ts';
import type { RevisionSpec } from '@slipway/foundation/ports/runtime.ts';

type Reached = Pick<RevisionSpec, 'databases' | 'brokers'>;
const OWN = '127.0.0.1';
const LOOPBACK = /^127(\.\d{1,3}){3}$/;
const CONNECT_MS = 10_000;
const KEEP_ALIVE_MS = 60_000;

interface Way {
  readonly host: string;
  readonly port: number;
  /** Address inside the instance's network. */
  readonly address: string;
}
/** Inside, a server on this machine keeps its address. Every other server gets its own. */
const waysOf = ({ databases = [], brokers = [] }: Reached): readonly Way[] => {
  const isHere = (host: string): boolean => host === 'localhost' || LOOPBACK.test(host);
  const servers = [...databases, ...brokers];
  const names = [...new Set(servers.map(({ host }) => host))].filter((host) => !isHere(host));
  return servers.map(({ host, port }) => {
    const here = host === 'localhost' ? OWN : host;
    return { host, port, address: isHere(host) ? here : `127.77.0.${names.indexOf(host) + 1}` };
  });
};

export const serverDoorways = (reached: Reached): readonly Doorway[] =>
  waysOf(reached).map(({ host, port, address }) => ({ address, port, server: () => passage(host, port) }));

/** Maps host names to addresses inside. */
export const serverHosts = (reached: Reached): Readonly<Record<string, string>> =>
  Object.fromEntries(waysOf(reached).flatMap(({ host, address }) => (address.startsWith('127.77.') ? [[host, address]] : [])));

/** Returns a server that pipes bytes both ways. The target authenticates clients. Connections may stay idle for long in pools. */
function passage(host: string, port: number): Server {
  return createServer((inside) => {
    const outside = connect({ host, port, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS });
    const late = setTimeout(() => outside.destroy(), CONNECT_MS);
    outside.once('connect', () => clearTimeout(late)).once('close', () => clearTimeout(late));
    for (const [one, other] of [
      [inside, outside],
      [outside, inside],
    ] satisfies [Socket, Socket][])
      one.on('error', () => other.destroy()).once('close', () => other.destroy());
    inside.pipe(outside).pipe(inside);
  });
}
