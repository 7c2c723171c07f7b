/** Carries an instance's answers to the client: interim ones, and the final one as fast as the client takes it, with its trailers. */
import type { IncomingMessage, InformationEvent, ServerResponse } from 'node:http';
import { answerHeaders, passingTrailers } from './headers.ts';
import { isStatus } from './problem.ts';

export interface AnswerOptions {
  /** What the service was called by. */
  readonly hostname: string;
  /** How long the client may take nothing of it. */
  readonly writeTimeoutMs: number;
}

/** Whether the answer is one that can be passed on: its end must be clear, and its bytes those of the body. */
export function isFit({ headers, statusCode }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding'];
  return isStatus(statusCode) && (coding === undefined || (coding.toLowerCase() === 'chunked' && headers['content-length'] === undefined));
}

/** 100 and 103 above all. Clients of HTTP/1.0 know none; `isAwaited` says whether this one waits for 100. */
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
    // What is left of it in memory waits for the client no longer than the rest did.
    if ((response.socket?.writableLength ?? 0) > 0) stall();
  });
  answer.once('error', () => response.destroy());
  // Event streams want their headers before their first event; other answers save a packet by sending both together.
  if (answer.headers['content-length'] === undefined) setImmediate(() => response.writableEnded || response.flushHeaders());
}

/** Either the instance's length or what the client's version allows: chunks, or the end of the connection. */
function finalHeaders(answer: IncomingMessage, response: ServerResponse, hostname: string): string[] {
  const { headers, statusCode } = answer;
  const passing = answerHeaders(answer, hostname);
  if (headers['content-length'] !== undefined && statusCode !== 204) passing.push('content-length', headers['content-length']);
  const isBodiless = statusCode === 204 || statusCode === 304 || response.req.method === 'HEAD';
  const isChunked = headers['transfer-encoding'] !== undefined && response.req.httpVersionMinor > 0 && !isBodiless;
  if (isChunked && headers.trailer !== undefined) passing.push('trailer', headers.trailer);
  return passing;
}

/** Node's client reads control characters there, and its server throws at them: nobody would catch that. */
export const reasonOf = ({ statusMessage = '' }: IncomingMessage): string =>
  /^[\t\x20-\x7e\x80-\xff]*$/.test(statusMessage) ? statusMessage : '';
