/**
 * `localhost` is two addresses, and browsers try `::1` before `127.0.0.1`. A listener on one of them leaves the other to any program of
 * the machine, services included, which would be sent cookies and tokens in our name. So whoever listens on one takes both.
 */
import net from 'node:net';
import type { Server } from 'node:http';

const OTHER: Readonly<Record<string, string>> = { '127.0.0.1': '::1', '0.0.0.0': '::1', '::1': '127.0.0.1' };
/** The machine has no such address: then nobody else can sit on it either. */
const ABSENT = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL']);

export interface LoopbackAlias {
  /** Takes no more connections; those that it took belong to the server. */
  close(): void;
}

/**
 * Takes connections for a listening server at the other loopback address too; nothing happens for a server that listens on neither.
 * Rejects with the code EADDRINUSE when another program sits there.
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
