/** The edge's HTTP server: strict parsing, limits, and responses to invalid requests. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { noSuchMethod, otherVersion } from './asked.ts';
import { Connections } from './connections.ts';
import { IDLE_MS, KEEP_ALIVE_PROBE_MS, type EdgeLimits } from './limits.ts';
import { endWith, sendRefusal, type Refusal } from './problem.ts';

export interface EdgeHandlers {
  serve(request: IncomingMessage, response: ServerResponse): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Called when a connection was closed because of the limits. */
  full(address: string): void;
}

const noRequest: Refusal = { status: 400, detail: 'This is no HTTP/1.1 request that the edge understands.' };
const otherExpectation: Refusal = { status: 417, detail: 'The edge knows no expectation but 100-continue.' };
/** Keyed by the error codes of Node's parser. */
const refusals: Readonly<Record<string, Refusal>> = {
  HPE_PAUSED_H2_UPGRADE: otherVersion,
  HPE_INVALID_VERSION: otherVersion,
  HPE_HEADER_OVERFLOW: { status: 431, detail: 'The headers of the request are too large.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, detail: 'The chunk extensions of the request are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, detail: 'The headers of the request did not arrive in time.' },
};

export function createEdgeServer(limits: EdgeLimits, { full, serve, upgrade }: EdgeHandlers): Server {
  const connections = new Connections(limits, full);
  const server = createServer({
    // Only headers have a deadline. Bodies may take as long as they make progress (request-body.ts).
    requestTimeout: 0,
    headersTimeout: limits.headersMs,
    connectionsCheckingInterval: limits.checkEveryMs,
    keepAliveTimeout: IDLE_MS,
    maxHeaderSize: limits.headerBytes,
    // Independent of the process's flags.
    httpValidation: 'strict',
    // The edge rejects such a request itself, with a problem response.
    requireHostHeader: false,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
    shouldUpgradeCallback: isUpgrade,
  });
  // By default Node drops headers above a number, which would bypass all rules. Their total size is limited.
  server.maxHeadersCount = 0;
  const take = (request: IncomingMessage, response: ServerResponse): void =>
    connections.take(request, response, () => serve(request, response));
  server.prependListener('connection', (socket) => connections.accept(socket));
  server.on('request', take);
  server.on('checkContinue', take);
  server.on('checkExpectation', (request, response) => connections.take(request, response, () => sendRefusal(response, otherExpectation)));
  server.on('upgrade', (request, socket, head) => {
    // Responses to earlier requests would follow the upgrade.
    if (connections.isBusy(request.socket)) socket.destroy();
    else upgrade(request, socket, head);
  });
  server.on('connect', ({ socket }) => (connections.isBusy(socket) ? socket.destroy() : endWith(socket, noSuchMethod)));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    connections.refuse(socket as IncomingMessage['socket'], refusals[error.code ?? ''] ?? noRequest),
  );
  return server;
}

/**
 * Returns whether to upgrade. Not to HTTP/2 or TLS: later requests would bypass excluded prefixes and limits, and could carry headers that
 * only the edge may set. Not with a body either, since the instance may see its end elsewhere. Such requests are served without the
 * upgrade.
 */
const isUpgrade = ({ headers }: IncomingMessage): boolean =>
  !/(?:^|,)\s*(?:h[23]c?|http|tls)\s*(?:[/,]|$)/i.test(headers.upgrade ?? '') &&
  headers['transfer-encoding'] === undefined &&
  Number(headers['content-length'] ?? 0) === 0;
