/** Forwards the body of a request at the instance's pace, within the service's limits, with its trailers. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { ServiceRoute } from '@slipway/foundation/ports/runtime.ts';
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
  /** Called once, with the reason why the body is rejected. */
  readonly refuse: (refusal: Refusal) => void;
}

export class RequestBody {
  readonly #options: RequestBodyOptions;
  #size = 0;
  /** Time spent waiting for the client. The instance's slowness does not count. */
  #waitedMs = 0;
  #waitingSince: number | undefined;
  #isTimed = true;
  #isOver = false;

  constructor(options: RequestBodyOptions) {
    this.#options = options;
  }

  /** Sends the body. The client's timeout runs only if the client is not waiting for the instance (`isAwaited`). */
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

  /** Starts the client's timeout. */
  awaitClient(): void {
    if (this.#isOver || !this.#isTimed || this.#waitingSince !== undefined) return;
    this.#waitingSince = performance.now();
    this.#options.request.setTimeout(this.#options.route.writeTimeoutMs);
  }

  /** Ends the client's timeouts: the response has begun, so client and service set their own pace. */
  waitOn(): void {
    if (this.#isOver) return;
    this.#isTimed = false;
    this.#awaitInstance();
  }

  /** Discards the rest of the body. */
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
