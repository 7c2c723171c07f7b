/**
 * Closes connections whose body arrives too slowly. Applies before authentication, to anonymous clients too. Time during which the platform
 * itself does not read does not count against the client.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FloodLimits } from './flood-limits.ts';

type BodyLimits = Pick<FloodLimits, 'bodyMs' | 'longBody' | 'lingerMs'>;

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Checks once per period whether enough bytes arrived. */
export class Pace {
  readonly #bytes: number;
  #last: number;

  constructor(bytes: number, receivedBytes: number) {
    this.#bytes = bytes;
    this.#last = receivedBytes;
  }

  /** `isOurTurn`: the platform has unread bytes, so the client may be unable to send more. */
  isTooSlow(receivedBytes: number, isOurTurn: boolean): boolean {
    const arrived = receivedBytes - this.#last;
    this.#last = receivedBytes;
    return !isOurTurn && arrived < this.#bytes;
  }
}

const untilDone = (request: IncomingMessage, limits: BodyLimits, isLong: boolean): NodeJS.Timeout => {
  if (!isLong) return setTimeout(() => request.destroy(), limits.bodyMs);
  const pace = new Pace(limits.longBody.bytes, request.socket.bytesRead);
  return setInterval(() => {
    if (pace.isTooSlow(request.socket.bytesRead, request.readableLength > 0)) request.destroy();
  }, limits.longBody.periodMs);
};

export const watchBody = (request: IncomingMessage, response: ServerResponse, limits: BodyLimits, isLong: boolean): void => {
  if (!hasBody(request)) return;
  let timer = untilDone(request, limits, isLong).unref();
  const stop = (): void => clearTimeout(timer);
  request.once('end', stop).once('close', stop);
  // Answered before the end of the body: the client may read the answer, but must not keep the connection open forever.
  response.once('finish', () => {
    stop();
    if (request.complete) return;
    timer = setTimeout(() => request.socket.destroy(), limits.lingerMs).unref();
  });
};
