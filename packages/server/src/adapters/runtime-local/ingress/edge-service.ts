/** One service at the edge: its route, its ready instances, its limits, its figures. */
import type { IncomingMessage } from 'node:http';
import type { ServiceRef, ServiceRoute } from '#ports/runtime.ts';
import { BasicAuth, type BasicAuthResult } from './basic-auth.ts';
import { EdgeMeter } from './edge-meter.ts';
import type { Refusal } from './problem.ts';
import { pathInside } from './request-path.ts';
import { TokenBucket } from './token-bucket.ts';
import { leastBusy, Upstream, type Target } from './upstream.ts';

export interface Admission {
  readonly route: ServiceRoute;
  /** Path and query to send on. */
  readonly path: string;
  readonly user: string | undefined;
}

const MEGABYTE = 1024 * 1024;

export class EdgeService {
  readonly ref: ServiceRef;
  readonly meter = new EdgeMeter();
  readonly #bucket = new TokenBucket();
  #route: ServiceRoute | undefined;
  #auth: BasicAuth | undefined;
  #upstreams: readonly Upstream[] = [];
  #turn = 0;

  constructor(ref: ServiceRef) {
    this.ref = ref;
  }

  get route(): ServiceRoute | undefined {
    return this.#route;
  }

  setRoute(route: ServiceRoute | undefined): void {
    this.#route = route;
    this.#bucket.setRate(route?.spikeArrestPerMinute ?? 0, performance.now());
    const authentication = route?.authentication;
    if (authentication?.type !== 'BASIC_AUTH') this.#auth = undefined;
    else if (!this.#auth?.isFor(authentication.username, authentication.passwordHash)) {
      this.#auth = new BasicAuth(authentication.username, authentication.passwordHash);
    }
  }

  setTargets(targets: readonly Target[]): void {
    const former = new Map(this.#upstreams.map((upstream) => [`${upstream.id}:${upstream.port}`, upstream]));
    this.#upstreams = targets.map((target) => {
      const key = `${target.id}:${target.port}`;
      const upstream = former.get(key) ?? new Upstream(target);
      former.delete(key);
      return upstream;
    });
    for (const upstream of former.values()) upstream.leave();
  }

  pick(except?: ReadonlySet<Upstream>): Upstream | undefined {
    return leastBusy(this.#upstreams, this.#turn++, except);
  }

  /** Whether the request may go on, before any of its body is read. A promise only when a password must be worked out. */
  admit(request: IncomingMessage): Admission | Refusal | Promise<Admission | Refusal> {
    const route = this.#route;
    if (!route) return { status: 404, detail: 'The service is not served at the moment.' };
    const path = pathInside(request.url ?? '/', route);
    if (path === undefined) return { status: 404, detail: 'The service does not answer under this path.' };
    const waitSeconds = this.#bucket.take(performance.now());
    if (waitSeconds > 0) {
      return { status: 429, detail: 'Too many requests in a short time.', headers: { 'retry-after': waitSeconds } };
    }
    if (Number(request.headers['content-length'] ?? 0) > route.requestSizeLimitMb * MEGABYTE) return tooLarge(route);
    if (route.authentication.type !== 'BASIC_AUTH' || !this.#auth) return { route, path, user: undefined };
    const { username } = route.authentication;
    const conclude = (result: BasicAuthResult): Admission | Refusal => afterCheck(result) ?? { route, path, user: username };
    const result = this.#auth.check(request.headers.authorization);
    return typeof result === 'string' ? conclude(result) : result.then(conclude);
  }
}

export const tooLarge = (route: ServiceRoute): Refusal => ({
  status: 413,
  detail: `The request is larger than ${route.requestSizeLimitMb} MB.`,
  headers: { connection: 'close' },
});

export const noInstance: Refusal = { status: 503, detail: 'No instance of the service is ready.', headers: { 'retry-after': 1 } };

function afterCheck(result: BasicAuthResult): Refusal | undefined {
  if (result === 'right') return undefined;
  if (result === 'busy') return { status: 429, detail: 'Too many sign-ins at once.', headers: { 'retry-after': 1 } };
  return {
    status: 401,
    detail: 'User name and password are needed.',
    headers: { 'www-authenticate': 'Basic realm="service", charset="UTF-8"' },
  };
}
