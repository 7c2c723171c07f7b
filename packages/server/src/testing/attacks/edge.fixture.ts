/** An edge with one service for attacks: clients and instances speak in bytes, and what the instance was made to run is kept. */
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { expect } from 'vitest';
import { Ingress, type IngressOptions } from '@slipway/runtime/edge/ingress.ts';
import { PortPool } from '@slipway/runtime/local/instance/port-pool.ts';
import type { ServiceRoute } from '#ports/runtime.ts';

/** A request as the instance's own server understood it. */
export interface Ran {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly trailers: IncomingMessage['trailers'];
}

const openRoute: ServiceRoute = {
  revisions: ['shop-1'],
  domain: undefined,
  basePath: '/',
  stripBasePath: true,
  connectionTimeoutMs: 2000,
  readTimeoutMs: 5000,
  writeTimeoutMs: 5000,
  requestSizeLimitMb: 1,
  spikeArrestPerMinute: 0,
  excludePathPrefixes: ['/admin'],
  authentication: { type: 'NO_AUTH' },
};
/** Longer than anything takes: only a test that is about to fail waits for it. */
const GIVE_UP_MS = 20_000;
/** For what must come, on a machine as busy as it may be. */
export const eventually = (look: () => unknown) => expect.poll(look, { timeout: GIVE_UP_MS });

export class AttackedEdge {
  readonly host = 'shop.shop.development.localhost';
  readonly ran: Ran[] = [];
  readonly #ingress: Ingress;
  readonly #port: number;
  readonly #closing: (() => unknown)[] = [];

  static async open(options: Partial<IngressOptions> = {}): Promise<AttackedEdge> {
    const port = await new PortPool().take();
    const ingress = new Ingress({ host: '127.0.0.1', port, log: { debug() {}, info() {}, warn() {}, error() {} }, ...options });
    await ingress.listen(2000);
    return new AttackedEdge(ingress, port);
  }

  private constructor(ingress: Ingress, port: number) {
    this.#ingress = ingress;
    this.#port = port;
  }

  async close(): Promise<void> {
    for (const close of this.#closing.splice(0)) close();
    await this.#ingress.close();
  }

  knowsAllRoutes(): void {
    this.#ingress.routesComplete(new Set(['shop/development/shop']));
  }

  /** A real server behind the edge. What it ran is in `ran`, in order; it answers with its number unless `answer` does. */
  async serve(answer?: RequestListener, route: Partial<ServiceRoute> = {}): Promise<void> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      if (answer) return answer(request, response);
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url = '', headers, trailers } = request;
        this.ran.push({ method, url, headers, trailers, body: String(Buffer.concat(chunks)) });
        response.end(`answer ${this.ran.length}`);
      });
    });
    server.maxHeadersCount = 0;
    this.#closing.push(() => server.closeAllConnections());
    await this.#route(server, route);
  }

  /** An instance that says what it likes: called with each connection and all that came on it so far. */
  async serveBytes(answer: (socket: Socket, received: string) => void, route: Partial<ServiceRoute> = {}): Promise<void> {
    const server = createTcpServer((socket) => {
      let received = '';
      this.#closing.push(() => socket.destroy());
      socket.on('error', () => {});
      socket.on('data', (chunk) => answer(socket, (received += chunk.toString('latin1'))));
    });
    await this.#route(server, route);
  }

  /** A client of bytes. `received` grows with what comes back; `closed` resolves with all of it. */
  connect(bytes = ''): { readonly socket: Socket; readonly received: () => string; readonly closed: Promise<string> } {
    let received = '';
    const socket = connect({ host: '127.0.0.1', port: this.#port });
    socket.write(bytes, 'latin1');
    this.#closing.push(() => socket.destroy());
    socket.on('data', (chunk) => (received += chunk.toString('latin1'))).on('error', () => {});
    socket.setTimeout(GIVE_UP_MS, () => socket.destroy());
    const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(received)));
    return { socket, received: () => received, closed };
  }

  /** Everything that comes back until the edge ends the connection. */
  async say(...lines: readonly string[]): Promise<string> {
    return this.connect(lines.join('\r\n')).closed;
  }

  /** Sends one request and returns what the instance understood of it. `headers` are further lines of its head. */
  async pass(line: string, headers: readonly string[] = [], body = ''): Promise<Ran | undefined> {
    await this.say(line, `Host: ${this.host}`, ...headers, 'Connection: close', '', body);
    return this.ran.at(-1);
  }

  async #route(server: Server, route: Partial<ServiceRoute>): Promise<void> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.#closing.push(() => server.close());
    this.#ingress.setRoute({ app: 'shop', environment: 'development', service: 'shop' }, { ...openRoute, ...route });
    this.#ingress.setTargets('shop/development/shop', [{ id: 'shop-1-a', port: (server.address() as AddressInfo).port }]);
  }
}

/** The statuses of all answers that stand in what came back, in order. */
export const statuses = (received: string): number[] =>
  [...received.matchAll(/HTTP\/1\.[01] (\d{3})/g)].map(([, status]) => Number(status));
