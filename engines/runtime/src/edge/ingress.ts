/** The edge of the embedded runtime: one HTTP listener that serves every service under its own host name. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { PasswordQueue } from '@slipway/foundation/sign-in/password-queue.ts';
import { hasCode } from '@slipway/foundation/caught.ts';
import { listenOnAlias, type LoopbackAlias } from '@slipway/foundation/network/loopback-alias.ts';
import { PortFailure } from '@slipway/foundation/ports/failure.ts';
import type { Log } from '@slipway/foundation/ports/log.ts';
import type { EdgeStats, ServiceRef, ServiceRoute } from '@slipway/foundation/ports/runtime.ts';
import { serviceHost, serviceKey } from './service-names.ts';
import { readRequest, type Asked } from './asked.ts';
import type { EdgeTools } from './auth/choose-auth.ts';
import { connectLoopback, type ConnectInstance, type Target } from './connect.ts';
import { createEdgeServer } from './edge-server.ts';
import { EdgeService, type Admission } from './edge-service.ts';
import type { EdgeTokens } from './auth/edge-tokens.ts';
import { Forward } from './forward.ts';
import { HostTable } from './host-table.ts';
import { EDGE_LIMITS, PASSWORDS, type EdgeLimits } from './limits.ts';
import { endWith, sendRefusal, type Refusal } from './problem.ts';
import { upgrade, type Upgrading } from './upgrade.ts';

export interface IngressOptions {
  readonly host: string;
  readonly port: number;
  readonly log: Log;
  /** If undefined, services with AZURE_AUTH are not served. */
  readonly tokens?: EdgeTokens | undefined;
  /** Connects to an instance. Defaults to its port on the loopback address. */
  readonly connect?: ConnectInstance | undefined;
  /** Overridden in tests. */
  readonly limits?: Partial<EdgeLimits>;
}

const LISTEN_RETRY_MS = 100;
/** Time that pending requests have when the edge closes. */
const CLOSE_MS = 5000;
const TELL_FULL_EVERY_MS = 60_000;

const unknownHost: Refusal = { status: 421, detail: 'No service is served under this host name.' };
const starting: Refusal = {
  status: 503,
  detail: 'The edge has just started and does not know all services yet.',
  headers: { 'retry-after': 1 },
};
const unknownPath: Refusal = { status: 404, detail: 'No service answers under this path.' };

export class Ingress {
  readonly #options: IngressOptions;
  readonly #services = new Map<string, EdgeService>();
  readonly #hosts = new HostTable();
  readonly #tools: EdgeTools;
  /** Upgraded connections, which Node's server no longer tracks. */
  readonly #upgraded = new Set<Duplex>();
  /** False until all routes are known. Until then an unknown host name may still get a service. */
  #hasAllRoutes = false;
  #tellFullAt = 0;
  #isDraining = false;
  #server: Server | undefined;
  #alias: LoopbackAlias | undefined;

  constructor(options: IngressOptions) {
    this.#options = options;
    this.#tools = { passwords: new PasswordQueue(PASSWORDS), tokens: options.tokens };
  }

  /** Binds the port, which a dying holder may still have. Rejects with `unavailable` after `patienceMs`. */
  async listen(patienceMs: number): Promise<void> {
    const { host, port } = this.#options;
    const deadline = performance.now() + patienceMs;
    this.#isDraining = false;
    for (;;) {
      try {
        this.#server = await this.#open();
        return;
      } catch (cause) {
        const isTaken = hasCode(cause, 'EADDRINUSE');
        if (!isTaken || performance.now() > deadline) {
          throw new PortFailure('unavailable', `The ingress cannot listen on ${host}:${port}.`, { cause });
        }
      }
      await delay(LISTEN_RETRY_MS);
    }
  }

