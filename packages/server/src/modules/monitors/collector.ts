/**
 * The collector: takes payloads of the Grafana Faro web SDK at `/collect/{appKey}`. A payload is acknowledged after it is committed. The
 * client's address and its User-Agent header are not read.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isAllowedOrigin } from '@slipway/contract/monitoring/monitor.ts';
import { isDatabaseOutage } from '#db/outage.ts';
import { replyProblem } from '#kernel/http/problem-reply.ts';
import { Problem } from '#kernel/problem.ts';
import type { Log } from '#ports/log.ts';
import type { HttpMount } from '#ports/mount.ts';
import { Admission, type IngestLimits } from '#kernel/ingest/admission.ts';
import type { Forwarder } from './forwarder.ts';
import type { KnownMonitor, KnownMonitors } from './known-monitors.ts';
import { readPayload } from './payload.ts';
import { readBody } from '#kernel/ingest/read-body.ts';
import type { PayloadWriter } from './payload-writer.ts';
import { RecentKeys } from './recent-keys.ts';

export const collectorPath = '/collect/';
const ALLOWED_HEADERS = 'content-type, content-encoding, x-api-key, x-faro-session-id, idempotency-key, traceparent, tracestate, baggage';
const EXPOSED_HEADERS = 'retry-after, x-faro-session-status';
const PREFLIGHT_SECONDS = '7200';
const PERCENT = 100;
const WARN_EVERY_MS = 10_000;

export interface CollectorOptions {
  readonly monitors: KnownMonitors;
  readonly writer: PayloadWriter;
  readonly forwarder: Forwarder;
  readonly limits: IngestLimits;
  readonly log: Log;
}

const corsHeaders = (response: ServerResponse, origin: string): void => {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-expose-headers', EXPOSED_HEADERS);
  response.setHeader('cross-origin-resource-policy', 'cross-origin');
};
const tooMany = (seconds: number): Problem => new Problem('TooManyRequests', { context: { seconds: String(seconds) } });

const requireKey = ({ apiKey, formerKey, formerUntil }: KnownMonitor, given: string | undefined): void => {
  if (given === apiKey) return;
  if (given !== undefined && given === formerKey && formerUntil !== null && formerUntil > new Date()) return;
  throw new Problem('CollectorKeyInvalid');
};

/** Keeps the same share of sessions on every replica, whole sessions only. */
const isSampled = (session: string, percent: number): boolean => {
  if (percent >= PERCENT) return true;
  let hash = 0;
  for (const character of session) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return hash % PERCENT < percent;
};

/** Serves the collector on the platform's origin. */
export class Collector implements HttpMount {
  readonly prefixes = [collectorPath];
  readonly slots = 'payloads';
  readonly admission: Admission;
  readonly #options: CollectorOptions;
  readonly #recent = new RecentKeys();
  #warnedAt = 0;

  constructor(options: CollectorOptions) {
    this.#options = options;
    this.admission = new Admission(options.limits);
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    response.setHeader('vary', 'origin');
    this.#answer(request, response).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) return;
      const problem = this.#problemOf(error);
      // The rest of a body that was not read must not become the next request.
      if (!request.complete) response.setHeader('connection', 'close');
      replyProblem(response, problem);
    });
  }

  #problemOf(error: unknown): Problem {
    if (error instanceof Problem) return error;
    if (isDatabaseOutage(error)) return new Problem('EngineUnavailable', { context: { engine: 'database' }, cause: error });
    // Payloads that follow fail for the same reason.
    if (Date.now() - this.#warnedAt > WARN_EVERY_MS) {
      this.#warnedAt = Date.now();
      this.#options.log.warn({ err: error }, 'A payload could not be stored');
    }
    return new Problem('INTERNAL_APPLICATION_ERROR', { cause: error });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://collector');
    const monitor = await this.#options.monitors.find(url.pathname.slice(collectorPath.length));
    const { origin } = request.headers;
    if (monitor === 'busy') {
      // A page must be able to read that it has to wait, although its origin cannot be checked yet.
      corsHeaders(response, origin ?? '*');
      throw tooMany(1);
    }
    if (!monitor) throw new Problem('MonitorDoesNotExist');
    if (!isAllowedOrigin(monitor.origins, origin)) throw new Problem('OriginNotAllowed', { context: { origin: origin ?? 'none' } });
    corsHeaders(response, origin ?? '*');
    if (request.method === 'OPTIONS') {
      response.setHeader('access-control-allow-methods', 'POST');
      response.setHeader('access-control-allow-headers', ALLOWED_HEADERS);
      response.setHeader('access-control-max-age', PREFLIGHT_SECONDS);
      response.writeHead(204).end();
      return;
    }
    if (request.method !== 'POST') throw new Problem('MethodNotAllowed', { context: { allow: 'POST, OPTIONS' } });
    const header = request.headers['x-api-key'];
    requireKey(monitor, typeof header === 'string' ? header : (url.searchParams.get('apiKey') ?? url.searchParams.get('key') ?? undefined));
    const status = await this.#take(monitor, request);
    if (status === 'invalid') response.setHeader('x-faro-session-status', 'invalid');
    response.writeHead(202, { 'content-length': 0, 'cache-control': 'no-store' }).end();
  }

  async #take(monitor: KnownMonitor, request: IncomingMessage): Promise<'valid' | 'invalid'> {
    const ticket = this.admission.enter(monitor.id);
    if (typeof ticket === 'number') throw tooMany(ticket);
    try {
      const key = request.headers['idempotency-key'];
      const body = await readBody(request, ticket, this.#options.limits);
      return await this.#recent.once(monitor.id, key, () => this.#store(monitor, body));
    } finally {
      ticket.release();
    }
  }

  async #store(monitor: KnownMonitor, body: unknown): Promise<'valid' | 'invalid'> {
    const now = new Date();
    const payload = readPayload(body, monitor, now);
    if (!payload) throw new Problem('BodyInvalid');
    if (!isSampled(payload.session, monitor.samplePercent)) return 'valid';
    const status = await this.#options.writer.write({ monitor, payload, receivedAt: now });
    if (status === 'gone') throw new Problem('MonitorDoesNotExist');
    this.#options.forwarder.add(monitor, payload, body);
    return status;
  }
}
