/** Creates the HTTP server: Fastify for the contract's routes, raw handlers for engines with their own protocol, and uniform errors. */
import http from 'node:http';
import Fastify, { errorCodes, LogController, type FastifyBaseLogger, type FastifyInstance, type FastifyReply } from 'fastify';
import type { Logger } from 'pino';
import type { HttpMount } from '#ports/mount.ts';
import { traceIdNow, tracedRequest } from '#kernel/telemetry/tracing.ts';
import { RequestMetrics } from '#kernel/telemetry/request-metrics.ts';
import { Problem, errorObject } from '#kernel/problem.ts';
import { watchBody } from './body-pace.ts';
import { answerClientError, methodProblem } from './client-error.ts';
import { FloodGate } from './flood-gate.ts';
import { type FloodLimits, floodLimits } from './flood-limits.ts';
import { type HostGate, isOwnAddress, refuseHost } from './host-gate.ts';
import { KnownPaths } from './known-paths.ts';
import { PROBLEM_TYPE, problemHeaders, replyProblem } from './problem-reply.ts';
import { readJson } from '#kernel/http/read-json.ts';
import { problemOf } from './to-problem.ts';

export interface ServerOptions {
  readonly log: Logger;
  readonly mounts: readonly HttpMount[];
  readonly hosts: HostGate;
  /** Shared with the routes, which count streams. Created by default. */
  readonly floods?: FloodGate;
  /** Smaller in tests. */
  readonly limits?: FloodLimits;
  /** Shared with the routes, which name the requests. */
  readonly metrics?: RequestMetrics;
}

/** How long open requests (a clone, a followed log) may delay shutdown. */
const CLOSE_MS = 1000;
const KEEP_ALIVE_MS = 20_000;
const LOOK_EVERY_MS = 5000;
/** Body limit of requests outside the contract. Contract routes each define their own. */
const BODY_BYTES = 4 * 1024;
const RETRY_SECONDS = '5';
const PROBES = new Set(['/healthz', '/readyz', '/metrics']);

const acceptJson = (server: FastifyInstance): void => {
  server.removeAllContentTypeParsers();
  // Merge patches and the specification's patch type are JSON too.
  server.addContentTypeParser<string>(/^application\/([\w.-]+\+)?json/, { parseAs: 'string' }, (_request, body, done) => {
    if (body === '') return done(null, undefined);
    try {
      done(null, readJson(body));
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  });
};

/** Passes a settings file to the route as `{ yaml }`, the same shape as from JSON. */
const acceptYaml = (server: FastifyInstance): void => {
  server.addContentTypeParser(/^(application|text)\/(x-)?yaml/, { parseAs: 'string' }, (_request, yaml, done) => done(null, { yaml }));
};

/** Passes an archive to the route as bytes. */
const acceptZip = (server: FastifyInstance): void => {
  server.addContentTypeParser<Buffer>('application/zip', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes));
};

/** Passes a file to routes that take one, as a stream that the route reads while it arrives. */
const acceptFiles = (server: FastifyInstance): void => {
  server.addContentTypeParser('text/csv', (request, stream, done) => {
    if (request.routeOptions.config.bodyMediaType === 'text/csv') done(null, stream);
    else done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE('text/csv'));
  });
};

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Media type that the body may have instead of JSON. */
    readonly bodyMediaType?: string | undefined;
    /** Rejects HEAD requests: they would open a stream that nobody reads or closes. */
    readonly isStream?: boolean;
  }
}

type Listener = (request: http.IncomingMessage, response: http.ServerResponse) => void;

