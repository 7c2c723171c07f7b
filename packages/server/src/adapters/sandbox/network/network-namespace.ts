/**
 * The network of one sandboxed command: a loopback interface and nothing else, so that no packet enters or leaves. Connections into it, and
 * listeners in it that lead out, are sockets that the server makes inside and keeps; there is no address by which anybody else could reach it.
 */
import { closeSync, openSync } from 'node:fs';
import net from 'node:net';
import { bindTo, bringLoopbackUp, CLONE_NEWNET, closeDescriptor, enterNamespace, tcpSocket } from '../libc.ts';

const LOOPBACK = '127.0.0.1';
/** Through one doorway of one command at a time: descriptors are the server's, and it has them for all. */
const MAX_CONNECTIONS = 256;

/** Something outside that a command may reach: a port on its own loopback network that leads there. */
export interface Doorway {
  readonly address?: string;
  readonly port: number;
  /** Makes the server that answers there, anew for each command. It must have deadlines of its own; how many connections it has is limited here. */
  readonly server: () => net.Server;
}

export class NetworkNamespace {
  readonly #fd: number;
  readonly #servers: net.Server[] = [];

  private constructor(fd: number) {
    this.#fd = fd;
  }

  /** Whether this server may enter networks and come back: what it needs is a right to its own. Root has it, others do not. */
  static isPermitted(): boolean {
    if (process.platform !== 'linux') return false;
    const own = openSync('/proc/thread-self/ns/net', 'r');
    try {
      enterNamespace(own, CLONE_NEWNET);
      return true;
    } catch {
      return false;
    } finally {
      closeSync(own);
    }
  }

  /** The network of a process, with its loopback interface up. Throws where this server has no right to it. */
  static of(pid: number): NetworkNamespace {
    const namespace = new NetworkNamespace(openSync(`/proc/${pid}/ns/net`, 'r'));
    try {
      namespace.#inside(bringLoopbackUp);
      return namespace;
    } catch (error) {
      namespace.close();
      throw error;
    }
  }

  /** A connection to a port that the command listens on. */
  connect(port: number): net.Socket {
    return new net.Socket({ fd: this.#inside(tcpSocket), readable: true, writable: true })
      .setNoDelay(true)
      .connect({ host: LOOPBACK, port });
  }

  /** Resolves when the port leads out. */
  async open({ address = LOOPBACK, port, server: makeServer }: Doorway): Promise<void> {
    const fd = this.#inside(() => {
      const socket = tcpSocket();
      try {
        bindTo(socket, address, port);
        return socket;
      } catch (error) {
        closeDescriptor(socket);
        throw error;
      }
    });
    const server = makeServer();
    server.maxConnections = MAX_CONNECTIONS;
    server.on('connection', (socket) => socket.on('error', () => {}));
    this.#servers.push(server);
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen({ fd }, resolve));
    server.unref();
  }

  /** The namespace itself ends with its last process. */
  close(): void {
    for (const server of this.#servers) server.close();
    closeSync(this.#fd);
  }

  /** Only this thread goes in, and it is back before anything else of the server runs. */
  #inside<T>(action: () => T): T {
    const own = openSync('/proc/thread-self/ns/net', 'r');
    try {
      enterNamespace(this.#fd, CLONE_NEWNET);
      try {
        return action();
      } finally {
        goBack(own);
      }
    } finally {
      closeSync(own);
    }
  }
}

/** A server that stayed in a stranger's network would listen and connect there: better none at all. */
function goBack(own: number): void {
  try {
    enterNamespace(own, CLONE_NEWNET);
  } catch {
    process.abort();
  }
}
