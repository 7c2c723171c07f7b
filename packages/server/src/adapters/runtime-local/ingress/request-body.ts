/** Carries the body of a request to the instance: as fast as that takes it, within the service's limits, with its trailers. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { ServiceRoute } from '#ports/runtime.ts';
import { tooLarge } from './edge-service.ts';
import type { BodyFraming } from './framing.ts';
import { passingTrailers } from './headers.ts';
import { isTooSlow } from './limits.ts';
import { throwAway, type Refusal } from './problem.ts';

const MEGABYTE = 1024 * 1024;
const late: Refusal = { status: 408, detail: 'The request did not arrive in time.', headers: { connection: 'close' } };

export interface RequestBodyOptions {
  readonly request: IncomingMessage;
  readonly framing: BodyFraming;
  readonly route: ServiceRoute;
  /** Called once, with why no more of it is taken. */
  readonly refuse: (refusal: Refusal) => void;
}

export class RequestBody {
  readonly #options: RequestBodyOptions;
  #size = 0;
  /** While the client is waited for; the instance's slowness is not the client's. */
  #waitedMs = 0;
  #waitingSince: number | undefined;
  #isTimed = true;
  #isOver = false;

  constructor(options: RequestBodyOptions) {
    this.#options = options;
  }

  /** Sends all of it. The client's time runs only when it has no word of the instance to wait for. */
  sendTo(sending: ClientRequest, isAwaited: boolean): void {
    const { refuse, request, route } = this.#options;
    const limit = route.requestSizeLimitMb * MEGABYTE;
    request.on('timeout', () => this.#isOver || refuse(late));
    request.on('data', (chunk: Buffer) => {
      this.#size += chunk.length;
      if (this.#size > limit) return refuse(tooLarge(route));
      if (this.#isSlow()) return refuse(late);
      if (sending.write(chunk)) return this.awaitClient();
      request.pause();
      this.#awaitInstance();
      sending.once('drain', () => {
        if (this.#isOver) return;
        this.awaitClient();
        request.resume();
      });
    });
    request.once('end', () => this.#end(sending));
    if (!isAwaited) this.awaitClient();
  }

  /** From now on the client's time runs. */
  awaitClient(): void {
    if (this.#isOver || !this.#isTimed || this.#waitingSince !== undefined) return;
    this.#waitingSince = performance.now();
    this.#options.request.setTimeout(this.#options.route.writeTimeoutMs);
  }

  /** The answer has begun: client and service talk to each other at their own pace. */
  waitOn(): void {
    if (this.#isOver) return;
    this.#isTimed = false;
    this.#awaitInstance();
  }

  /** Nobody wants the rest. */
  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.request.setTimeout(0);
    throwAway(this.#options.request);
  }

  #awaitInstance(): void {
    if (this.#waitingSince !== undefined) this.#waitedMs += performance.now() - this.#waitingSince;
    this.#waitingSince = undefined;
    this.#options.request.setTimeout(0);
  }

  #isSlow(): boolean {
    return this.#waitingSince !== undefined && isTooSlow(this.#size, this.#waitedMs + performance.now() - this.#waitingSince);
  }

  #end(sending: ClientRequest): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { framing, request } = this.#options;
    request.setTimeout(0);
    if (framing === 'chunked' && request.rawTrailers.length > 0) sending.addTrailers(passingTrailers(request.rawTrailers));
    sending.end();
  }
}
