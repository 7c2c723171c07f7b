/** Decides which headers and trailers pass the edge. */
import type { IncomingMessage } from 'node:http';
import type { Asked } from './asked.ts';
import { passesSetCookie, passingCookies, withoutClearedCookies } from './auth/cookies.ts';
import { framingHeaders, isReusableAfter } from './framing.ts';
import { EDGE_SAYS, FRAMING, HOP_BY_HOP, isEdgeConcern, listOf, plainName } from './header-names.ts';

/** Headers that the edge sets itself, in addition to hop-by-hop headers. */
const SAID_ANEW = new Set([...FRAMING, 'host', 'expect']);

export interface Forwarding {
  readonly asked: Asked;
  /** The base path that was stripped. */
  readonly prefix: string | undefined;
  /** Set if the edge required a sign-in: the service learns the user, but not the password or token. */
  readonly user: string | undefined;
  /** Claims from the caller's token, signed by the edge. */
  readonly claims: string | undefined;
  readonly isUpgrade: boolean;
}

/** Returns a flat list of names and values in the client's order and spelling. The edge sets host, framing and caller headers itself. */
export function requestHeaders(request: IncomingMessage, forwarding: Forwarding): string[] {
  const { asked, isUpgrade, user } = forwarding;
  const method = request.method ?? 'GET';
  const named = listOf(request.headers.connection);
  const headers: string[] = ['host', asked.host];
  const { rawHeaders } = request;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = plainName(rawHeaders[index]!);
    if (SAID_ANEW.has(name) || HOP_BY_HOP.has(name) || EDGE_SAYS.test(name) || named?.includes(name)) continue;
    if (name === 'authorization' && user !== undefined) continue;
    const value = name === 'cookie' ? passingCookies(rawHeaders[index + 1]!) : rawHeaders[index + 1]!;
    if (value !== undefined) headers.push(rawHeaders[index]!, value);
  }
  headers.push(...framingHeaders(method, asked.body));
  if (expectsContinue(request, asked)) headers.push('expect', '100-continue');
  if (asked.body === 'chunked' && request.headers.trailer !== undefined) headers.push('trailer', request.headers.trailer);
  if (acceptsTrailers(request)) headers.push('te', 'trailers');
  if (isUpgrade) headers.push('connection', 'Upgrade', 'upgrade', request.headers.upgrade ?? '');
  else if (!isReusableAfter(method, asked.body)) headers.push('connection', 'close');
  headers.push(...edgeSays(request, forwarding));
  return headers;
}

function edgeSays(request: IncomingMessage, { asked, claims, prefix, user }: Forwarding): string[] {
  const headers = ['x-forwarded-for', request.socket.remoteAddress ?? '', 'x-forwarded-proto', 'http', 'x-forwarded-host', asked.host];
  if (prefix !== undefined) headers.push('x-forwarded-prefix', prefix);
  if (user !== undefined) headers.push('x-forwarded-user', headerText(user));
  if (claims !== undefined) headers.push('x-slipway-claims', claims);
  return headers;
}

/** Returns whether the client waits for 100 Continue before it sends the body. */
export const expectsContinue = ({ headers, httpVersionMinor }: IncomingMessage, { body }: Asked): boolean =>
  headers.expect !== undefined && httpVersionMinor > 0 && body !== undefined && body !== 0;

const acceptsTrailers = ({ headers }: IncomingMessage): boolean =>
  typeof headers.te === 'string' && (listOf(headers.te)?.includes('trailers') ?? false);

/** URL-encodes text that a header cannot hold as ASCII. */
const headerText = (text: string): string => (/^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(text) ? text : encodeURIComponent(text.toWellFormed()));

/** Returns the headers of an interim or final response, without framing. `hostname` is the host that the client requested. */
export function answerHeaders({ headers, rawHeaders }: Pick<IncomingMessage, 'headers' | 'rawHeaders'>, hostname: string): string[] {
  const named = listOf(headers.connection);
  const passing: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    if (HOP_BY_HOP.has(name) || FRAMING.has(name) || (named?.includes(name) && !isEdgeConcern(name))) continue;
    let value: string | undefined = rawHeaders[index + 1]!;
    if (name === 'set-cookie' && !passesSetCookie(value, hostname)) continue;
    if (name === 'clear-site-data') value = withoutClearedCookies(value);
    if (value !== undefined) passing.push(rawHeaders[index]!, value);
  }
  return passing;
}

/** Returns the trailers that may pass. A service may merge trailers into its headers, so the rules for headers apply. */
export function passingTrailers(rawTrailers: readonly string[]): [string, string][] {
  const trailers: [string, string][] = [];
  for (let index = 0; index < rawTrailers.length; index += 2) {
    const [name = '', value = ''] = rawTrailers.slice(index, index + 2);
    if (!HOP_BY_HOP.has(plainName(name)) && !isEdgeConcern(name)) trailers.push([name, value]);
  }
  return trailers;
}
