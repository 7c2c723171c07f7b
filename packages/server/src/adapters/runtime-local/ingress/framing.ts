/**
 * How a request's body is framed on its way to the instance. The edge decides, from what its own parser went by: if a header of the
 * client could change it, the end of a body would be elsewhere for the instance, and what follows a request of its own.
 */
import type { IncomingMessage } from 'node:http';
import type { Refusal } from './problem.ts';

/** The number of bytes, chunks of unknown number, or no body at all. */
export type BodyFraming = number | 'chunked' | undefined;

/** Where a body means nothing to most servers: some take it for the connection's next request. */
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

/** Exactly one of the two headers where there is a body, as a flat list. */
export function framingHeaders(method: string, framing: BodyFraming): string[] {
  if (framing === 'chunked') return ['transfer-encoding', 'chunked'];
  if (framing === undefined && BODILESS.has(method)) return [];
  return ['content-length', String(framing ?? 0)];
}

/** Whether the connection to the instance may carry further requests: not where it may take the body for one. */
export const isReusableAfter = (method: string, framing: BodyFraming): boolean =>
  framing === undefined || framing === 0 || !BODILESS.has(method);
