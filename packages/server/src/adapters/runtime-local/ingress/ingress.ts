/** The edge of the embedded runtime: one HTTP listener that serves every service under a host name of its own. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { listenOnTwin, type LoopbackTwin } from '#kernel/http/loopback-twin.ts';
import { PortFailure } from '#ports/failure.ts';
import type { Log } from '#ports/log.ts';
import type { EdgeStats, ServiceRef, ServiceRoute } from '#ports/runtime.ts';
import { serviceHost, serviceKey } from '../service-names.ts';
import type { EdgeTools } from './choose-auth.ts';
import { EdgeService } from './edge-service.ts';
import type { EdgeTokens } from './edge-tokens.ts';
import { Forward } from './forward.ts';
import { HostTable } from './host-table.ts';
import { PasswordQueue } from './password-queue.ts';
import { refuseUpgrade, sendRefusal, type Refusal } from './problem.ts';
import { upgrade } from './upgrade.ts';
import type { Target } from './upstream.ts';

export interface IngressOptions {
  readonly host: string;
  readonly port: number;
  readonly log: Log;
  /** Without them services with AZURE_AUTH are not served. */
  readonly tokens?: EdgeTokens | undefined;
}

const LISTEN_RETRY_MS = 100;
/** How long requests may still take when the edge closes. */
const CLOSE_MS = 5000;
const HEADERS_TIMEOUT_MS = 15_000;

const unknownHost: Refusal = { status: 421, detail: 'No service is served under this host name.' };
const unknownPath: Refusal = { status: 404, detail: 'No service answers under this path.' };

export class Ingress {
  readonly #options: IngressOptions;
  readonly #services = new Map<string, EdgeService>();
  readonly #hosts = new HostTable();
  readonly #tools: EdgeTools;
  /** Upgraded connections, which the server itself does not count any more. */
  readonly #upgraded = new Set<Duplex>();
  #server: Server | undefined;
  #twin: LoopbackTwin | undefined;

  constructor(options: IngressOptions) {
    this.#options = options;
    this.#tools = { passwords: new PasswordQueue(), tokens: options.tokens };
  }

  /** Takes the port, which a holder that is just dying may still have. Rejects with `unavailable` after `patienceMs`. */
  async listen(patienceMs: number): Promise<void> {
    const { host, port } = this.#options;
    const deadline = performance.now() + patienceMs;
    for (;;) {
      try {
        this.#server = await this.#open();
        return;
      } catch (cause) {
        const isTaken = (cause as NodeJS.ErrnoException).code === 'EADDRINUSE';
        if (!isTaken || performance.now() > deadline) {
          throw new PortFailure('unavailable', `The ingress cannot listen on ${host}:${port}.`, { cause });
        }
      }
      await delay(LISTEN_RETRY_MS);
    }
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    this.#twin?.close();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    const force = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
    for (const socket of this.#upgraded) socket.destroy();
    await closed;
    clearTimeout(force);
  }

  routeOf(service: string): ServiceRoute | undefined {
    return this.#services.get(service)?.route;
  }

  /** A service that was served once keeps its host name, answering 404, and its figures. */
  setRoute(ref: ServiceRef, route: ServiceRoute | undefined): void {
    const key = serviceKey(ref);
    const service = this.#services.get(key) ?? (route ? new EdgeService(ref, this.#tools) : undefined);
    if (!service) return;
    this.#services.set(key, service);
    this.#hosts.setOwn(serviceHost(ref), service);
    const former = service.route;
    service.setRoute(route);
    if (former?.domain === route?.domain && former?.basePath === route?.basePath) return;
    if (former?.domain !== undefined) this.#hosts.disclaim(former.domain, service);
    if (route?.domain !== undefined) this.#hosts.claim(route.domain, route.basePath, service);
  }

  setTargets(service: string, targets: readonly Target[]): void {
    this.#services.get(service)?.setTargets(targets);
  }

  /** Resolves when an instance that is out of rotation has answered what it was sent before. */
  async answered(service: string, instance: string): Promise<void> {
    await this.#services.get(service)?.answered(instance);
  }

  forgetRoutes(): void {
    for (const service of this.#services.values()) service.setTargets([]);
    this.#services.clear();
    this.#hosts.clear();
  }

  stats(seconds?: number): readonly EdgeStats[] {
    return [...this.#services.values()].map(({ meter, ref }) => ({
      ...ref,
      ...meter.read(Date.now(), seconds),
      lastRequestAt: meter.lastRequestAt,
      total: { ...meter.total },
    }));
  }

  async #open(): Promise<Server> {
    // Bodies may take as long as they make progress (see `writeTimeoutMs`); only headers must come at once.
    const server = createServer({
      requestTimeout: 0,
      headersTimeout: HEADERS_TIMEOUT_MS,
      noDelay: true,
      // Over HTTP/2 further requests would pass unseen: past excluded prefixes, limits, and with headers that the edge alone may set.
      shouldUpgradeCallback: ({ headers }) => !/(?:^|,)\s*h2c?\b/i.test(headers.upgrade ?? ''),
    });
    server.on('request', (request: IncomingMessage, response: ServerResponse) => this.#serve(request, response));
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => this.#upgrade(request, socket, head));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: this.#options.host, port: this.#options.port, exclusive: true }, () => {
        server.off('error', reject);
        server.on('error', (error) => this.#options.log.error({ err: error }, 'the ingress failed'));
        resolve();
      });
    });
    try {
      this.#twin = await listenOnTwin(server);
      return server;
    } catch (error) {
      server.close();
      throw error;
    }
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const service = this.#find(request);
    if (!(service instanceof EdgeService)) return sendRefusal(response, service);
    const startedAt = performance.now();
    response.once('close', () => service.meter.record(response.headersSent ? response.statusCode : 499, performance.now() - startedAt));
    const admitted = service.admit(request);
    const proceed = (admission: Awaited<typeof admitted>): void => {
      if ('status' in admission) sendRefusal(response, admission);
      // Otherwise the client has gone while its sign-in was worked out.
      else if (!response.destroyed) new Forward(service, admission, request, response).start();
    };
    if (admitted instanceof Promise) void admitted.then(proceed, (error: unknown) => this.#failed(error, response));
    else proceed(admitted);
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    this.#upgraded.add(socket);
    socket.once('close', () => this.#upgraded.delete(socket));
    const service = this.#find(request);
    if (!(service instanceof EdgeService)) return refuseUpgrade(socket, service);
    void this.#join(service, request, socket, head).catch((error: unknown) => {
      this.#options.log.error({ err: error }, 'an upgrade failed');
      socket.destroy();
    });
  }

  async #join(service: EdgeService, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const startedAt = performance.now();
    const record = (status: number): void => service.meter.record(status, performance.now() - startedAt);
    const admission = await service.admit(request);
    if (!('status' in admission)) return upgrade(service, admission, request, socket, head, record);
    refuseUpgrade(socket, admission);
    record(admission.status);
  }

  /** Against DNS rebinding, too: a page of another origin cannot make a browser send one of these names. */
  #find(request: IncomingMessage): EdgeService | Refusal {
    const found = this.#hosts.find(request.headers.host ?? '', request.url ?? '/');
    return found === 'noPath' ? unknownPath : (found ?? unknownHost);
  }

  #failed(error: unknown, response: ServerResponse): void {
    this.#options.log.error({ err: error }, 'a request could not be admitted');
    sendRefusal(response, { status: 500, detail: 'The edge failed.' });
  }
}
