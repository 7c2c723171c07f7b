/**
 * The network of one sandboxed command: a loopback interface and nothing else, so no packet enters or leaves. Connections into it, and
 * listeners in it that lead out, are sockets that the server creates inside and keeps. No other process can reach it by address.
 */
import { closeSync, openSync } from 'node:fs';
import net from 'node:net';
import { bindTo, bringLoopbackUp, CLONE_NEWNET, closeDescriptor, enterNamespace, tcpSocket } from '../libc.ts';

const LOOPBACK = '127.0.0.1';
/** Concurrent connections per doorway of one command. The server's descriptors are shared by all commands. */
const MAX_CONNECTIONS = 256;

/** A port on a command's own loopback network that leads to something outside. */
export interface Doorway {
  readonly address?: string;
  readonly port: number;
  /** Creates the server behind the doorway, once per command. It must have its own deadlines; this class limits its connections. */
  readonly server: () => net.Server;
}

export class NetworkNamespace {
  readonly #fd: number;
  readonly #servers: net.Server[] = [];

  private constructor(fd: number) {
    this.#fd = fd;
  }

  /**
   * Returns whether this server may enter network namespaces and return, which requires rights in its own. Root has them, other users
   * don't.
   */
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

  /** Returns the network of a process, with its loopback interface up. Throws if this server has no rights to it. */
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

  /** Connects to a port on which the command listens. */
  connect(port: number): net.Socket {
    return new net.Socket({ fd: this.#inside(tcpSocket), readable: true, writable: true })
      .setNoDelay(true)
      .connect({ host: LOOPBACK, port });
  }

  /** Opens a doorway. Resolves when its port accepts connections. */
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

  /** Closes the doorways. The namespace itself ends with its last process. */
  close(): void {
    for (const server of this.#servers) server.close();
    closeSync(this.#fd);
  }

  /** Runs a synchronous action inside the namespace. Only this thread enters, and it returns before any other code of the server runs. */
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

/** Aborts if the return fails: a server stuck in another network would listen and connect there. */
function goBack(own: number): void {
  try {
    enterNamespace(own, CLONE_NEWNET);
  } catch {
    process.abort();
  }
}