  /** Accepts a connection that did not come through the port. */
  accept(socket: Socket): void {
    if (this.#server) this.#server.emit('connection', socket);
    else socket.destroy();
  }

  /** Ends each connection after its next response. New connections are still served, until `close`. */
  drain(): void {
    this.#isDraining = true;
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    this.#alias?.close();
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

  /** Sets or removes a service's route. A service that was served once keeps its metrics and its host name, which answers 404. */
  setRoute(ref: ServiceRef, route: ServiceRoute | undefined): void {
    const key = serviceKey(ref);
    const service =
      this.#services.get(key) ?? (route ? new EdgeService(ref, this.#tools, this.#options.connect ?? connectLoopback) : undefined);
    if (!service) return;
    this.#services.set(key, service);
    this.#hosts.setOwn(serviceHost(ref), service);
    const former = service.route;
    service.setRoute(route);
    if (former?.domain === route?.domain && former?.basePath === route?.basePath) return;
    if (former?.domain !== undefined) this.#hosts.disclaim(former.domain, service);
    if (route?.domain !== undefined) this.#hosts.claim(route.domain, route.basePath, service);
  }

  /** Declares all routes known and removes the routes of services that are gone. */
  routesComplete(served: ReadonlySet<string>): void {
    for (const [key, { ref, route }] of this.#services) {
      if (route === undefined || served.has(key)) continue;
      this.setRoute(ref, undefined);
      this.setTargets(key, []);
    }
    this.#hasAllRoutes = true;
  }

  setTargets(service: string, targets: readonly Target[]): void {
    this.#services.get(service)?.setTargets(targets);
  }

  /** Resolves when an instance that is out of rotation has answered its pending requests. */
  async answered(service: string, instance: string): Promise<void> {
    await this.#services.get(service)?.answered(instance);
  }

  forgetRoutes(): void {
    for (const service of this.#services.values()) service.setTargets([]);
    this.#services.clear();
    this.#hosts.clear();
    this.#hasAllRoutes = false;
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
    const server = createEdgeServer(
      { ...EDGE_LIMITS, ...this.#options.limits },
      {
        serve: (request, response) => this.#serve(request, response),
        upgrade: (...upgrading) => this.#upgrade(...upgrading),
        full: (address) => this.#full(address),
      },
    );
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: this.#options.host, port: this.#options.port, exclusive: true }, () => {
        server.off('error', reject);
        server.on('error', (error) => this.#options.log.error({ err: error }, 'the ingress failed'));
        resolve();
      });
    });
    try {
      this.#alias = await listenOnAlias(server);
      return server;
    } catch (error) {
      server.close();
      throw error;
    }
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isDraining) response.shouldKeepAlive = false;
    const found = this.#find(request);
    if ('status' in found) return sendRefusal(response, found);
    const { asked, service } = found;
    const startedAt = performance.now();
    response.once('close', () => service.meter.record(response.headersSent ? response.statusCode : 499, performance.now() - startedAt));
    const proceed = (admission: Admission | Refusal): void => {
      if ('status' in admission) sendRefusal(response, admission);
      // Otherwise the client disconnected during authentication.
      else if (!response.destroyed) new Forward(service, admission, request, response).start();
    };
    try {
      const admitted = service.admit(request, asked);
      if (admitted instanceof Promise) void admitted.then(proceed).catch((error: unknown) => this.#failed(error, response));
      else proceed(admitted);
    } catch (error) {
      this.#failed(error, response);
    }
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    this.#upgraded.add(socket);
    socket.once('close', () => this.#upgraded.delete(socket));
    const found = this.#find(request);
    if ('status' in found) return endWith(socket, found);
    void this.#join(found, { request, client: socket, head }).catch((error: unknown) => {
      this.#options.log.error({ err: error }, 'an upgrade failed');
      socket.destroy();
    });
  }

  async #join({ asked, service }: Found, joining: Pick<Upgrading, 'request' | 'client' | 'head'>): Promise<void> {
    const startedAt = performance.now();
    const done = (status: number): void => service.meter.record(status, performance.now() - startedAt);
    const admission = await service.admit(joining.request, asked);
    if (!('status' in admission)) return upgrade({ ...joining, service, admission, done });
    endWith(joining.client, admission);
    done(admission.status);
  }

  /**
   * Finds the service by host name. Also prevents DNS rebinding: a page of another origin cannot make a browser send one of these names.
   */
  #find(request: IncomingMessage): Found | Refusal {
    const asked = readRequest(request);
    if ('status' in asked) return asked;
    const service = this.#hosts.find(asked);
    if (service instanceof EdgeService) return { asked, service };
    if (!this.#hasAllRoutes) return starting;
    return service === 'noPath' ? unknownPath : unknownHost;
  }

  #full(address: string): void {
    if (performance.now() < this.#tellFullAt) return;
    this.#tellFullAt = performance.now() + TELL_FULL_EVERY_MS;
    this.#options.log.warn({ address }, 'the ingress has too many connections and ends new ones');
  }

  #failed(error: unknown, response: ServerResponse): void {
    this.#options.log.error({ err: error }, 'a request could not be admitted');
    sendRefusal(response, { status: 500, detail: 'The edge failed.' });
  }
}

interface Found {
  readonly asked: Asked;
  readonly service: EdgeService;
}
