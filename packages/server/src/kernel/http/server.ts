/** Makes the HTTP server: Fastify for the contract's routes, raw handlers for engines that speak their own protocol, errors in one shape. */
import http from 'node:http';
import Fastify, { LogController, type FastifyBaseLogger, type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify';
import type { Logger } from 'pino';
import type { HttpMount } from '#ports/mount.ts';
import { isPortFailure } from '#ports/failure.ts';
import { newTraceId } from '../ids.ts';
import { isNoSpace, PLATFORM_DISK_FULL } from '../no-space.ts';
import { Problem, errorObject } from '../problem.ts';
import { type HostGate, refuseHost } from './host-gate.ts';

export interface ServerOptions {
  readonly log: Logger;
  readonly mounts: readonly HttpMount[];
  readonly hosts: HostGate;
  /** How long a call's body may take; tests want it shorter. */
  readonly bodyMs?: number;
}

/** PostgreSQL's words for a NUL in a text or in JSON: it came with the request. */
const NOT_TEXT = new Set(['22021', '22P05']);
/** How long open requests (a clone, a log that is followed) may hold up the end. */
const CLOSE_MS = 1000;
const MEBIBYTE = 1024 * 1024;
const HEADERS_MS = 15_000;
/** For the whole body of a call, 1 MiB at most: clients that trickle theirs would hold connections for ever. */
const BODY_MS = 60_000;
const LOOK_EVERY_MS = 5000;

const problemOf = (error: unknown, bodyLimitBytes: number): Problem => {
  if (error instanceof Problem) return error;
  if (isNoSpace(error)) return new Problem(PLATFORM_DISK_FULL, { cause: error });
  if (isPortFailure(error, 'unavailable'))
    return new Problem('EngineUnavailable', { context: { engine: error.context['engine'] ?? 'engine' }, cause: error });
  if (isPortFailure(error, 'notFound')) return new Problem('MISSING_RESOURCE', { cause: error });
  const { code, statusCode } = (error ?? {}) as FastifyError;
  if (NOT_TEXT.has(code)) return new Problem('BodyInvalid', { cause: error });
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new Problem('PayloadTooLarge', { context: { limit: `${bodyLimitBytes / MEBIBYTE} MiB` } });
  if (typeof code === 'string' && code.startsWith('FST_ERR_CTP')) return new Problem('BodyInvalid', { cause: error });
  // Paths that only an attacker writes, such as `/..%5c`: the file server says 403 and would be taken for broken.
  if (statusCode === 403 || statusCode === 404) return new Problem('MISSING_RESOURCE', { cause: error });
  if (error instanceof SyntaxError) return new Problem('BodyInvalid', { cause: error });
  return new Problem('INTERNAL_APPLICATION_ERROR', { cause: error });
};

const acceptJson = (server: FastifyInstance): void => {
  server.removeAllContentTypeParsers();
  // Merge-patch and the specification's own patch type are JSON too.
  server.addContentTypeParser(/^application\/([\w.-]+\+)?json/, { parseAs: 'string' }, (_request, body, done) => {
    if (body === '') return done(null, undefined);
    try {
      done(null, JSON.parse(body as string));
    } catch (error) {
      done(error as Error);
    }
  });
};

/** A settings file is a body as it is: the route gets it as `{ yaml }`, as it would from JSON. */
const acceptYaml = (server: FastifyInstance): void => {
  server.addContentTypeParser(/^(application|text)\/(x-)?yaml/, { parseAs: 'string' }, (_request, yaml, done) => done(null, { yaml }));
};

const limitBody = (request: http.IncomingMessage, bodyMs: number): void => {
  const timer = setTimeout(() => request.destroy(), bodyMs).unref();
  request.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
};

export const createServer = ({ log, mounts, hosts, bodyMs = BODY_MS }: ServerOptions): FastifyInstance => {
  const raw = mounts.flatMap((mount) => mount.prefixes.map((prefix) => ({ prefix, mount })));
  const server = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    genReqId: newTraceId,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: MEBIBYTE,
    routerOptions: { maxParamLength: 300 },
    // A path that cannot be decoded.
    frameworkErrors: (_error, request, reply) => {
      const problem = new Problem('MISSING_RESOURCE');
      void (reply as FastifyReply).status(problem.status).type('application/problem+json').send(errorObject(problem, request.id));
    },
    serverFactory: (handler) => {
      // Blob uploads and log streams last as long as they last: each engine watches its own bodies.
      const timeouts = { requestTimeout: 0, headersTimeout: HEADERS_MS, connectionsCheckingInterval: LOOK_EVERY_MS };
      const node = http.createServer(timeouts, (request, response) => {
        if (!hosts.accepts(request.headers.host)) return refuseHost(response);
        const path = request.url ?? '/';
        const found = raw.find(
          ({ prefix }) => path.startsWith(prefix) || path === prefix.slice(0, -1) || path.startsWith(`${prefix.slice(0, -1)}?`),
        );
        if (found) return found.mount.handle(request, response);
        limitBody(request, bodyMs);
        return handler(request, response);
      });
      return node;
    },
  });
  acceptJson(server);
  acceptYaml(server);
  server.addHook('onRequest', (_request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff');
    done();
  });
  server.addHook('preClose', (done) => {
    setTimeout(() => server.server.closeAllConnections(), CLOSE_MS).unref();
    done();
  });
  server.setErrorHandler((error, request, reply) => {
    const problem = problemOf(error, request.routeOptions.bodyLimit ?? MEBIBYTE);
    if (problem.status >= 500) request.log.error({ err: problem.cause ?? error, route: request.routeOptions.url }, problem.code);
    return reply.status(problem.status).type('application/problem+json').send(errorObject(problem, request.id));
  });
  return server;
};
