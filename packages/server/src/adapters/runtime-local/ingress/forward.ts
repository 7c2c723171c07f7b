/** Sends one request to an instance and its answer back. */
import { request as httpRequest, type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { requestHeaders, responseHeaders } from './headers.ts';
import { noInstance, tooLarge, type Admission, type EdgeService } from './edge-service.ts';
import { isStatus, noAnswer, sendRefusal, type Refusal } from './problem.ts';
import type { Upstream } from './upstream.ts';

const MEGABYTE = 1024 * 1024;

export class Forward {
  readonly #service: EdgeService;
  readonly #admission: Admission;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  #tried: Set<Upstream> | undefined;
  #sending: ClientRequest | undefined;
  #isAnswered = false;

  constructor(service: EdgeService, admission: Admission, request: IncomingMessage, response: ServerResponse) {
    this.#service = service;
    this.#admission = admission;
    this.#request = request;
    this.#response = response;
    response.once('close', () => {
      // The client went away, or the answer is complete: either way nobody waits for the instance any more.
      if (!response.writableFinished) this.#sending?.destroy();
    });
  }

  start(): void {
    const upstream = this.#service.pick(this.#tried);
    if (!upstream) return this.#refuse(noInstance);
    const { route, path, caller } = this.#admission;
    const sending = httpRequest({
      agent: upstream.agent,
      host: '127.0.0.1',
      port: upstream.port,
      method: this.#request.method ?? 'GET',
      path,
      setHost: false,
      headers: requestHeaders(this.#request, { prefix: route.stripBasePath ? route.basePath : undefined, ...caller, isUpgrade: false }),
    });
    this.#sending = sending;
    sending.once('close', upstream.begin());
    sending.on('error', (error: NodeJS.ErrnoException) => this.#failed(upstream, error));
    sending.once('response', (answer) => this.#answer(answer));
    this.#whenConnected(sending, () => this.#sendBody(sending));
    sending.setTimeout(route.readTimeoutMs, () => sending.destroy(new TimedOut('The service did not answer in time.')));
  }

  /** The body waits for the connection: a refused one is tried elsewhere, which a body half sent would forbid. */
  #whenConnected(sending: ClientRequest, then: () => void): void {
    sending.once('socket', (socket) => {
      if (!socket.connecting) return then();
      const timer = setTimeout(
        () => sending.destroy(new TimedOut('The service did not accept the connection in time.')),
        this.#admission.route.connectionTimeoutMs,
      );
      socket.once('connect', then);
      socket.once('connect', () => clearTimeout(timer));
      socket.once('close', () => clearTimeout(timer));
    });
  }

  #sendBody(sending: ClientRequest): void {
    const request = this.#request;
    const { headers } = request;
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return void sending.end();
    const { requestSizeLimitMb, writeTimeoutMs } = this.#admission.route;
    const limit = requestSizeLimitMb * MEGABYTE;
    let size = 0;
    request.setTimeout(writeTimeoutMs, () =>
      this.#abandon({ status: 408, detail: 'The request did not arrive in time.', headers: { connection: 'close' } }),
    );
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) return this.#abandon(tooLarge(this.#admission.route));
      if (!sending.write(chunk)) {
        request.pause();
        sending.once('drain', () => request.resume());
      }
    });
    request.once('end', () => {
      request.setTimeout(0);
      sending.end();
    });
    request.once('aborted', () => sending.destroy());
  }

  #answer(answer: IncomingMessage): void {
    const response = this.#response;
    if (this.#isAnswered) return void answer.resume();
    if (!isStatus(answer.statusCode)) return this.#abandon(noAnswer);
    this.#isAnswered = true;
    response.writeHead(answer.statusCode, answer.statusMessage ?? '', responseHeaders(answer));
    let stalled: NodeJS.Timeout | undefined;
    answer.on('data', (chunk: Buffer) => {
      if (response.write(chunk)) return;
      answer.pause();
      stalled = setTimeout(() => response.destroy(), this.#admission.route.writeTimeoutMs);
      response.once('drain', () => {
        clearTimeout(stalled);
        answer.resume();
      });
    });
    answer.once('end', () => response.end());
    answer.once('error', () => response.destroy());
    response.once('close', () => clearTimeout(stalled));
    // Event streams want their headers before their first event; other answers save a packet by sending both together.
    if (answer.headers['content-length'] === undefined) setImmediate(() => response.writableEnded || response.flushHeaders());
  }

  /**
   * Only a refused connection is tried again elsewhere: nothing was sent then. After a reset the request may be the very one that
   * killed the instance, and would kill the next one.
   */
  #failed(upstream: Upstream, error: NodeJS.ErrnoException): void {
    if (this.#isAnswered || this.#response.destroyed) return void this.#response.destroy();
    if (error.code === 'ECONNREFUSED') {
      (this.#tried ??= new Set()).add(upstream);
      return this.start();
    }
    this.#refuse(error instanceof TimedOut ? { status: 504, detail: error.message } : noAnswer);
  }

  #abandon(refusal: Refusal): void {
    this.#refuse(refusal);
    this.#sending?.destroy();
    // What still comes is thrown away, so that the client reads the answer before the connection ends.
    this.#request.removeAllListeners('data');
    this.#request.resume();
  }

  #refuse(refusal: Refusal): void {
    if (this.#isAnswered) return void this.#response.destroy();
    this.#isAnswered = true;
    sendRefusal(this.#response, refusal);
  }
}

class TimedOut extends Error {}
