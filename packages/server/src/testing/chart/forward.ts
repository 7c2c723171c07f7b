/** Forwards connections from one address to another, so that a test can cut them. */
import { once } from 'node:events';
import net, { type NetConnectOpts } from 'node:net';

export interface Forward {
  /** Ends all connections and refuses new ones until `open`. */
  cut(): Promise<void>;
  open(): Promise<void>;
}

export async function forward(host: string, port: number, target: NetConnectOpts): Promise<Forward> {
  const sockets = new Set<net.Socket>();
  let server: net.Server | undefined;
  const open = async (): Promise<void> => {
    server = net.createServer((near) => {
      const far = net.connect(target);
      for (const [socket, other] of [[near, far] as const, [far, near] as const]) {
        sockets.add(socket);
        socket.on('error', () => {}).on('close', () => sockets.delete(socket) && other.destroy());
        socket.pipe(other);
      }
    });
    server.listen(port, host);
    await once(server, 'listening');
  };
  await open();
  return {
    open,
    async cut() {
      const closed = new Promise<void>((done) => void (server ? server.close(() => done()) : done()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
