/** Forwards one request to an instance and returns its response. */
import type { ClientRequest, IncomingMessage, InformationEvent, ServerResponse } from 'node:http';
import { isFit, sendAnswer, sendInterim } from './answer.ts';
import { noInstance, type Admission, type EdgeService } from './edge-service.ts';
import { isReusableAfter } from './framing.ts';
import { expectsContinue, requestHeaders } from './headers.ts';
import { INTERIM_ANSWERS } from './limits.ts';
import { noSoundAnswer, refusalOfError, sendRefusal, type Refusal } from './problem.ts';
import { RequestBody } from './request-body.ts';
import type { Upstream } from './upstream.ts';

export class Forward {
  readonly #service: EdgeService;
  readonly #admission: Admission;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  /** Undefined if the request has no body. */
  readonly #body: RequestBody | undefined;
  /** Whether the client waits for 100 before it sends the body. */
  #isAwaited: boolean;
  #tried: Set<Upstream> | undefined;
  #sending: ClientRequest | undefined;
  #isConnected = false;
  #interim = 0;
  #final: IncomingMessage | 'refused' | undefined;

  constructor(service: EdgeService, admission: Admission, request: IncomingMessage, response: ServerResponse) {
    this.#service = service;
    this.#admission = admission;
    this.#request = request;
    this.#response = response;
    this.#isAwaited = expectsContinue(request, admission.asked);
    const { asked, route } = admission;
    if (asked.body) this.#body = new RequestBody({ request, framing: asked.body, route, refuse: (refusal) => this.#abandon(refusal) });
    response.once('close', () => {
      // The client disconnected, or got a response from the edge: the instance's response is no longer needed.
      if (!response.writableFinished || typeof this.#final !== 'object') this.#sending?.destroy();
    });
  }

  start(): void {
    const upstream = this.#service.pick(this.#tried);
    if (!upstream) return this.#refuse(noInstance);
    const { asked, caller, path, route } = this.#admission;
    const method = this.#request.method ?? 'GET';
    const prefix = route.stripBasePath ? route.basePath : undefined;
    const headers = requestHeaders(this.#request, { asked, prefix, ...caller, isUpgrade: false });
    const sending = upstream.request({ method, path, headers, isReusable: isReusableAfter(method, asked.body) });
    this.#sending = sending;
    sending.once('close', upstream.begin());
    sending.on('error', (error: NodeJS.ErrnoException) => this.#failed(upstream, error));
    sending.on('information', (information) => this.#inform(information));
    sending.once('response', (answer) => this.#answer(answer, sending));
    this.#whenConnected(sending, () => (this.#body ? this.#body.sendTo(sending, this.#isAwaited) : sending.end()));
    sending.setTimeout(route.readTimeoutMs, () => sending.destroy(new TimedOut('The service did not answer in time.')));
  }

  /** Holds the body back until connected: after a refused connection another instance is tried, which a partly sent body would prevent. */
  #whenConnected(sending: ClientRequest, then: () => void): void {
    const connected = (): void => {
      this.#isConnected = true;
      then();
    };
    sending.once('socket', (socket) => {
      if (!socket.connecting) return connected();
      const timer = setTimeout(
        () => sending.destroy(new TimedOut('The service did not accept the connection in time.')),
        this.#admission.route.connectionTimeoutMs,
      );
      socket.once('connect', connected);
      socket.once('connect', () => clearTimeout(timer));
      socket.once('close', () => clearTimeout(timer));
    });
  }

  #inform(information: InformationEvent): void {
    if (this.#final) return;
    if (++this.#interim > INTERIM_ANSWERS) return this.#abandon(noSoundAnswer);
    sendInterim(information, this.#response, { hostname: this.#admission.asked.hostname, isAwaited: this.#isAwaited });
    if (information.statusCode !== 100) return;
    this.#isAwaited = false;
    this.#body?.awaitClient();
  }

  #answer(answer: IncomingMessage, sending: ClientRequest): void {
    if (this.#final) return void answer.resume();
    if (!isFit(answer)) return this.#abandon(noSoundAnswer);
    const { asked, route } = this.#admission;
    try {
      sendAnswer(answer, this.#response, { hostname: asked.hostname, writeTimeoutMs: route.writeTimeoutMs });
    } catch {
      // Node's client accepted a response that its server cannot write.
      return this.#abandon(noSoundAnswer);
    }
    this.#final = answer;
    if (sending.writableFinished) return;
    this.#body?.waitOn();
    answer.once('end', () => {
      // The instance's response is complete, so it no longer needs the rest of the request.
      if (sending.writableFinished) return;
      this.#body?.stop();
      sending.destroy();
    });
  }

  /**
   * Tries another instance only if no connection was established, since nothing was sent then. After a reset, the request itself may have
   * killed the instance, and would kill the next one.
   */
  #failed(upstream: Upstream, error: NodeJS.ErrnoException): void {
    const final = this.#final;
    // A complete response is valid even if its connection fails afterwards.
    if (final) return void (final === 'refused' || final.complete || this.#response.destroy());
    if (this.#response.destroyed) return;
    if (!this.#isConnected && !(error instanceof TimedOut)) {
      (this.#tried ??= new Set()).add(upstream);
      return this.start();
    }
    this.#body?.stop();
    this.#refuse(error instanceof TimedOut ? { status: 504, detail: error.message } : refusalOfError(error));
  }

  #abandon(refusal: Refusal): void {
    this.#body?.stop();
    this.#refuse(refusal);
    this.#sending?.destroy();
  }

  #refuse(refusal: Refusal): void {
    if (this.#final) return void this.#response.destroy();
    this.#final = 'refused';
    sendRefusal(this.#response, refusal);
  }
}

class TimedOut extends Error {}
