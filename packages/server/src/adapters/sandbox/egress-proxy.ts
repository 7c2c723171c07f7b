/**
 * The way out of a sandbox: an HTTP proxy (CONNECT, and plain requests with a full address) behind a doorway. Names are resolved here, and
 * what they resolve to is judged, so that no name leads to this machine or to the networks behind it. Bytes of a tunnel are passed on unread.
 */
import { lookup } from 'node:dns/promises';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import { insideAddresses } from './inside-addresses.ts';

/** `public`: wherever the name leads outside private networks; `any`: also inside, for what an administrator named; undefined: refused. */
export type EgressVerdict = 'public' | 'any' | undefined;

export interface EgressOptions {
  readonly verdict: (host: string, port: number) => EgressVerdict;
  /** How many connections one sandbox may have open at a time; more are refused. */
  readonly maxConnections?: number;
}

const CONNECT_MS = 10_000;
const IDLE_MS = 300_000;
const MAX_CONNECTIONS = 256;
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

/** What a doorway hands its connections to. */
export function egressProxy({ maxConnections = MAX_CONNECTIONS, verdict }: EgressOptions): (socket: net.Socket) => void {
  let open = 0;
  const server = createServer({ maxHeaderSize: 16_384 }, (asked, answer) => void forward(asked, answer, verdict));
  server.on('connect', (asked: IncomingMessage, socket: Duplex, head: Buffer) => void tunnel(asked, socket, head, verdict));
  server.on('clientError', (_error, socket) => socket.destroy());
  return (socket) => {
    if (open >= maxConnections) return void socket.destroy();
    open++;
    socket.once('close', () => open--);
    socket.setTimeout(IDLE_MS, () => socket.destroy());
    server.emit('connection', socket);
  };
}

async function tunnel(asked: IncomingMessage, socket: Duplex, head: Buffer, verdict: EgressOptions['verdict']): Promise<void> {
  socket.on('error', () => {});
  try {
    const outside = await reach(new URL(`connect://${asked.url ?? ''}`), 443, verdict);
    outside.on('error', () => socket.destroy());
    socket.once('close', () => outside.destroy());
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
    const socket = await reach(url, 80, verdict);
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
    : { status: 502, text: `The address does not answer (${(error as NodeJS.ErrnoException).code ?? 'no connection'}).\n` };

/** Connects to the address that was judged, not to the name: a second look-up could answer otherwise. */
async function reach(url: URL, defaultPort: number, verdict: EgressOptions['verdict']): Promise<net.Socket> {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = Number(url.port || defaultPort);
  const allowed = host === '' ? undefined : verdict(host, port);
  if (allowed === undefined) throw new Refused(`${host}:${port} is not among the addresses that may be reached from here.`);
  const found = await lookup(host, { all: true });
  const address = found.find((entry) => allowed === 'any' || !insideAddresses.check(entry.address, entry.family === 6 ? 'ipv6' : 'ipv4'));
  if (!address) throw new Refused(`${host} leads to a private address, which cannot be reached from here.`);
  return connected(net.connect({ host: address.address, port }));
}

async function connected(socket: net.Socket): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })), CONNECT_MS);
    socket.once('error', reject);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.off('error', reject);
      resolve(socket);
    });
  });
}
