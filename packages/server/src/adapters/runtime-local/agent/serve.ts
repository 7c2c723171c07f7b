/** The agent's side: offers a runtime over HTTP on a Unix socket, to whoever of this user's processes connects. */
import { chmodSync, rmSync } from 'node:fs';
import Fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import { isPortFailure, type PortFailureKind } from '#ports/failure.ts';
import type { Log } from '#ports/log.ts';
import type { Runtime } from '#ports/runtime.ts';
import { EventFeed } from './event-feed.ts';
import { EVENTS_PATH, verbPath, verbs, type Failure } from './wire.ts';

export interface ServedRuntime {
  close(): Promise<void>;
}

const STATUS: Readonly<Record<PortFailureKind, number>> = { notFound: 404, conflict: 409, rejected: 422, unavailable: 503 };
/** A revision comes with its secret files. */
const BODY_BYTES = 64 * 1024 * 1024;

type Call = (...input: readonly unknown[]) => Promise<unknown>;

export async function serveRuntime(runtime: Runtime, socket: string, log: Log): Promise<ServedRuntime> {
  const feed = new EventFeed();
  const stopListening = runtime.onEvent((event) => feed.push(event));
  // A setting may be called `__proto__`, and is a setting like others.
  const server = Fastify({ bodyLimit: BODY_BYTES, forceCloseConnections: true, onProtoPoisoning: 'ignore' });
  mountVerbs(server, runtime, feed);
  server.get(EVENTS_PATH, (request, reply) => {
    const { agent, after } = request.query as { agent?: string; after?: string };
    reply.hijack();
    feed.open(reply.raw, { ...(agent && { agent }), ...(after && { after: Number(after) }) });
  });
  server.setErrorHandler((error: FastifyError, request, reply) => {
    if (isPortFailure(error)) return reply.status(STATUS[error.kind]).send(failureOf(error));
    log.error({ err: error, route: request.routeOptions.url }, 'the node agent could not do what it was asked');
    return reply.status(500).send(failureOf(error));
  });
  // Whoever had this path before is gone: the path is this server's own.
  rmSync(socket, { force: true });
  const before = process.umask(0o177);
  try {
    await server.listen({ path: socket });
  } finally {
    process.umask(before);
  }
  chmodSync(socket, 0o600);
  return {
    async close() {
      stopListening();
      feed.close();
      await server.close();
    },
  };
}

function mountVerbs(server: FastifyInstance, runtime: Runtime, feed: EventFeed): void {
  for (const verb of verbs) {
    const call = (runtime[verb] as Call).bind(runtime);
    server.post(verbPath(verb), async ({ body }) => {
      const output = await call(...(body as unknown[]).map((value) => value ?? undefined));
      return { output, events: feed.number };
    });
  }
}

const failureOf = (error: Error): Failure =>
  isPortFailure(error)
    ? { kind: error.kind, message: error.message, code: error.code, context: error.context }
    : { message: error.message };
