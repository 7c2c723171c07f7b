/** The agent's side: offers a runtime over HTTP on a Unix socket to processes of the same user. */
import { chmodSync, rmSync } from 'node:fs';
import Fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import { isPortFailure, type PortFailureKind } from '@slipway/foundation/ports/failure.ts';
import type { Log } from '@slipway/foundation/ports/log.ts';
import type { AgentHost } from './agent-host.ts';
import { END_PATH, SERVER_HEADER, TAKE_PATH, verbPath, verbs, type Failure, type Taking } from './wire.ts';

export interface ServedAgent {
  close(): Promise<void>;
}

const STATUS: Readonly<Record<PortFailureKind, number>> = { notFound: 404, conflict: 409, rejected: 422, unavailable: 503 };
/** Large, since a revision includes its secret files. */
const BODY_BYTES = 64 * 1024 * 1024;

export async function serveAgent(host: AgentHost, socket: string, log: Log): Promise<ServedAgent> {
  // Allows a setting named `__proto__`.
  const server = Fastify({ bodyLimit: BODY_BYTES, forceCloseConnections: true, onProtoPoisoning: 'ignore' });
  mountVerbs(server, host);
  server.post(TAKE_PATH, async ({ body }, reply) => {
    await host.take(body as Taking, reply.raw);
    return reply.hijack();
  });
  server.post(END_PATH, async ({ headers }) => {
    await host.end(serverOf(headers));
    return {};
  });
  server.setErrorHandler((error: FastifyError, request, reply) => {
    if (isPortFailure(error)) return reply.status(STATUS[error.kind]).send(failureOf(error));
    log.error({ err: error, route: request.routeOptions.url }, 'the node agent could not do what it was asked');
    return reply.status(500).send(failureOf(error));
  });
  // The previous owner of this path is gone, since this agent holds the lock.
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
      host.feed.close();
      await server.close();
    },
  };
}

function mountVerbs(server: FastifyInstance, host: AgentHost): void {
  for (const verb of verbs) {
    server.post(verbPath(verb), async ({ body, headers }) => {
      const output = await host.call(
        serverOf(headers) ?? '',
        verb,
        (body as unknown[]).map((value) => value ?? undefined),
      );
      return { output, events: host.feed.number };
    });
  }
}

const serverOf = (headers: Readonly<Record<string, string | string[] | undefined>>): string | undefined =>
  headers[SERVER_HEADER]?.toString();

const failureOf = (error: Error): Failure =>
  isPortFailure(error)
    ? { kind: error.kind, message: error.message, code: error.code, context: error.context }
    : { message: error.message };
