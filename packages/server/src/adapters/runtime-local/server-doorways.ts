/**
 * Ways to database servers and brokers, for the instances of services that read the secret group of a database or an account there. Each
 * server has an address of its own on the instance's loopback network, so that two of them may have the same port; /etc/hosts leads its name
 * there. A broker sends its clients to the other brokers by name: there is a way to each of them.
 */
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Doorway } from '#adapters/sandbox/network/network-namespace.ts';
import type { RevisionSpec } from '#ports/runtime.ts';

type Reached = Pick<RevisionSpec, 'databases' | 'brokers'>;
const OWN = '127.0.0.1';
const LOOPBACK = /^127(\.\d{1,3}){3}$/;
const CONNECT_MS = 10_000;
const KEEP_ALIVE_MS = 60_000;

interface Way {
  readonly host: string;
  readonly port: number;
  /** Inside. */
  readonly address: string;
}
/** Inside, a server of this machine has the address that it has outside, and any other one of its own. */
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

/** Name → address inside. */
export const serverHosts = (reached: Reached): Readonly<Record<string, string>> =>
  Object.fromEntries(waysOf(reached).flatMap(({ host, address }) => (address.startsWith('127.77.') ? [[host, address]] : [])));

/** Bytes both ways; who is let in is the server's business. A connection may be idle for long: pools keep them. */
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
