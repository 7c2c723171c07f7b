/**
 * Listens on both loopback addresses. `localhost` resolves to two addresses, and browsers try `::1` before `127.0.0.1`. If one were free,
 * any program on the machine, services included, could bind it and receive cookies and tokens meant for us.
 */
import net from 'node:net';
import type { Server } from 'node:http';

const OTHER: Readonly<Record<string, string>> = { '127.0.0.1': '::1', '0.0.0.0': '::1', '::1': '127.0.0.1' };
/** The machine lacks this address, so no other program can bind it either. */
const ABSENT = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL']);

export interface LoopbackAlias {
  /** Stops accepting connections. Accepted connections belong to the server. */
  close(): void;
}

/**
 * Accepts connections for a listening server on the other loopback address too. Does nothing for a server that does not listen on loopback.
 * Rejects with EADDRINUSE if another program has the address.
 */
export const listenOnAlias = async (server: Server): Promise<LoopbackAlias> => {
  const at = server.address();
  const host = at === null || typeof at === 'string' ? undefined : OTHER[at.address];
  if (at === null || typeof at === 'string' || host === undefined) return { close: () => {} };
  const alias = net.createServer({ noDelay: true, allowHalfOpen: true }, (socket) => void server.emit('connection', socket));
  await new Promise<void>((resolve, reject) => {
    alias.once('error', (error: NodeJS.ErrnoException) => (ABSENT.has(error.code ?? '') ? resolve() : reject(error)));
    alias.listen({ host, port: at.port, exclusive: true }, resolve);
  });
  return { close: () => void alias.close() };
};
