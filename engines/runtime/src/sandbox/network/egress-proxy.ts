/**
 * Egress of a sandbox: an HTTP proxy (CONNECT, and plain requests with an absolute URL) behind a doorway. The proxy resolves names itself
 * and checks the resulting addresses, so that no name leads to this machine or the networks behind it. Tunneled bytes are forwarded unread.
 */
import { lookup } from 'node:dns/promises';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import { errorCode } from '@slipway/foundation/caught.ts';
import { isInside } from '@slipway/foundation/network/inside-addresses.ts';

/**
 * `public`: any address outside private networks. `any`: also private networks, for hosts that an administrator listed. Undefined:
 * rejected.
 */
export type EgressVerdict = 'public' | 'any' | undefined;

export interface EgressOptions {
  readonly verdict: (host: string, port: number) => EgressVerdict;
}

const CONNECT_MS = 10_000;
const IDLE_MS = 300_000;
const HEADERS_MS = 15_000;
const LOOK_EVERY_MS = 5000;
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

class Refused extends Error {}

/** Returns the proxy as a server that does not listen yet. Every outside connection ends with its connection inside. */
export function egressProxy({ verdict }: EgressOptions): Server {
  const limits = { maxHeaderSize: 16_384, headersTimeout: HEADERS_MS, requestTimeout: IDLE_MS, connectionsCheckingInterval: LOOK_EVERY_MS };
  const server = createServer(limits, (asked, answer) => void forward(asked, answer, verdict));
  server.on('connect', (asked: IncomingMessage, socket: Duplex, head: Buffer) => void tunnel(asked, socket, head, verdict));
  server.on('clientError', (_error, socket) => socket.destroy());
  server.setTimeout(IDLE_MS, (socket) => socket.destroy());
  return server;
}

async function tunnel(asked: IncomingMessage, socket: Duplex, head: Buffer, verdict: EgressOptions['verdict']): Promise<void> {
  socket.on('error', () => {});
  try {
    const outside = await reach(new URL(`connect://${asked.url ?? ''}`), 443, verdict, socket);
    outside.on('error', () => socket.destroy());
    outside.setTimeout(IDLE_MS, () => outside.destroy());
    outside.once('close', () => socket.destroy());
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    outside.write(head);
    outside.pipe(socket).pipe(outside);
  } catch (error) {
    const { status, text } = refusal(error);
    socket.end(
      `HTTP/1.1 ${status} ${status === 403 ? 'Forbidden' : 'Bad Gateway'}\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
    );
  }
}

async function forward(asked: IncomingMessage, answer: ServerResponse, verdict: EgressOptions['verdict']): Promise<void> {
  try {
    if (!URL.canParse(asked.url ?? '')) throw new Refused('A request to this proxy names its whole address.');
    const url = new URL(asked.url ?? '');
    if (url.protocol !== 'http:') throw new Refused('Only http:// addresses are requested this way; all others through CONNECT.');
    const socket = await reach(url, 80, verdict, answer);
    const headers = Object.fromEntries(Object.entries(asked.headers).filter(([name]) => !HOP_BY_HOP.includes(name)));
    const asking = request({
      createConnection: () => socket,
      method: asked.method,
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, host: url.host, connection: 'close' },
    });
    asking.once('response', (got) => {
      const passed = Object.fromEntries(Object.entries(got.headers).filter(([name]) => !HOP_BY_HOP.includes(name)));
      answer.writeHead(got.statusCode ?? 502, passed);
      got.pipe(answer);
      got.once('error', () => answer.destroy());
    });
    asking.once('error', () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()));
    answer.once('close', () => asking.destroy());
    asked.pipe(asking);
  } catch (error) {
    const { status, text } = refusal(error);
    answer.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(text);
  }
}

const refusal = (error: unknown): { readonly status: number; readonly text: string } =>
  error instanceof Refused
    ? { status: 403, text: `${error.message}\n` }
    : { status: 502, text: `The address does not answer (${errorCode(error) ?? 'no connection'}).\n` };

/**
 * Connects to the checked address, not to the name, since a second lookup could return another address. Closes when `inner`, the caller's
 * side, closes.
 */
async function reach(
  url: URL,
  defaultPort: number,
  verdict: EgressOptions['verdict'],
  inner: Duplex | ServerResponse,
): Promise<net.Socket> {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = Number(url.port || defaultPort);
  const allowed = host === '' ? undefined : verdict(host, port);
  if (allowed === undefined) throw new Refused(`${host}:${port} is not among the addresses that may be reached from here.`);
  const found = await lookup(host, { all: true });
  const address = found.find((entry) => allowed === 'any' || !isInside(entry.address));
  if (!address) throw new Refused(`${host} leads to a private address, which cannot be reached from here.`);
  if (inner.destroyed) throw new Error('nobody waits for it any more');
  const outside = net.connect({ host: address.address, port });
  inner.once('close', () => outside.destroy());
  return connected(outside);
}

async function connected(socket: net.Socket): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })), CONNECT_MS);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('closed')));
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.off('error', reject);
      resolve(socket);
    });
  });
}
