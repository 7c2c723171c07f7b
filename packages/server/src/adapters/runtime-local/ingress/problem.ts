/** The edge's own answers, as problem details (RFC 9457). */
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { LINGER_MS } from './limits.ts';

export interface Refusal {
  readonly status: number;
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string | number>>;
}

const noAnswer: Refusal = { status: 502, detail: 'The instance ended the connection without an answer.' };
/** Its end or its headers could be read in two ways, or there are too many of them. */
export const noSoundAnswer: Refusal = { status: 502, detail: "The instance's answer is no sound HTTP, or its headers are too large." };
/** What the client hears of an error before the instance's answer; those of Node's parser begin so. */
export const refusalOfError = ({ code }: NodeJS.ErrnoException): Refusal => (code?.startsWith('HPE_') ? noSoundAnswer : noAnswer);
/** A program may say `099`, which Node's client reads and its server throws at: nobody would catch that. */
export const isStatus = (status: number | undefined): status is number => status !== undefined && status >= 200 && status <= 999;

/** The full stop of a response that has begun already is to break the connection: the client must not take it for whole. */
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

/** The last word on a connection that has no response object. */
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

/** The rest of a request that has its answer, so that the client gets to read that; but not for ever. */
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
