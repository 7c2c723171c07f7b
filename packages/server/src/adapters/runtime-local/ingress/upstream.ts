/** One ready instance as the edge sees it: its address, its connections, how busy it is. */
import { Agent } from 'node:http';
import type { Duplex } from 'node:stream';

/** Below the five seconds after which Node's own server, and many others, close an idle connection. */
const IDLE_MS = 4000;
const MAX_SOCKETS = 1024;
const MAX_IDLE_SOCKETS = 128;

export interface Target {
  readonly id: string;
  readonly port: number;
}

export class Upstream {
  readonly id: string;
  readonly port: number;
  /** Connections of its own, so that they can be let go of when the instance leaves. */
  readonly agent = new LeavableAgent();
  active = 0;
  #answering = 0;
  #hasLeft = false;
  readonly #answered = Promise.withResolvers<void>();

  constructor({ id, port }: Target) {
    this.id = id;
    this.port = port;
  }

  /** Resolves when it has left and answered what it was at. */
  get answered(): Promise<void> {
    return this.#answered.promise;
  }

  /** A request is on its way to it; answers what to call when that is over. Upgraded connections are none: they may last for days. */
  begin(): () => void {
    this.active++;
    this.#answering++;
    return () => {
      this.active--;
      this.#answering--;
      this.#settle();
    };
  }

  /** Idle connections end now, busy ones with their request: kept ones would hold up the program's end. */
  leave(): void {
    this.#hasLeft = true;
    this.agent.leave();
    this.#settle();
  }

  #settle(): void {
    if (this.#hasLeft && this.#answering === 0) this.#answered.resolve();
  }
}

class LeavableAgent extends Agent {
  #isLeaving = false;

  constructor() {
    super({ keepAlive: true, maxSockets: MAX_SOCKETS, maxFreeSockets: MAX_IDLE_SOCKETS, timeout: IDLE_MS, scheduling: 'lifo' });
  }

  leave(): void {
    this.#isLeaving = true;
    for (const sockets of Object.values(this.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  }

  override keepSocketAlive(socket: Duplex): boolean {
    // It answers a boolean, which the declared type leaves out.
    const keep = super.keepSocketAlive(socket) as unknown as boolean;
    return keep && !this.#isLeaving;
  }
}

/** The least busy one; among equals the next in turn. */
export function leastBusy(upstreams: readonly Upstream[], turn: number, except?: ReadonlySet<Upstream>): Upstream | undefined {
  let best: Upstream | undefined;
  for (let index = 0; index < upstreams.length; index++) {
    const candidate = upstreams[(index + turn) % upstreams.length]!;
    if (except?.has(candidate)) continue;
    if (!best || candidate.active < best.active) best = candidate;
  }
  return best;
}
