/** One ready instance as the edge sees it: its connections, requests and load. */
import { Agent, request as httpRequest, type ClientRequest } from 'node:http';
import type { Duplex } from 'node:stream';
import { readPastFailedWrites, type ConnectInstance, type Target } from './connect.ts';
import { ANSWER_HEADER_BYTES, INSTANCE_IDLE_CONNECTIONS, INSTANCE_IDLE_MS, REQUESTS_PER_INSTANCE } from './limits.ts';

export interface UpstreamRequest {
  readonly method: string;
  readonly path: string;
  /** Flat list as returned by `requestHeaders`. */
  readonly headers: readonly string[];
  /** Whether the connection can be reused for other requests. */
  readonly isReusable: boolean;
}

export class Upstream {
  readonly id: string;
  readonly port: number;
  /** Each instance has its own agent, so that its connections can be closed when it leaves. */
  readonly #agent: LeavableAgent;
  readonly #open: () => Duplex;
  active = 0;
  #answering = 0;
  #hasLeft = false;
  readonly #answered = Promise.withResolvers<void>();

  constructor(target: Target, connect: ConnectInstance) {
    this.id = target.id;
    this.port = target.port;
    this.#open = () => readPastFailedWrites(connect(target));
    this.#agent = new LeavableAgent(this.#open);
  }

  /** Resolves when the instance has left the rotation and answered its pending requests. */
  get answered(): Promise<void> {
    return this.#answered.promise;
  }

  get isFull(): boolean {
    return this.active >= REQUESTS_PER_INSTANCE;
  }

  request({ headers, isReusable, method, path }: UpstreamRequest): ClientRequest {
    const connection = isReusable ? { agent: this.#agent } : { createConnection: this.#open };
    const sending = httpRequest({
      ...connection,
      method,
      path,
      headers,
      setHost: false,
      maxHeaderSize: ANSWER_HEADER_BYTES,
      httpValidation: 'strict',
    });
    // Header size is limited. A limit on their number would silently drop headers.
    sending.maxHeadersCount = 0;
    return sending;
  }

  /**
   * Counts a request and returns a function that ends it. Upgraded connections don't count as pending responses, since they may last for
   * days.
   */
  begin(): () => void {
    this.active++;
    this.#answering++;
    return () => {
      this.active--;
      this.#answering--;
      this.#settle();
    };
  }

  /** Closes idle connections now and busy ones after their request: kept connections would delay the program's exit. */
  leave(): void {
    this.#hasLeft = true;
    this.#agent.leave();
    this.#settle();
  }

  #settle(): void {
    if (this.#hasLeft && this.#answering === 0) this.#answered.resolve();
  }
}

class LeavableAgent extends Agent {
  readonly #open: () => Duplex;
  #isLeaving = false;

  constructor(open: () => Duplex) {
    super({ keepAlive: true, maxFreeSockets: INSTANCE_IDLE_CONNECTIONS, timeout: INSTANCE_IDLE_MS, scheduling: 'lifo' });
    this.#open = open;
  }

  leave(): void {
    this.#isLeaving = true;
    for (const sockets of Object.values(this.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  }

  override createConnection(): Duplex {
    return this.#open();
  }

  override keepSocketAlive(socket: Duplex): boolean {
    // Returns a boolean, which the declared type omits.
    const keep = super.keepSocketAlive(socket) as unknown as boolean;
    return keep && !this.#isLeaving;
  }
}

/** Returns the least busy instance; rotates among equals. */
export function leastBusy(upstreams: readonly Upstream[], turn: number, except?: ReadonlySet<Upstream>): Upstream | undefined {
  let best: Upstream | undefined;
  for (let index = 0; index < upstreams.length; index++) {
    const candidate = upstreams[(index + turn) % upstreams.length]!;
    if (candidate.isFull || except?.has(candidate)) continue;
    if (!best || candidate.active < best.active) best = candidate;
  }
  return best;
}
