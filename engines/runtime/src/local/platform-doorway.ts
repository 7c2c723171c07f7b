/**
 * The only platform endpoints that services reach: the keys that verify callers, tokens for calling another service, and the receiver of
 * traces. The console, the API, git and the registry are not reachable from instances.
 */
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { CLAIMS_KEYS_PATH } from '../edge/auth/edge-tokens.ts';

const MAX_BODY = 16_384;
/** The receiver of traces has lower limits per team. */
const MAX_TRACES = 1_048_576;
const ALLOWED: readonly (readonly [method: string, path: RegExp, maxBody: number])[] = [
  ['GET', new RegExp(`^${CLAIMS_KEYS_PATH.replaceAll('.', '\\.')}$`), 0],
  ['POST', /^\/api\/v1\/apps\/[a-z0-9-]+\/(?:development|production)\/services\/[a-z0-9-]+\/access-tokens$/, MAX_BODY],
  ['POST', /^\/otlp\/v1\/traces$/, MAX_TRACES],
];
/** Bodies that one doorway holds at once, and requests that it passes on at once. */
const MAX_HELD = 4 * MAX_TRACES;
const MAX_PASSING = 32;
const PASSED_ON = ['authorization', 'content-type', 'content-encoding', 'accept', 'idempotency-key'];
const ANSWERED = ['content-type', 'retry-after'];
const DEADLINE_MS = 15_000;
/** The platform is restarting, or another replica is taking over. */
const RETRY_SECONDS = 2;

export const platformPort = (internalUrl: string): number => Number(new URL(internalUrl).port || 80);

/**
 * Returns a server that forwards to the platform. `internalUrl` returns the current address, which changes on a takeover. Requests come from
 * the loopback address `from`, so that the platform limits each service alone.
 */
export function platformDoorway(internalUrl: () => string, from: string): Server {
  const held = { bytes: 0, requests: 0 };
  const server = createServer(
    { maxHeaderSize: 16_384, requestTimeout: DEADLINE_MS, headersTimeout: DEADLINE_MS, connectionsCheckingInterval: DEADLINE_MS / 3 },
    (asked, answer) => {
      const path = (asked.url ?? '').split('?')[0] ?? '';
      const [, , maxBody] = ALLOWED.find(([method, pattern]) => asked.method === method && pattern.test(path)) ?? [];
      if (maxBody !== undefined) pass(internalUrl(), asked, answer, { maxBody, held, from });
      else refuse(answer, 403, 'Services reach the keys of the edge, access tokens and traces here, and nothing else of the platform.');
    },
  );
  server.on('clientError', (_error, socket) => socket.destroy());
  server.setTimeout(DEADLINE_MS, (socket) => socket.destroy());
  return server;
}

interface Room {
  readonly maxBody: number;
  /** Shared by the requests of one doorway. */
  readonly held: { bytes: number; requests: number };
  readonly from: string;
}
function pass(internalUrl: string, asked: IncomingMessage, answer: ServerResponse, { maxBody, held, from }: Room): void {
  if (held.requests >= MAX_PASSING) return refuse(answer, 503, 'Too many requests are under way.');
  const { host, hostname, port } = new URL(internalUrl);
  const headers = Object.fromEntries(Object.entries(asked.headers).filter(([name]) => PASSED_ON.includes(name)));
  const chunks: Buffer[] = [];
  let size = 0;
  asked.on('data', (chunk: Buffer) => {
    if (answer.headersSent) return;
    if (size + chunk.length > maxBody) return refuse(answer, 413, 'The request is too large.');
    if (held.bytes + chunk.length > MAX_HELD) return refuse(answer, 503, 'Too many requests are under way.');
    size += chunk.length;
    held.bytes += chunk.length;
    chunks.push(chunk);
  });
  held.requests += 1;
  answer.once('close', () => {
    held.bytes -= size;
    held.requests -= 1;
  });
  asked.once('end', () => {
    if (answer.headersSent) return;
    const body = Buffer.concat(chunks);
    const asking = request({
      hostname,
      port,
      path: asked.url,
      method: asked.method,
      ...(hostname.startsWith('127.') || hostname === 'localhost' ? { localAddress: from, family: 4 } : {}),
      headers: { ...headers, host, 'content-length': body.length },
    });
    // The client gets its place back when it hangs up, so the request to the platform ends then, too.
    answer.once('close', () => asking.destroy());
    asking.setTimeout(DEADLINE_MS, () => asking.destroy());
    asking.once('response', (got) => {
      const passed = Object.fromEntries(Object.entries(got.headers).filter(([name]) => ANSWERED.includes(name)));
      answer.writeHead(got.statusCode ?? 502, { 'content-type': 'application/json', ...passed });
      got.once('error', () => answer.destroy());
      got.pipe(answer);
    });
    asking.once('error', () => (answer.headersSent ? answer.destroy() : refuse(answer, 503, 'The platform does not answer.')));
    asking.end(body);
  });
}

function refuse(answer: ServerResponse, status: number, detail: string): void {
  if (status === 503) answer.setHeader('retry-after', RETRY_SECONDS);
  if (!answer.headersSent) answer.writeHead(status, { 'content-type': 'application/problem+json', connection: 'close' });
  answer.end(JSON.stringify({ title: 'Not reachable for services', status, detail }));
}
