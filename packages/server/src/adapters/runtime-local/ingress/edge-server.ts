/** The edge's HTTP server: what it reads strictly, what it limits, and what it answers where there is no request. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { noSuchMethod, otherVersion } from './asked.ts';
import { Connections } from './connections.ts';
import { IDLE_MS, KEEP_ALIVE_PROBE_MS, type EdgeLimits } from './limits.ts';
import { endWith, sendRefusal, type Refusal } from './problem.ts';

export interface EdgeHandlers {
  serve(request: IncomingMessage, response: ServerResponse): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** A connection was ended because there are too many. */
  full(address: string): void;
}

const noRequest: Refusal = { status: 400, detail: 'This is no HTTP/1.1 request that the edge understands.' };
const otherExpectation: Refusal = { status: 417, detail: 'The edge knows no expectation but 100-continue.' };
/** By the codes of Node's parser. */
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
    // Bodies may take as long as they make progress (request-body.ts); only headers must come at once.
    requestTimeout: 0,
    headersTimeout: limits.headersMs,
    connectionsCheckingInterval: limits.checkEveryMs,
    keepAliveTimeout: IDLE_MS,
    maxHeaderSize: limits.headerBytes,
    // Whatever the process was started with.
    httpValidation: 'strict',
    // Refused like every other request, with an answer to read.
    requireHostHeader: false,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
    shouldUpgradeCallback: isUpgrade,
  });
  // Node would leave out those above a number, unseen by all rules. Their size is limited.
  server.maxHeadersCount = 0;
  const take = (request: IncomingMessage, response: ServerResponse): void =>
    connections.take(request, response, () => serve(request, response));
  server.prependListener('connection', (socket) => connections.accept(socket));
  server.on('request', take);
  server.on('checkContinue', take);
  server.on('checkExpectation', (request, response) => connections.take(request, response, () => sendRefusal(response, otherExpectation)));
  server.on('upgrade', (request, socket, head) => {
    // The answers before it would follow it.
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
 * Not to HTTP/2 or TLS, in which further requests would pass unseen: past excluded prefixes, limits, and with headers that the edge
 * alone may set. Nor with a body, whose end the instance may see elsewhere. Such requests are served without the upgrade.
 */
const isUpgrade = ({ headers }: IncomingMessage): boolean =>
  !/(?:^|,)\s*(?:h[23]c?|http|tls)\s*(?:[/,]|$)/i.test(headers.upgrade ?? '') &&
  headers['transfer-encoding'] === undefined &&
  Number(headers['content-length'] ?? 0) === 0;
