/** Which headers pass the edge. */
import type { IncomingMessage } from 'node:http';

/** They concern one connection only. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/**
 * Said by the edge alone; from a client they would be lies that a service may believe. With `_` too, which many servers (CGI, WSGI) do
 * not tell from `-`.
 */
const EDGE_SAYS = /^(?:x[-_](?:forwarded|slipway)(?:[-_].*)?|forwarded|x[-_]real[-_]ip|x[-_]original[-_](?:url|host)|x[-_]rewrite[-_]url)$/;

export interface Forwarding {
  /** The base path that was taken off. */
  readonly prefix: string | undefined;
  /** Set where the edge has asked for a sign-in: password and token are its concern, the service hears who it is. */
  readonly user: string | undefined;
  /** What a token said of the caller, signed by the edge. */
  readonly claims: string | undefined;
  readonly isUpgrade: boolean;
}

/** Flat list of names and values, in the client's order and spelling. */
export function requestHeaders(request: IncomingMessage, forwarding: Forwarding): string[] {
  const named = connectionNames(request.headers.connection);
  const headers: string[] = [];
  const { rawHeaders } = request;
  let hasHost = false;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    // The edge goes by the first; a service that goes by the last would take the request for another's.
    if (name === 'host' && hasHost) continue;
    hasHost ||= name === 'host';
    if (HOP_BY_HOP.has(name) || EDGE_SAYS.test(name) || named?.has(name)) continue;
    if (name === 'authorization' && forwarding.user !== undefined) continue;
    headers.push(rawHeaders[index]!, rawHeaders[index + 1]!);
  }
  // Without it a body of unknown length would have no frame at all.
  if (request.headers['transfer-encoding'] !== undefined) headers.push('transfer-encoding', 'chunked');
  if (forwarding.isUpgrade) headers.push('connection', 'Upgrade', 'upgrade', request.headers.upgrade ?? '');
  headers.push('x-forwarded-for', request.socket.remoteAddress ?? '', 'x-forwarded-proto', 'http');
  headers.push('x-forwarded-host', request.headers.host ?? '');
  if (forwarding.prefix !== undefined) headers.push('x-forwarded-prefix', forwarding.prefix);
  if (forwarding.user !== undefined) headers.push('x-forwarded-user', headerText(forwarding.user));
  if (forwarding.claims !== undefined) headers.push('x-slipway-claims', forwarding.claims);
  return headers;
}

/** Names of other alphabets are escaped as in URLs: a header holds ASCII. */
const headerText = (text: string): string => (/^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(text) ? text : encodeURIComponent(text.toWellFormed()));

export function responseHeaders(response: IncomingMessage): string[] {
  const named = connectionNames(response.headers.connection);
  const headers: string[] = [];
  const { rawHeaders } = response;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    if (!HOP_BY_HOP.has(name) && !named?.has(name)) headers.push(rawHeaders[index]!, rawHeaders[index + 1]!);
  }
  return headers;
}

/** `Connection: close, X-Private` makes further names concern this connection only. */
function connectionNames(connection: string | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined || /^(?:keep-alive|close|upgrade)$/i.test(connection)) return undefined;
  return new Set(
    connection
      .toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  );
}
