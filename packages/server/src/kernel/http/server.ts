/** Makes the HTTP server: Fastify for the contract's routes, raw handlers for engines that speak their own protocol, errors in one shape. */
import http from 'node:http';
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance, type FastifyReply } from 'fastify';
import type { Logger } from 'pino';
import type { HttpMount } from '#ports/mount.ts';
import { newTraceId } from '../ids.ts';
import { Problem, errorObject } from '../problem.ts';
import { watchBody } from './body-pace.ts';
import { answerClientError, methodProblem } from './client-error.ts';
import { FloodGate } from './flood-gate.ts';
import { type FloodLimits, floodLimits } from './flood-limits.ts';
import { type HostGate, refuseHost } from './host-gate.ts';
import { KnownPaths } from './known-paths.ts';
import { PROBLEM_TYPE, problemHeaders, replyProblem } from './problem-reply.ts';
import { readJson } from './read-json.ts';
import { problemOf } from './to-problem.ts';

export interface ServerOptions {
  readonly log: Logger;
  readonly mounts: readonly HttpMount[];
  readonly hosts: HostGate;
  /** Shared with the routes, which count streams; one of its own unless given. */
  readonly floods?: FloodGate;
  /** Tests want them smaller. */
  readonly limits?: FloodLimits;
}

/** How long open requests (a clone, a log that is followed) may hold up the end. */
const CLOSE_MS = 1000;
const KEEP_ALIVE_MS = 20_000;
const LOOK_EVERY_MS = 5000;
/** Of what is no route of the contract; those say each how much they take. */
const BODY_BYTES = 4 * 1024;
const RETRY_SECONDS = '5';

const acceptJson = (server: FastifyInstance): void => {
  server.removeAllContentTypeParsers();
  // Merge-patch and the specification's own patch type are JSON too.
  server.addContentTypeParser<string>(/^application\/([\w.-]+\+)?json/, { parseAs: 'string' }, (_request, body, done) => {
    if (body === '') return done(null, undefined);
    try {
      done(null, readJson(body));
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  });
};

/** A settings file is a body as it is: the route gets it as `{ yaml }`, as it would from JSON. */
const acceptYaml = (server: FastifyInstance): void => {
  server.addContentTypeParser(/^(application|text)\/(x-)?yaml/, { parseAs: 'string' }, (_request, yaml, done) => done(null, { yaml }));
};

/** An archive is a body as it is. */
const acceptZip = (server: FastifyInstance): void => {
  server.addContentTypeParser<Buffer>('application/zip', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes));
};

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A HEAD of a stream would open one that nobody reads or closes: it is refused. */
    readonly isStream?: boolean;
  }
}

type Listener = (request: http.IncomingMessage, response: http.ServerResponse) => void;

/** What every request passes, whoever answers it: the pace of its body, the host, and the client's share. */
const withGates = ({ hosts, mounts, limits, floods }: Required<ServerOptions>, paths: KnownPaths, api: Listener): Listener => {
  const raw = mounts.flatMap((mount) => mount.prefixes.map((prefix) => ({ prefix, mount })));
  return (request, response) => {
    const path = request.url ?? '/';
    const found = raw.find(
      ({ prefix }) => path.startsWith(prefix) || path === prefix.slice(0, -1) || path.startsWith(`${prefix.slice(0, -1)}?`),
    );
    watchBody(request, response, limits, found?.mount.hasLongBodies ?? false);
    if (!hosts.accepts(request.headers.host)) return refuseHost(response);
    if (!floods.enter(request, response)) {
      response.setHeader('connection', 'close');
      return replyProblem(response, new Problem('TooManyRequests', { context: { seconds: RETRY_SECONDS } }));
    }
    if (found) return found.mount.handle(request, response);
    const method = request.method ?? '';
    // GET and HEAD of any other path may be a screen or a file of the console.
    const methods = paths.methodsOf(path);
    const wrong = !methods && ['GET', 'HEAD'].includes(method) ? undefined : methodProblem(method, methods);
    if (wrong) return replyProblem(response, wrong);
    // A HEAD is answered as a GET is, by the one route of both: the response was made for a HEAD, and sends no body.
    if (method === 'HEAD') request.method = 'GET';
    return api(request, response);
  };
};

export const createServer = (given: ServerOptions): FastifyInstance => {
  const { log, limits = floodLimits } = given;
  const options = { ...given, limits, floods: given.floods ?? new FloodGate(limits) };
  const paths = new KnownPaths();
  const server = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    genReqId: newTraceId,
    logController: new LogController({ disableRequestLogging: true }),
    exposeHeadRoutes: false,
    bodyLimit: BODY_BYTES,
    routerOptions: { maxParamLength: 300 },
    // A path that cannot be decoded.
    frameworkErrors: (_error, request, reply) => {
      const problem = new Problem('MISSING_RESOURCE');
      void (reply as FastifyReply).status(problem.status).type(PROBLEM_TYPE).send(errorObject(problem, request.id));
    },
    clientErrorHandler: (error, socket) => answerClientError(error as Error, socket, paths),
    serverFactory: (handler) => {
      // Blob uploads and log streams last as long as they last: the pace of bodies is watched instead.
      const timeouts = { requestTimeout: 0, headersTimeout: limits.headersMs, connectionsCheckingInterval: LOOK_EVERY_MS };
      const node = http.createServer({ ...timeouts, keepAliveTimeout: KEEP_ALIVE_MS }, withGates(options, paths, handler));
      // Also for clients that ask and do not read. Fastify sets no timeouts of a server that it did not make.
      node.setTimeout(limits.silentMs);
      return node.on('connection', (socket) => options.floods.connect(socket));
    },
  });
  acceptJson(server);
  acceptYaml(server);
  acceptZip(server);
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
    // What is away is said once by whoever lost it; each call that met it needs no trace of its own.
    if (problem.status === 503) request.log.warn({ reason: String(problem.cause ?? error), route }, problem.code);
    else if (problem.status >= 500) request.log.error({ err: problem.cause ?? error, route }, problem.code);
    return reply.status(problem.status).headers(problemHeaders(problem)).type(PROBLEM_TYPE).send(errorObject(problem, request.id));
  });
  return server;
};
