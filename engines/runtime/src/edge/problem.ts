/** The edge's own responses, as problem details (RFC 9457). */
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { LINGER_MS } from './limits.ts';

export interface Refusal {
  readonly status: number;
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string | number>>;
}

const noAnswer: Refusal = { status: 502, detail: 'The instance ended the connection without an answer.' };
/** The response's end or headers are ambiguous, or its headers are too large. */
export const noSoundAnswer: Refusal = { status: 502, detail: "The instance's answer is no sound HTTP, or its headers are too large." };
/** Returns the client's response to an error before the instance's response. Error codes of Node's parser start with `HPE_`. */
export const refusalOfError = ({ code }: NodeJS.ErrnoException): Refusal => (code?.startsWith('HPE_') ? noSoundAnswer : noAnswer);
/** Returns whether the status can be forwarded. Node's client accepts `099`, but its server throws, and nothing would catch that. */
export const isStatus = (status: number | undefined): status is number => status !== undefined && status >= 200 && status <= 999;

/** Sends a refusal. If a response has begun, breaks the connection instead, so that the client does not take the response for complete. */
export function sendRefusal(response: ServerResponse, refusal: Refusal): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const body = bodyOf(refusal);
  response.writeHead(refusal.status, { ...headersOf(body), ...refusal.headers });
  response.end(body);
  throwAway(response.req);
}

/** Sends a final response on a connection without a response object. */
export function endWith(socket: Duplex, refusal: Refusal): void {
  const body = bodyOf(refusal);
  const headers = Object.entries({ ...headersOf(body), ...refusal.headers, connection: 'close' });
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}`,
    ...headers.map(([name, value]) => `${name}: ${String(value)}`),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** Reads and discards the rest of an answered request, so that the client can read the response. Gives up after `LINGER_MS`. */
export function throwAway(request: IncomingMessage): void {
  request.removeAllListeners('data').resume();
  if (request.complete) return;
  const timer = setTimeout(() => request.socket.destroy(), LINGER_MS).unref();
  request.once('end', () => clearTimeout(timer));
}

const bodyOf = ({ detail, status }: Refusal): string =>
  JSON.stringify({ type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, detail });

const headersOf = (body: string): Record<string, string | number> => ({
  'content-type': 'application/problem+json',
  'content-length': Buffer.byteLength(body),
  'cache-control': 'no-store',
});
