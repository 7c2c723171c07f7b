/** Forwards an instance's responses to the client: interim responses, then the final response at the client's pace, with its trailers. */
import type { IncomingMessage, InformationEvent, ServerResponse } from 'node:http';
import { answerHeaders, passingTrailers } from './headers.ts';
import { isStatus } from './problem.ts';

export interface AnswerOptions {
  /** Host name that the client requested. */
  readonly hostname: string;
  /** How long the client may stop reading. */
  readonly writeTimeoutMs: number;
}

/** Returns whether the response can be forwarded: its end must be unambiguous, and its bytes those of the body. */
export function isFit({ headers, statusCode }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding'];
  return isStatus(statusCode) && (coding === undefined || (coding.toLowerCase() === 'chunked' && headers['content-length'] === undefined));
}

/** Forwards interim responses, mainly 100 and 103. HTTP/1.0 clients know none; `isAwaited` says whether this client waits for 100. */
export function sendInterim(
  information: InformationEvent,
  response: ServerResponse,
  { hostname, isAwaited }: { hostname: string; isAwaited: boolean },
): void {
  if (response.headersSent || response.req.httpVersionMinor === 0) return;
  if (information.statusCode !== 100) response.writeInformation(information.statusCode, answerHeaders(information, hostname));
  else if (isAwaited) response.writeContinue();
}

export function sendAnswer(answer: IncomingMessage, response: ServerResponse, options: AnswerOptions): void {
  response.writeHead(answer.statusCode ?? 502, reasonOf(answer), finalHeaders(answer, response, options.hostname));
  let stalled: NodeJS.Timeout | undefined;
  const stall = (): void => {
    if (!stalled) response.once('close', () => clearTimeout(stalled));
    stalled = setTimeout(() => response.destroy(), options.writeTimeoutMs);
  };
  answer.on('data', (chunk: Buffer) => {
    if (response.write(chunk)) return;
    answer.pause();
    stall();
    response.once('drain', () => {
      clearTimeout(stalled);
      answer.resume();
    });
  });
  answer.once('end', () => {
    if (response.chunkedEncoding && answer.rawTrailers.length > 0) response.addTrailers(passingTrailers(answer.rawTrailers));
    response.end();
    // The write timeout also covers the remainder in memory.
    if ((response.socket?.writableLength ?? 0) > 0) stall();
  });
  answer.once('error', () => response.destroy());
  // Event streams need their headers before the first event. Other responses save a packet by sending both together.
  if (answer.headers['content-length'] === undefined) setImmediate(() => response.writableEnded || response.flushHeaders());
}

/** Adds the instance's content length, or what the client's version allows: chunks, or the end of the connection. */
function finalHeaders(answer: IncomingMessage, response: ServerResponse, hostname: string): string[] {
  const { headers, statusCode } = answer;
  const passing = answerHeaders(answer, hostname);
  if (headers['content-length'] !== undefined && statusCode !== 204) passing.push('content-length', headers['content-length']);
  const isBodiless = statusCode === 204 || statusCode === 304 || response.req.method === 'HEAD';
  const isChunked = headers['transfer-encoding'] !== undefined && response.req.httpVersionMinor > 0 && !isBodiless;
  if (isChunked && headers.trailer !== undefined) passing.push('trailer', headers.trailer);
  return passing;
}

/** Drops a status message with control characters: Node's client accepts them, but its server throws, and nothing would catch that. */
export const reasonOf = ({ statusMessage = '' }: IncomingMessage): string =>
  /^[\t\x20-\x7e\x80-\xff]*$/.test(statusMessage) ? statusMessage : '';
