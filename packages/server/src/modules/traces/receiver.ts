/**
 * Receives traces of services: OTLP over HTTP at `/otlp/v1/traces`, as protobuf or JSON, plain or gzip. The token decides whose traces they
 * are; names in the payload do not. An answer follows the commit.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Pool } from 'pg';
import { isDatabaseOutage, isStatementTimeout } from '#db/outage.ts';
import type { TraceTokens } from '#kernel/auth/trace-tokens.ts';
import { problemHeaders } from '#kernel/http/problem-reply.ts';
import { Admission, type IngestLimits } from '#kernel/ingest/admission.ts';
import { parseBody, readBytes } from '#kernel/ingest/read-body.ts';
import { Problem } from '#kernel/problem.ts';
import type { Log } from '#ports/log.ts';
import type { HttpMount } from '#ports/mount.ts';
import type { TraceForwarder } from './forwarder.ts';
import { spansOfJson } from './otlp-json.ts';
import { protobufAnswer, protobufStatus, spansOfProtobuf } from './otlp-protobuf.ts';
import { MAX_SPANS, rowOf, type SentSpans } from './span.ts';
import type { Sender, SpanWriter } from './span-writer.ts';

export const otlpPath = '/otlp/';
const TRACES_PATH = `${otlpPath}v1/traces`;
const PROTOBUF = 'application/x-protobuf';
const JSON_TYPE = 'application/json';
const SENDER_MS = 10_000;
const MAX_SENDERS = 5000;

export interface ReceiverOptions {
  readonly pool: Pool;
  readonly tokens: TraceTokens;
  readonly writer: SpanWriter;
  readonly limits: IngestLimits;
  /** Undefined if traces stay on the platform. */
  readonly forwarder: TraceForwarder | undefined;
  readonly log: Log;
}

const typeOf = (request: IncomingMessage): string => (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

export class TraceReceiver implements HttpMount {
  readonly prefixes = [otlpPath];
  readonly slots = 'payloads';
  readonly admission: Admission;
  readonly #options: ReceiverOptions;
  readonly #senders = new Map<string, { readonly at: number; readonly sender: Promise<Sender | undefined> }>();

  constructor(options: ReceiverOptions) {
    this.#options = options;
    this.admission = new Admission(options.limits);
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    this.#answer(request, response).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) return;
      const problem = this.#problemOf(error);
      const isProtobuf = typeOf(request) === PROTOBUF;
      const text = problem.message;
      // The rest of a body that was not read must not become the next request.
      if (!request.complete) response.setHeader('connection', 'close');
      response
        .writeHead(problem.status, {
          'content-type': isProtobuf ? PROTOBUF : JSON_TYPE,
          'cache-control': 'no-store',
          ...problemHeaders(problem),
        })
        .end(isProtobuf ? protobufStatus(text) : JSON.stringify({ message: text }));
    });
  }

  #problemOf(error: unknown): Problem {
    // A body that claims to be gzip, and is not.
    if (error instanceof Problem) return error.code === 'BodyInvalid' ? new Problem('TraceBodyInvalid', { cause: error }) : error;
    if (isDatabaseOutage(error) || isStatementTimeout(error))
      return new Problem('EngineUnavailable', { context: { engine: 'database' }, cause: error });
    this.#options.log.warn({ err: error }, 'Traces could not be stored');
    return new Problem('INTERNAL_APPLICATION_ERROR', { cause: error });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path] = (request.url ?? '').split('?');
    if (path !== TRACES_PATH) throw new Problem('MISSING_RESOURCE');
    if (request.method !== 'POST') throw new Problem('MethodNotAllowed', { context: { allow: 'POST' } });
    const [, token = ''] = /^Bearer ([\w.-]{1,200})$/i.exec(request.headers.authorization ?? '') ?? [];
    const sender = await this.#senderOf(token);
    if (!sender) throw new Problem('TraceTokenInvalid');
    const type = typeOf(request);
    if (type !== PROTOBUF && type !== JSON_TYPE) throw new Problem('TraceBodyInvalid');
    const { rejected, message } = await this.#take(sender, request, type);
    const partial = rejected > 0 ? { partialSuccess: { rejectedSpans: String(rejected), errorMessage: message } } : {};
    response
      .writeHead(200, { 'content-type': type, 'cache-control': 'no-store' })
      .end(type === PROTOBUF ? protobufAnswer(rejected, message) : JSON.stringify(partial));
  }

  async #take(sender: Sender, request: IncomingMessage, type: string): Promise<{ rejected: number; message: string }> {
    const ticket = this.admission.enter(sender.teamId);
    if (typeof ticket === 'number') throw new Problem('TooManyRequests', { context: { seconds: String(ticket) } });
    try {
      const body = await readBytes(request, ticket, this.#options.limits);
      const { spans, excess } = this.#read(body, type);
      const now = new Date();
      const rows = spans.flatMap((span) => rowOf(span, now) ?? []);
      const invalid = spans.length - rows.length;
      const full = rows.length === 0 ? 0 : await this.#options.writer.write(sender, rows);
      if (rows.length > 0) this.#options.forwarder?.add(sender, { body: new Uint8Array(body), type });
      const reasons = [
        ...(excess > 0 ? [`${excess} spans: a request may contain ${MAX_SPANS}.`] : []),
        ...(invalid > 0 ? [`${invalid} spans: their ids or times are invalid, or they are older than a day.`] : []),
        ...(full > 0 ? [`${full} spans: the team has stored its spans of today.`] : []),
      ];
      return { rejected: excess + invalid + full, message: reasons.join(' ') };
    } finally {
      ticket.release();
    }
  }

  #read(body: Buffer, type: string): SentSpans {
    try {
      const sent = type === JSON_TYPE ? spansOfJson(parseBody(body)) : spansOfProtobuf(body);
      if (sent) return sent;
    } catch (error) {
      throw new Problem('TraceBodyInvalid', { cause: error });
    }
    throw new Problem('TraceBodyInvalid');
  }

  /** The service of a token. Only tokens that the platform issued are looked up and cached. */
  async #senderOf(token: string): Promise<Sender | undefined> {
    const revisionId = await this.#options.tokens.revisionOf(token);
    if (revisionId === undefined) return undefined;
    const known = this.#senders.get(revisionId);
    if (known && Date.now() - known.at < SENDER_MS) return known.sender;
    const sender = this.#options.pool
      .query<Sender>(
        `select app.team_id as "teamId", service.id as "serviceId", app.id as app, service.environment, service.name as service,
           revision.name as revision
         from revision join service on service.id = revision.service_id join app on app.id = service.app_id
         where revision.id = $1 and revision.status <> 'DELETED'`,
        [revisionId],
      )
      .then(({ rows }) => rows[0]);
    const [oldest] = this.#senders.keys();
    if (this.#senders.size >= MAX_SENDERS && oldest !== undefined) this.#senders.delete(oldest);
    this.#senders.delete(revisionId);
    this.#senders.set(revisionId, { at: Date.now(), sender });
    sender.catch(() => this.#senders.delete(revisionId));
    return sender;
  }
}
