/** Parses a request's target for the edge. Rejects ambiguous requests. */
import type { IncomingMessage } from 'node:http';
import { framingOf, type BodyFraming } from './framing.ts';
import { isEdgeConcern, listOf } from './header-names.ts';
import type { Refusal } from './problem.ts';

export interface Asked {
  /** Host of the service with its port: from an absolute request line, otherwise from the `Host` header (RFC 9112, 3.2.2). */
  readonly host: string;
  /** Host without port, in lower case. */
  readonly hostname: string;
  /** Path and query. */
  readonly url: string;
  readonly body: BodyFraming;
}

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
/** TRACE would send back to a script what the browser and the edge have added to its request. */
export const noSuchMethod: Refusal = { status: 405, detail: 'The edge passes on no TRACE and no CONNECT.', headers: { allow: METHODS } };
export const otherVersion: Refusal = { status: 505, detail: 'The edge speaks HTTP/1.1, and neither HTTP/2 nor HTTP/0.9.' };
const noHost: Refusal = { status: 400, detail: 'The request has no Host header.' };
const twoHosts: Refusal = { status: 400, detail: 'The request has more than one Host header.' };

export function readRequest(request: IncomingMessage): Asked | Refusal {
  if (request.httpVersionMajor !== 1) return otherVersion;
  if (request.method === 'TRACE') return noSuchMethod;
  const unfit = connectionRefusal(request.headers.connection);
  if (unfit) return unfit;
  if (request.headers.host === undefined && request.httpVersionMinor > 0) return noHost;
  if (hasTwoHosts(request.rawHeaders)) return twoHosts;
  const body = framingOf(request);
  if (typeof body === 'object') return body;
  const url = request.url ?? '/';
  return /^[a-z]/i.test(url) ? readAbsolute(url, body) : asking(request.headers.host ?? '', url, body);
}

/** Parses the absolute form, which clients of a proxy send. Forwards the path without normalizing it: paths belong to the service. */
function readAbsolute(url: string, body: BodyFraming): Asked | Refusal {
  const [, host, rest = ''] = /^http:\/\/([^/?#@]+)([/?].*)?$/is.exec(url) ?? [];
  if (host === undefined) return { status: 400, detail: 'The request line has an address that is not of the form http://host/path.' };
  return asking(host, rest.startsWith('/') ? rest : `/${rest}`, body);
}

const asking = (host: string, url: string, body: BodyFraming): Asked => ({
  host,
  hostname: host.replace(/:\d+$/, '').replace(/\.$/, '').toLowerCase(),
  url,
  body,
});

/**
 * `Connection` names hop-by-hop headers (RFC 9110, 7.6.1). Rejects headers that the edge itself reads or sets: if they were dropped, the
 * instance would see another request than the edge checked.
 */
function connectionRefusal(connection: string | undefined): Refusal | undefined {
  const name = listOf(connection)?.find(isEdgeConcern);
  return name === undefined
    ? undefined
    : { status: 400, detail: `The Connection header names ${name}, which is not for one connection alone.` };
}

function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]!.length === 4 && rawHeaders[index]!.toLowerCase() === 'host') hosts++;
  }
  return hosts > 1;
}
