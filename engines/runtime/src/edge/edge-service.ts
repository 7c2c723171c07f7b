/** One service at the edge: its route, ready instances, limits and metrics. */
import type { IncomingMessage } from 'node:http';
import type { ServiceRef, ServiceRoute } from '@slipway/foundation/ports/runtime.ts';
import type { Asked } from './asked.ts';
import { chooseAuth, type EdgeTools } from './auth/choose-auth.ts';
import type { ConnectInstance, Target } from './connect.ts';
import { isRefusal, type EdgeAuth, type EdgeCaller, type Verdict } from './auth/edge-auth.ts';
import { EdgeMeter } from './edge-meter.ts';
import type { Refusal } from './problem.ts';
import { pathInside } from './request-path.ts';
import { TokenBucket } from './token-bucket.ts';
import { leastBusy, Upstream } from './upstream.ts';

export interface Admission {
  readonly asked: Asked;
  readonly route: ServiceRoute;
  /** Path and query to forward. */
  readonly path: string;
  readonly caller: EdgeCaller;
}

const MEGABYTE = 1024 * 1024;

export class EdgeService {
  readonly ref: ServiceRef;
  readonly meter = new EdgeMeter();
  readonly #tools: EdgeTools;
  readonly #connect: ConnectInstance;
  readonly #bucket = new TokenBucket();
  #route: ServiceRoute | undefined;
  #auth: EdgeAuth | undefined;
  #upstreams: readonly Upstream[] = [];
  /** Instances out of rotation that still have pending requests. */
  readonly #leaving = new Set<Upstream>();
  #turn = 0;

  constructor(ref: ServiceRef, tools: EdgeTools, connect: ConnectInstance) {
    this.ref = ref;
    this.#tools = tools;
    this.#connect = connect;
  }

  get route(): ServiceRoute | undefined {
    return this.#route;
  }

  setRoute(route: ServiceRoute | undefined): void {
    this.#route = route;
    this.#bucket.setRate(route?.spikeArrestPerMinute ?? 0, performance.now());
    this.#auth = route && chooseAuth(route.authentication, this.#auth, this.#tools);
  }

  setTargets(targets: readonly Target[]): void {
    const former = new Map(this.#upstreams.map((upstream) => [`${upstream.id}:${upstream.port}`, upstream]));
    this.#upstreams = targets.map((target) => {
      const key = `${target.id}:${target.port}`;
      const upstream = former.get(key) ?? new Upstream(target, this.#connect);
      former.delete(key);
      return upstream;
    });
    for (const upstream of former.values()) {
      upstream.leave();
      this.#leaving.add(upstream);
      // oxlint-disable-next-line slipway/fan-out -- waits for work that is under way, and starts none
      void upstream.answered.then(() => this.#leaving.delete(upstream));
    }
  }

  /** Resolves when an instance that is out of rotation has answered its pending requests. */
  async answered(instance: string): Promise<void> {
    // oxlint-disable-next-line slipway/fan-out -- waits for work that is under way, and starts none
    await Promise.all([...this.#leaving].filter(({ id }) => id === instance).map((upstream) => upstream.answered));
  }

  pick(except?: ReadonlySet<Upstream>): Upstream | undefined {
    return leastBusy(this.#upstreams, this.#turn++, except);
  }

  /** Returns whether the request is admitted, before its body is read. Returns a promise only if authentication needs work. */
  admit(request: IncomingMessage, asked: Asked): Admission | Refusal | Promise<Admission | Refusal> {
    const [route, auth] = [this.#route, this.#auth];
    if (!route || !auth) return { status: 404, detail: 'The service is not served at the moment.' };
    const path = pathInside(asked.url, route);
    if (path === undefined) return { status: 404, detail: 'The service does not answer under this path.' };
    if (typeof asked.body === 'number' && asked.body > route.requestSizeLimitMb * MEGABYTE) return tooLarge(route);
    const verdict = auth.check(request);
    const conclude = (caller: Verdict): Admission | Refusal => (isRefusal(caller) ? caller : this.#pass({ asked, route, path, caller }));
    return verdict instanceof Promise ? verdict.then(conclude) : conclude(verdict);
  }

  /** Only authorized calls count against the rate limit. */
  #pass(admission: Admission): Admission | Refusal {
    const waitSeconds = this.#bucket.take(performance.now());
    if (waitSeconds === 0) return admission;
    return { status: 429, detail: 'Too many requests in a short time.', headers: { 'retry-after': waitSeconds } };
  }
}

export const tooLarge = (route: ServiceRoute): Refusal => ({
  status: 413,
  detail: `The request is larger than ${route.requestSizeLimitMb} MB.`,
  headers: { connection: 'close' },
});

export const noInstance: Refusal = { status: 503, detail: 'No instance of the service is ready.', headers: { 'retry-after': 1 } };
