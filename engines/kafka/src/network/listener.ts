/** The listener of an environment: accepts connections within the limits, and closes those of deleted users. */
import net from 'node:net';
import { Connection, type Served } from './connection.ts';
import { limits } from './limits.ts';

export interface Listener {
  readonly port: number;
  close(): Promise<void>;
}

/** Counts by address. */
class Counter {
  readonly #byHost = new Map<string, number>();
  total = 0;
  of(host: string): number {
    return this.#byHost.get(host) ?? 0;
  }
  add(host: string, by: 1 | -1): void {
    this.total += by;
    const count = this.of(host) + by;
    if (count === 0) this.#byHost.delete(host);
    else this.#byHost.set(host, count);
  }
}

const addressOf = (socket: net.Socket): string => (socket.remoteAddress ?? '').replace(/^::ffff:/, '');

export const listen = async (at: { host: string; port: number }, served: Served): Promise<Listener> => {
  const connections = new Set<Connection>();
  const all = new Counter();
  const unauthenticated = new Counter();
  const isFull = (host: string): boolean =>
    all.total >= limits.connections ||
    all.of(host) >= limits.connectionsOfAddress ||
    unauthenticated.total >= limits.unauthenticated ||
    unauthenticated.of(host) >= limits.unauthenticatedOfAddress;
  const server = net.createServer((socket) => {
    const host = addressOf(socket);
    if (isFull(host)) {
      served.log('warn', 'a connection is refused', { host, reason: 'too many' });
      socket.destroy();
      return;
    }
    let isSignedIn = false;
    const signedIn = (): void => {
      if (!isSignedIn) unauthenticated.add(host, -1);
      isSignedIn = true;
    };
    all.add(host, 1);
    unauthenticated.add(host, 1);
    const connection = new Connection(socket, host, served, signedIn);
    connections.add(connection);
    socket.on('close', () => {
      signedIn();
      all.add(host, -1);
      connections.delete(connection);
    });
  });
  served.users.onDeleted((principal) => {
    for (const connection of connections) if (connection.principal === principal) connection.close();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(at.port, at.host, () => resolve());
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : at.port;
  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const connection of connections) connection.close();
    await closed;
  };
  return { port, close };
};
