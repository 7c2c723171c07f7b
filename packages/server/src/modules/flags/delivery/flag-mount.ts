/** The public protocol of GrowthBook's SDKs: payloads, remote evaluation and streams, by client key and without sign-in. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod/mini';
import { areShort } from '@slipway/contract/flag/flag.ts';
import { readJson } from '#kernel/http/read-json.ts';
import { methodProblem } from '#kernel/http/client-error.ts';
import { replyProblem } from '#kernel/http/problem-reply.ts';
import { problemOf } from '#kernel/http/to-problem.ts';
import { Problem } from '#kernel/problem.ts';
import type { Log } from '#ports/log.ts';
import type { HttpMount } from '#ports/mount.ts';
import { evaluateAll } from '../evaluate.ts';
import type { FlagDelivery } from './flag-delivery.ts';
import type { Served } from './payloads.ts';

const BODY_BYTES = 16 * 1024;
/** Clients ask again each time, and are answered 304 unless something changed. */
const CACHE = 'public, max-age=0, must-revalidate, stale-if-error=86400';
const CLIENT_KEY = /^[\w-]{1,80}$/;

const anyOrigin = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'etag, last-modified, x-sse-support' };
const preflight = {
  ...anyOrigin,
  'access-control-allow-headers': '*, authorization, content-type, if-none-match, last-event-id, cache-control',
  'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
  'access-control-max-age': '86400',
};
const sse = { 'x-sse-support': 'enabled' };

const Evaluation = z.object({
  attributes: z._default(z.record(z.string(), z.unknown()).check(z.refine(areShort)), {}),
  forcedVariations: z._default(z.record(z.string(), z.number()), {}),
  forcedFeatures: z._default(z.array(z.tuple([z.string(), z.unknown()])), []),
  url: z._default(z.string(), ''),
});

const readBody = async (request: IncomingMessage): Promise<z.output<typeof Evaluation>> => {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += part.length;
    if (bytes > BODY_BYTES) throw new Problem('PayloadTooLarge', { context: { limit: `${BODY_BYTES / 1024} KiB` } });
    parts.push(part);
  }
  const parsed = Evaluation.safeParse(readJson(Buffer.concat(parts).toString('utf8') || '{}'));
  if (!parsed.success) throw new Problem('BodyInvalid');
  return parsed.data;
};

const isKnown = ({ headers }: IncomingMessage, etag: string): boolean =>
  headers['if-none-match']?.split(',').some((one) => ['*', etag].includes(one.trim().replace(/^W\//, ''))) ?? false;

const sendFeatures = (request: IncomingMessage, response: ServerResponse, { key, payload }: Served): void => {
  if (key.mode === 'REMOTE') throw new Problem('ClientKeyIsRemote');
  const head = {
    ...anyOrigin,
    ...sse,
    'cache-control': CACHE,
    etag: payload.etag,
    'last-modified': payload.modified,
    vary: 'accept-encoding',
  };
  const since = request.headers['if-none-match'] === undefined ? request.headers['if-modified-since'] : undefined;
  if (isKnown(request, payload.etag) || (since !== undefined && Date.parse(since) >= Date.parse(payload.modified))) {
    response.writeHead(304, head).end();
    return;
  }
  const zipped = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? '')) ? payload.gzipped : undefined;
  const body = zipped ?? payload.body;
  response.writeHead(200, {
    ...head,
    ...(zipped && { 'content-encoding': 'gzip' }),
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    'x-content-type-options': 'nosniff',
  });
  response.end(request.method === 'HEAD' ? undefined : body);
};

const sendEvaluated = async (request: IncomingMessage, response: ServerResponse, { compiled }: Served): Promise<void> => {
  const features = evaluateAll(compiled.evaluator(), compiled.names, await readBody(request));
  const body = JSON.stringify({ status: 200, features, experiments: [], dateUpdated: compiled.dateUpdated });
  response
    .writeHead(200, {
      ...anyOrigin,
      ...sse,
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'x-content-type-options': 'nosniff',
    })
    .end(body);
};

const openStream = (delivery: FlagDelivery, request: IncomingMessage, response: ServerResponse, { key, payload }: Served): void => {
  response.writeHead(200, {
    ...anyOrigin,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
  });
  const lastEventId = request.headers['last-event-id'];
  delivery.streams.open(key.clientKey, response, key.mode === 'REMOTE', {
    payload,
    lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined,
  });
};

export const flagMounts = (delivery: FlagDelivery, log: Log): HttpMount[] => {
  const mountOf = (
    prefix: string,
    methods: readonly string[],
    answer: (request: IncomingMessage, response: ServerResponse, served: Served) => unknown,
  ) => {
    const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const { method = '' } = request;
      if (method === 'OPTIONS') {
        response.writeHead(204, preflight).end();
        return;
      }
      const wrong = methodProblem(method, [...methods, 'OPTIONS']);
      if (wrong) throw wrong;
      const clientKey = (request.url ?? '').slice(prefix.length).split(/[?#]/, 1)[0] ?? '';
      if (!CLIENT_KEY.test(clientKey)) throw new Problem('ClientKeyUnknown');
      const served = await delivery.served(clientKey);
      if (response.destroyed) return;
      await answer(request, response, served);
    };
    return {
      prefixes: [prefix],
      handle: (request: IncomingMessage, response: ServerResponse) =>
        void respond(request, response).catch((error: unknown) => {
          const problem = problemOf(error, BODY_BYTES);
          if (problem.status >= 500) log.warn({ err: problem.cause ?? error }, 'A request for flags failed');
          if (response.headersSent) return response.destroy();
          for (const [name, value] of Object.entries(anyOrigin)) response.setHeader(name, value);
          return replyProblem(response, problem);
        }),
    };
  };
  return [
    mountOf('/api/features/', ['GET', 'HEAD'], sendFeatures),
    mountOf('/api/eval/', ['POST'], sendEvaluated),
    { ...mountOf('/sub/', ['GET'], (request, response, served) => openStream(delivery, request, response, served)), slots: 'flagStreams' },
  ];
};
