/**
 * Frames a request's body on its way to the instance. The edge derives the framing from its own parser. If a client's header could change
 * it, the instance would see the body end elsewhere and read the rest as another request.
 */
import type { IncomingMessage } from 'node:http';
import type { Refusal } from './problem.ts';

/** Number of bytes, chunked, or no body. */
export type BodyFraming = number | 'chunked' | undefined;

/** Methods whose body means nothing to most servers: some read it as the connection's next request. */
const BODILESS = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);

export function framingOf({ headers, httpVersionMinor }: IncomingMessage): BodyFraming | Refusal {
  const coding = headers['transfer-encoding'];
  const length = headers['content-length'];
  if (coding === undefined) {
    if (length === undefined) return undefined;
    return /^\d{1,15}$/.test(length) ? Number(length) : { status: 400, detail: 'The Content-Length header is no number of bytes.' };
  }
  if (httpVersionMinor === 0 || length !== undefined) {
    return { status: 400, detail: 'The length of the body is ambiguous: Transfer-Encoding does not go with Content-Length or HTTP/1.0.' };
  }
  if (coding.toLowerCase() === 'chunked') return 'chunked';
  return { status: 501, detail: 'The edge knows no Transfer-Encoding but chunked.' };
}

/** Returns exactly one of the two headers if there is a body, as a flat list. */
export function framingHeaders(method: string, framing: BodyFraming): string[] {
  if (framing === 'chunked') return ['transfer-encoding', 'chunked'];
  if (framing === undefined && BODILESS.has(method)) return [];
  return ['content-length', String(framing ?? 0)];
}

/** Returns whether the connection to the instance can be reused. It can't if the instance may read the body as a request. */
export const isReusableAfter = (method: string, framing: BodyFraming): boolean =>
  framing === undefined || framing === 0 || !BODILESS.has(method);