/** Checks every request before routing: the host, the client's limits, and the pace of the body. */
const withGates = ({ hosts, mounts, limits, floods, metrics }: Required<ServerOptions>, paths: KnownPaths, api: Listener): Listener => {
  const raw = mounts.flatMap((mount) => mount.prefixes.map((prefix) => ({ prefix, mount })));
  return (request, response) => {
    const path = request.url ?? '/';
    const found = raw.find(
      ({ prefix }) => path.startsWith(prefix) || path === prefix.slice(0, -1) || path.startsWith(`${prefix.slice(0, -1)}?`),
    );
    metrics.watch(request, response, found?.prefix);
    watchBody(request, response, limits, found?.mount.hasLongBodies ?? false);
    const { host } = request.headers;
    if (!hosts.accepts(host) && !(PROBES.has(path) && isOwnAddress(host, request.socket))) return refuseHost(response);
    if (!floods.enter(request, response, found?.mount.isStream)) {
      response.setHeader('connection', 'close');
      return replyProblem(response, new Problem('TooManyRequests', { context: { seconds: RETRY_SECONDS } }));
    }
    if (found) return tracedRequest(request, response, () => found.mount.handle(request, response));
    const method = request.method ?? '';
    // GET and HEAD requests of any other path may be for a screen or file of the console.
    const methods = paths.methodsOf(path);
    const wrong = !methods && ['GET', 'HEAD'].includes(method) ? undefined : methodProblem(method, methods);
    if (wrong) return replyProblem(response, wrong);
    // HEAD uses the route of GET. The response was created for HEAD, so it sends no body.
    if (method === 'HEAD') request.method = 'GET';
    // Files and screens of the console, and probes, are not worth a trace.
    return methods && !PROBES.has(path) ? tracedRequest(request, response, () => api(request, response)) : api(request, response);
  };
};

export const createServer = (given: ServerOptions): FastifyInstance => {
  const { log, limits = floodLimits } = given;
  const options = { ...given, limits, floods: given.floods ?? new FloodGate(limits), metrics: given.metrics ?? new RequestMetrics() };
  const paths = new KnownPaths();
  const server = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    genReqId: traceIdNow,
    logController: new LogController({ disableRequestLogging: true }),
    exposeHeadRoutes: false,
    bodyLimit: BODY_BYTES,
    routerOptions: { maxParamLength: 300 },
    // Handles paths that cannot be decoded.
    frameworkErrors: (_error, request, reply) => {
      const problem = new Problem('MISSING_RESOURCE');
      void (reply as FastifyReply).status(problem.status).type(PROBLEM_TYPE).send(errorObject(problem, request.id));
    },
    clientErrorHandler: (error, socket) => answerClientError(error as Error, socket, paths),
    serverFactory: (handler) => {
      // Blob uploads and log streams have no time limit. The pace of bodies is checked instead.
      const timeouts = { requestTimeout: 0, headersTimeout: limits.headersMs, connectionsCheckingInterval: LOOK_EVERY_MS };
      const node = http.createServer({ ...timeouts, keepAliveTimeout: KEEP_ALIVE_MS }, withGates(options, paths, handler));
      // Also covers clients that do not read the response. Fastify sets no timeouts on a server that it did not create.
      node.setTimeout(limits.silentMs);
      return node.on('connection', (socket) => options.floods.connect(socket));
    },
  });
  acceptJson(server);
  acceptYaml(server);
  acceptZip(server);
  acceptFiles(server);
  server.addHook('onRoute', ({ url, method, config }) => {
    const methods = [method].flat();
    paths.add(url, methods.includes('GET') && !config?.isStream ? [...methods, 'HEAD'] : methods);
  });
  server.addHook('onRequest', (_request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff');
    done();
  });
  server.addHook('preClose', (done) => {
    setTimeout(() => server.server.closeAllConnections(), CLOSE_MS).unref();
    done();
  });
  server.setErrorHandler((error, request, reply) => {
    const problem = problemOf(error, request.routeOptions.bodyLimit ?? BODY_BYTES);
    const route = request.routeOptions.url;
    // The component that lost an engine logs the outage once. The calls it affects need no stack trace.
    if (problem.status === 503) request.log.warn({ reason: String(problem.cause ?? error), route }, problem.code);
    else if (problem.status >= 500) request.log.error({ err: problem.cause ?? error, route }, problem.code);
    return reply.status(problem.status).headers(problemHeaders(problem)).type(PROBLEM_TYPE).send(errorObject(problem, request.id));
  });
  return server;
};
